"""Which kernels of a contract a sweep tries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from codegen.base.errors import SpecError
from codegen.formats.layouts import Activations
from codegen.kernels.operations import OPERATIONS, Operation
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.strategies import ROWS
from codegen.kernels.tuning import rivals_of
from codegen.spec.options import OPTIONS
from codegen.spec.strategies import Isa

UNROLLS = (1, 2, 3, 4, 6, 8, 12, 16)
ACCUMULATORS = (1, 2, 4)

COLUMNS = (1, 2, 4, 8)
"""Of tiles: others fill panels less well, and would make a sweep twice as long."""


def candidates(
    patterns: Sequence[str] = (),
    isas: Sequence[Isa] = (),
    unrolls: Sequence[int] = (),
    ops: Sequence[str] = (),
) -> dict[str, tuple[KernelSpec, ...]]:
    """What to try, by contract; quantisers that make records by those too, and last.

    Args:
        patterns: names or shell patterns of names; none means all. A full name need not be in the space.
        isas: only these; none means all.
        unrolls: these instead of UNROLLS.
        ops: only these operations; none means all.

    Raises:
        SpecError: nothing is left to try.
    """
    operations = [OPERATIONS[name] for name in ops or OPERATIONS]
    space = [spec for one in operations for spec in _space(one, isas or tuple(Isa), unrolls or UNROLLS)]
    space = [spec for spec in space if not _few_streams(spec)]
    chosen = [spec for pattern in patterns for spec in _matching(pattern, space)] if patterns else space
    chosen = [s for s in chosen if (not isas or s.isa in isas) and (not unrolls or s.unroll in unrolls)]
    chosen = [s for s in chosen if s.operation in operations]
    if not chosen:
        wanted = [*patterns, *ops, *isas, *(f"unroll {unroll}" for unroll in unrolls)]
        raise SpecError(f"kernel {', '.join(wanted)}: nothing to tune matches; leave one of these out")
    found: dict[str, dict[KernelSpec, None]] = {}
    for spec in sorted(chosen, key=lambda spec: rivals_of(spec) != spec.contract):
        found.setdefault(rivals_of(spec), {})[spec] = None
    return {contract: tuple(specs) for contract, specs in found.items()}


def complexity(spec: KernelSpec) -> tuple[int, bool, int, int, int, str]:
    """What a host pays besides time: memory, code, sums to join; then short names, the defaults.

    A tile of more rows reads more streams of weights at once, which pays where they come from memory.
    """
    repeated = spec.activations is Activations.BROADCAST
    rows, columns = spec.tile or (1, 1)
    return -rows, repeated, spec.unroll * columns, spec.accumulators, len(spec.name), spec.name


def _space(operation: Operation, isas: Sequence[Isa], unrolls: Sequence[int]) -> Iterator[KernelSpec]:
    strategies = [strategy for strategy in operation.strategies if strategy.isa in isas]
    fields = [*reversed(operation.options), "unroll", "accumulators"]
    choices = [*(tuple(OPTIONS[field]) for field in fields[:-2]), unrolls, ACCUMULATORS]
    tiled: list[tuple[int, int] | None] = [tile for tile in operation.tiles if tile[1] in COLUMNS]
    contracts = product(operation.operands, strategies, tiled or [None])
    for (operands, strategy, tile), how in product(contracts, list(product(*choices))):
        x, y = (*operands, "")[:2]
        chosen: dict[str, Any] = dict(zip(fields, how, strict=True))
        with suppress(SpecError):  # not every combination exists
            yield KernelSpec(
                strategy.isa, strategy=strategy.name, op=operation.name, x=x, y=y, tile=tile, **chosen
            )


def _few_streams(spec: KernelSpec) -> bool:
    """Whether a mul_mat has a smaller tile than it could: a sweep does not try it.

    mul_mat is timed with many columns, but makes tokens with one: then weights come from memory, which brings the four
    streams of tiles of most rows faster than fewer (docs/performance.md).
    """
    rows, _ = spec.tile or (max(ROWS), 1)
    return spec.op == "mul_mat" and spec.isa is not Isa.SCALAR and rows < max(ROWS)


def _matching(pattern: str, space: Sequence[KernelSpec]) -> list[KernelSpec]:
    if set(pattern) & set("*?["):
        return [spec for spec in space if fnmatchcase(spec.name, pattern)]
    return [KernelSpec.parse(pattern)]
