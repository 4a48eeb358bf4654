"""Which kernels of a contract a sweep tries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import product

from codegen.errors import SpecError
from codegen.operations import OPERATIONS
from codegen.options import Fold, Scales
from codegen.spec import KernelSpec
from codegen.strategies import Isa

UNROLLS = (1, 2, 3, 4, 6, 8, 12, 16)
ACCUMULATORS = (1, 2, 4)

_TIMED = ("vec_dot",)
"""Operations that bench can time."""


def candidates(
    patterns: Sequence[str] = (), isas: Sequence[Isa] = (), unrolls: Sequence[int] = ()
) -> dict[str, tuple[KernelSpec, ...]]:
    """What to try, by contract.

    Args:
        patterns: names or shell patterns of names; none means all. A full name need not be in the space.
        isas: only these; none means all.
        unrolls: these instead of UNROLLS.

    Raises:
        SpecError: nothing is left to try.
    """
    space = list(_space(isas or tuple(Isa), unrolls or UNROLLS))
    chosen = [spec for pattern in patterns for spec in _matching(pattern, space)] if patterns else space
    chosen = [s for s in chosen if (not isas or s.isa in isas) and (not unrolls or s.unroll in unrolls)]
    if not chosen:
        wanted = [*patterns, *isas, *(f"unroll {unroll}" for unroll in unrolls)]
        raise SpecError(f"kernel {', '.join(wanted)}: nothing to tune matches; see docs/tuning.md")
    found: dict[str, dict[KernelSpec, None]] = {}
    for spec in chosen:
        found.setdefault(spec.contract, {})[spec] = None
    return {contract: tuple(specs) for contract, specs in found.items()}


def baseline(spec: KernelSpec) -> KernelSpec:
    """The plainest scalar kernel of the same contract, which speed is told against."""
    return KernelSpec(Isa.SCALAR, op=spec.op, x=spec.x, y=spec.y)


def eligible(spec: KernelSpec) -> bool:
    """Whether a kernel may be chosen as best."""
    return not spec.is_fixed  # those reproduce a kernel of somebody else's


def complexity(spec: KernelSpec) -> tuple[bool, int, int, int, str]:
    """What a host pays besides time: a table in its memory, code, sums to join; then short names, the defaults."""
    return spec.scales is Scales.TABLE, spec.unroll, spec.accumulators, len(spec.name), spec.name


def _space(isas: Sequence[Isa], unrolls: Sequence[int]) -> Iterator[KernelSpec]:
    for operation in (OPERATIONS[name] for name in _TIMED):
        strategies = [strategy for strategy in operation.strategies if strategy.isa in isas]
        for operands, strategy, tile, fold, scales, unroll, accumulators in product(
            operation.operands, strategies, operation.tiles or (None,), Fold, Scales, unrolls, ACCUMULATORS
        ):
            x, y = (*operands, "")[:2]
            how = (strategy.isa, unroll, accumulators, strategy.name, scales, fold)
            with suppress(SpecError):  # not every combination exists
                yield KernelSpec(*how, op=operation.name, x=x, y=y, tile=tile)


def _matching(pattern: str, space: Sequence[KernelSpec]) -> list[KernelSpec]:
    if set(pattern) & set("*?["):
        return [spec for spec in space if fnmatchcase(spec.name, pattern)]
    spec = KernelSpec.parse(pattern)
    return [spec] if spec.op in _TIMED else []
