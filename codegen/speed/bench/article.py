"""The published table, measured again here with our kernels added: scalar, hand-written SIMD, native AVX2."""

from __future__ import annotations

from codegen.kernels import registry
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from codegen.speed.bench.frozen import ARTICLE, Timed
from codegen.speed.bench.result import Result

N = 4096

BASELINE = KernelSpec(Isa.SCALAR)

SCALAR_NS, SIMD_NS, NATIVE_NS = 3820.0, 890.0, 420.0
"""Published, of a dot product of 4,096."""

COLUMNS = ("", "published ns", "x scalar", "here ns", "x scalar", "95%")


def specs() -> tuple[Timed, ...]:
    """The kernels in the table: those it had, and our fastest."""
    ours = (registry.fastest()[BASELINE.contract, isa] for isa in (Isa.SIMD128, Isa.RELAXED))
    return BASELINE, ARTICLE, *ours


def entries() -> tuple[tuple[str, str, str, float | None], ...]:
    """Label, engine, kernel, and published nanoseconds."""
    scalar, published, simd, relaxed = (spec.name for spec in specs())
    return (
        ("scalar", "wasmtime", scalar, SCALAR_NS),
        ("hand-written SIMD (the article's)", "wasmtime", published, SIMD_NS),
        ("ours, SIMD", "wasmtime", simd, None),
        ("ours, relaxed SIMD", "wasmtime", relaxed, None),
        ("native AVX2 (GGML)", native.HOST, native.NAME, NATIVE_NS),
    )


def rows(result: Result) -> list[tuple[str, ...]]:
    """The table's cells."""
    base = result.find(BASELINE.name, "wasmtime", N, "l1")
    found: list[tuple[str, ...]] = []
    for label, engine, kernel, published in entries():
        there = (f"{published:.0f}", f"{SCALAR_NS / published:.2f}") if published else ("", "")
        one = result.find(kernel, engine, N, "l1")
        if one and base:
            ratio = one.times_as_fast_as(base)
            here = (f"{one.summary.median:.0f}", f"{ratio.value:.2f}", ratio.interval)
        else:
            here = ("not here", "", "")
        found.append((label, *there, *here))
    return found
