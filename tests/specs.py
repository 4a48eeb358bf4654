"""Every spec there is, for tests that take any."""

from collections.abc import Iterator
from itertools import product

from codegen.base.errors import SpecError
from codegen.kernels.operations import OPERATIONS, Operation
from codegen.kernels.spec import KernelSpec
from codegen.spec.options import OPTIONS
from codegen.spec.strategies import Isa

STRATEGY_OF_ISA: list[tuple[Isa, str]] = [(s.isa, s.name) for s in OPERATIONS["vec_dot"].strategies]
"""Of dot products."""


def _specs(operation: Operation) -> Iterator[KernelSpec]:
    has = [field for field in OPTIONS if field in (*operation.options, "memory")]
    for operands, strategy, tile, unroll, accumulators, *options in product(
        operation.operands,
        operation.strategies,
        operation.tiles or (None,),
        range(1, operation.most_unroll + 1),
        range(1, operation.most_accumulators + 1),
        *(OPTIONS[field] for field in has),
    ):
        x, y = (*operands, "")[:2]
        chosen = dict(zip(has, options, strict=True))
        try:
            yield KernelSpec(
                strategy.isa,
                unroll,
                accumulators,
                strategy.name,
                op=operation.name,
                x=x,
                y=y,
                tile=tile,
                **chosen,
            )
        except SpecError:
            continue


EVERY_SPEC: list[KernelSpec] = [spec for operation in OPERATIONS.values() for spec in _specs(operation)]
DOTS: list[KernelSpec] = [spec for spec in EVERY_SPEC if spec.op == "vec_dot"]
