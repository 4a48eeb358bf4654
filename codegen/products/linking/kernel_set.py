"""Which kernels go together: one of each operation, those of matrices with the same prepared activations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from codegen.formats.layouts import Record
from codegen.kernels import registry, shipped
from codegen.kernels.operations import OPERATIONS, contracts_of
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tuning import Tuning
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa

Fits = Callable[[KernelSpec], bool]


def kernel_set(
    isa: Isa, memory: Memory, engine: str = "wasmtime", weights: str = "q4_0"
) -> tuple[KernelSpec, ...]:
    """The fastest kernels of an ISA, for weights of a format, that can share a memory with anybody.

    But for their memory they are registered kernels, which every engine has run.

    Args:
        isa: what they may use; an operation that gains nothing from it has a kernel of a simpler one.
        memory: where theirs is.
        engine: whose tuning tells which is the fastest: wasmtime, v8, jsc, or a file that `codegen tune` wrote.
        weights: the format of the weights.

    Returns:
        vec_dot, quantize_row, pack_activations, repack, gemv, gemm and mul_mat, in this order.

    Raises:
        InputError: there is no such tuning.
    """
    tuning = shipped.named(engine)
    contracts = contracts_of(weights)
    gemm = _fastest(tuning, contracts["gemm"], isa)
    repack_isa = isa if OPERATIONS["repack"].strategies_of(isa, "q4_0") else Isa.SIMD128
    chosen = (
        _fastest(tuning, contracts["vec_dot"], isa),
        _fastest(tuning, contracts["quantize_row"], isa),
        _preparer(contracts["pack_activations"], isa, gemm.record),
        _fastest(tuning, contracts["repack"], repack_isa),
        _fastest(tuning, contracts["gemv"], isa, lambda spec: spec.record == gemm.record),
        gemm,
        _fastest(tuning, contracts["mul_mat"], isa),
    )
    return tuple(replace(spec, memory=memory) for spec in chosen)


def _fastest(tuning: Tuning, contract: str, isa: Isa, fits: Fits = lambda _: True) -> KernelSpec:
    known = set(registry.registered())
    return next(spec for spec in _by_speed(tuning, contract, isa) if spec in known and fits(spec))


def _by_speed(tuning: Tuning, contract: str, isa: Isa) -> Iterator[KernelSpec]:
    """Kernels of a contract and ISA: the best, others that were timed, the one to use by default, all others."""
    found: list[KernelSpec] = []
    for sweep in tuning.contracts.values():
        found += sweep.best.values()
        found += (one.spec for one in sweep.candidates if one.failed is None)
    found += (registry.fastest()[contract, isa], *registry.registered())
    return (spec for spec in found if (spec.contract, spec.isa) == (contract, isa))


def _preparer(contract: str, isa: Isa, record: Record | None) -> KernelSpec:
    """What makes the records that matrix kernels read."""
    return next(
        spec
        for spec in registry.registered()
        if spec.contract == contract and spec.isa is isa and spec.record == record
    )
