"""Which kernels the page verifies and times, by the engine that a browser has and the features that it offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from codegen.kernels.spec import KernelSpec
from codegen.products.linking.kernel_set import kernel_set
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.speed.bench.article import BASELINE
from codegen.speed.bench.frozen import ARTICLE, Timed

ENGINES = ("v8", "jsc", "wasmtime")
"""Whose tuning a browser's kernels come from; where no browser's engine is known, wasmtime's do best."""


@dataclass(frozen=True)
class Bar:
    """One bar of the page.

    Attributes:
        id: what it is called in results.
        label: in plain words.
        spec: the kernel.
    """

    id: str
    label: str
    spec: Timed


@cache
def bars(engine: str, isa: Isa) -> tuple[Bar, ...]:
    """The bars of a browser, whose best ISA this is: the baseline first."""
    made = [Bar("scalar", "Scalar code", BASELINE)]
    if isa is not Isa.SCALAR:
        made.append(Bar("article", "Published SIMD", ARTICLE))
        made.append(Bar("simd128", "Ours, SIMD", _of(engine, Isa.SIMD128)["vec_dot"]))
    if isa is Isa.RELAXED:
        made.append(Bar("relaxed", "Ours, relaxed SIMD", _of(engine, isa)["vec_dot"]))
    made.append(Bar("gemv", "Matrix, one column", _of(engine, isa)["gemv"]))
    made.append(Bar("gemm", "Matrix, 32 columns", _of(engine, isa)["gemm"]))
    return tuple(made)


def verified(engine: str, isa: Isa) -> tuple[KernelSpec, ...]:
    """The kernels that a browser verifies: ours of its bars, and all that go together with the fastest."""
    ours = (bar.spec for bar in bars(engine, isa))
    each = (*(spec for spec in ours if isinstance(spec, KernelSpec)), *_of(engine, isa).values())
    return tuple(dict.fromkeys(each))


def everywhere() -> Iterator[tuple[str, Isa]]:
    """Every kind of browser."""
    return ((engine, isa) for engine in ENGINES for isa in Isa)


@cache
def _of(engine: str, isa: Isa) -> dict[str, KernelSpec]:
    return {spec.op: spec for spec in kernel_set(isa, Memory.EXPORT, engine)}
