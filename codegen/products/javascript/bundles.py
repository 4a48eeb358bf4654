"""The modules of kernels that the npm package has: of each ISA the sets of two engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.formats.layouts import Record
from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import MatrixPlan
from codegen.products.linking.kernel_set import kernel_set
from codegen.products.linking.merge import bundle
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.wasm.assemble import assemble

ENGINES = ("v8", "jsc")
"""Whose sets there are: which of them is the faster one is measured where they run."""


@dataclass(frozen=True)
class Bundle:
    """One set of kernels, in a module.

    Attributes:
        name: as `relaxed-v8`, or `scalar` where the engines' sets are the same.
        isa: what its kernels may use.
        specs: the kernels, in the order of kernel_set.
    """

    name: str
    isa: Isa
    specs: tuple[KernelSpec, ...]

    @property
    def plan(self) -> MatrixPlan:
        """Those of mul_mat, which reads the records that gemv and gemm read, or others."""
        return _matrix_plan(self.specs, "mul_mat")

    @property
    def record(self) -> Record:
        """What gemv and gemm read."""
        return _matrix_plan(self.specs, "gemv").record

    def wasm(self) -> bytes:
        """The module, which imports an unshared memory."""
        return assemble(bundle(self.specs))


def bundles() -> Iterator[Bundle]:
    """All of them, those to try first at first."""
    for isa in reversed(Isa):
        sets = {engine: kernel_set(isa, Memory.IMPORT, engine) for engine in ENGINES}
        for engine, specs in sets.items():
            if len(set(sets.values())) > 1:
                yield Bundle(f"{isa}-{engine}", isa, specs)
            elif engine == ENGINES[0]:
                yield Bundle(isa.value, isa, specs)


def _matrix_plan(specs: tuple[KernelSpec, ...], op: str) -> MatrixPlan:
    plan = make_plan(next(spec for spec in specs if spec.op == op))
    assert isinstance(plan, MatrixPlan)
    return plan
