"""Which kernels go together: one of each operation, those of matrices with the same prepared activations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from codegen import registry
from codegen.layouts import Record
from codegen.operations import OPERATIONS
from codegen.options import Memory
from codegen.spec import KernelSpec
from codegen.strategies import Isa
from codegen.tune import shipped
from codegen.tune.tuning import Tuning

Fits = Callable[[KernelSpec], bool]


def kernel_set(isa: Isa, memory: Memory, engine: str = "wasmtime") -> tuple[KernelSpec, ...]:
    """The fastest kernels of an ISA that can share a memory with anybody.

    But for their memory they are registered kernels, which every engine has run.

    Args:
        isa: what they may use; an operation that gains nothing from it has a kernel of a simpler one.
        memory: where theirs is.
        engine: whose tuning tells which is the fastest: wasmtime, v8, jsc, or a file that `codegen tune` wrote.

    Returns:
        vec_dot, quantize_row, quantize_mat, repack, gemv, gemm and mul_mat, in this order.

    Raises:
        InputError: there is no such tuning.
    """
    tuning = shipped.named(engine)
    gemm = _fastest(tuning, "gemm", isa)
    chosen = (
        _fastest(tuning, "vec_dot", isa),
        _fastest(tuning, "quantize_row", isa),
        _preparer(isa, gemm.record),
        _fastest(tuning, "repack", isa if OPERATIONS["repack"].strategies_of(isa, "q4_0") else Isa.SIMD128),
        _fastest(tuning, "gemv", isa, lambda spec: spec.record == gemm.record),
        gemm,
        _fastest(tuning, "mul_mat", isa),
    )
    return tuple(replace(spec, memory=memory) for spec in chosen)


def _fastest(tuning: Tuning, op: str, isa: Isa, fits: Fits = lambda _: True) -> KernelSpec:
    known = set(registry.REGISTERED)
    return next(spec for spec in _by_speed(tuning, op, isa) if spec in known and fits(spec))


def _by_speed(tuning: Tuning, op: str, isa: Isa) -> Iterator[KernelSpec]:
    """Kernels of an operation: the best, the others that were timed, and what stands in where none was."""
    for contract in tuning.contracts.values():
        yield from (spec for spec in contract.best.values() if (spec.op, spec.isa) == (op, isa))
        timed = (one.spec for one in contract.candidates if one.failed is None)
        yield from (spec for spec in timed if (spec.op, spec.isa) == (op, isa))
    yield registry.FASTEST[op, isa]
    yield from (spec for spec in registry.REGISTERED if (spec.op, spec.isa) == (op, isa))


def _preparer(isa: Isa, record: Record | None) -> KernelSpec:
    """What makes the records that matrix kernels read."""
    return next(
        spec
        for spec in registry.REGISTERED
        if spec.op == "quantize_mat" and spec.isa is isa and spec.record == record
    )
