"""Every spec there is, for tests that take any."""

from itertools import product

from codegen.errors import SpecError
from codegen.spec import (
    MAX_ACCUMULATORS,
    MAX_UNROLL,
    STRATEGIES,
    Fold,
    KernelSpec,
    Memory,
    Scales,
)
from codegen.strategies import Isa

STRATEGY_OF_ISA: list[tuple[Isa, str]] = [(isa, name) for isa, names in STRATEGIES.items() for name in names]


def _every_spec() -> list[KernelSpec]:
    found = []
    for (isa, strategy), unroll, accumulators, scales, fold, memory in product(
        STRATEGY_OF_ISA, range(1, MAX_UNROLL + 1), range(1, MAX_ACCUMULATORS + 1), Scales, Fold, Memory
    ):
        try:
            found.append(KernelSpec(isa, unroll, accumulators, strategy, scales, fold, memory))
        except SpecError:
            continue
    return found


EVERY_SPEC: list[KernelSpec] = _every_spec()
