"""The published table, measured again here with our kernels added: scalar, hand-written SIMD, native AVX2."""

from __future__ import annotations

from codegen.bench import native
from codegen.bench.result import Result
from codegen.spec import KernelSpec

N = 4096

_KERNEL = "vec_dot_q4_0_q8_0__"

ROWS: tuple[tuple[str, str, str, float | None], ...] = (
    ("scalar", "wasmtime", f"{_KERNEL}scalar_u1", 3820.0),
    ("hand-written SIMD (the article's)", "wasmtime", f"{_KERNEL}simd128-article_u1", 890.0),
    ("ours, SIMD", "wasmtime", f"{_KERNEL}simd128_u4", None),
    ("ours, relaxed SIMD", "wasmtime", f"{_KERNEL}relaxed_u4", None),
    ("native AVX2 (GGML)", "native", native.NAME, 420.0),
)
"""Label, engine, kernel, and the published nanoseconds for a dot product of 4,096."""

COLUMNS = ("", "published ns", "x scalar", "here ns", "x scalar", "95%")


def specs() -> tuple[KernelSpec, ...]:
    """Our kernels in the table."""
    return tuple(KernelSpec.parse(kernel) for _, engine, kernel, _ in ROWS if engine == "wasmtime")


def rows(result: Result) -> list[tuple[str, ...]]:
    """The table's cells."""
    slow = ROWS[0][3]
    base = result.find(ROWS[0][2], "wasmtime", N, "l1")
    found: list[tuple[str, ...]] = []
    for label, engine, kernel, published in ROWS:
        there = (f"{published:.0f}", f"{slow / published:.2f}") if published and slow else ("", "")
        one = result.find(kernel, engine, N, "l1")
        if one and base:
            ratio = one.times_as_fast_as(base)
            here = (f"{one.summary.median:.0f}", f"{ratio.value:.2f}", ratio.interval)
        else:
            here = ("not here", "", "")
        found.append((label, *there, *here))
    return found
