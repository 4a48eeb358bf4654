"""Every spec there is, for tests that take any."""

from collections.abc import Iterator
from itertools import product

from codegen.errors import SpecError
from codegen.operations import MAX_UNROLL, OPERATIONS, Operation
from codegen.options import Fold, Memory, Scales
from codegen.spec import KernelSpec
from codegen.strategies import Isa

STRATEGY_OF_ISA: list[tuple[Isa, str]] = [(s.isa, s.name) for s in OPERATIONS["vec_dot"].strategies]
"""Of dot products."""


def _specs(operation: Operation) -> Iterator[KernelSpec]:
    unrolls, accumulators = range(1, MAX_UNROLL + 1), range(1, operation.most_accumulators + 1)
    for operands, strategy, tile, unroll, accumulator, scales, fold, memory in product(
        operation.operands,
        operation.strategies,
        operation.tiles or (None,),
        unrolls,
        accumulators,
        Scales,
        Fold,
        Memory,
    ):
        x, y = (*operands, "")[:2]
        how = (strategy.isa, unroll, accumulator, strategy.name, scales, fold, memory)
        try:
            yield KernelSpec(*how, operation.name, x, y, tile)
        except SpecError:
            continue


EVERY_SPEC: list[KernelSpec] = [spec for operation in OPERATIONS.values() for spec in _specs(operation)]
DOTS: list[KernelSpec] = [spec for spec in EVERY_SPEC if spec.op == "vec_dot"]
