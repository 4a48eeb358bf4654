"""What each operation is timed on where nobody says otherwise, and what it is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from codegen.base.errors import InputError
from codegen.formats import Q4_0
from codegen.formats.layouts import GROUP_ROWS
from codegen.kernels.operations import OPERATIONS, contracts_of
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import PANEL
from codegen.kernels.tile.strategies import ROWS
from codegen.spec.strategies import Isa
from codegen.speed.bench import ggml_layouts
from codegen.speed.bench.problem import Problem, Work


@dataclass(frozen=True)
class Usual:
    """An operation's usual problem.

    Attributes:
        work: what it does; operations of the same work can stand in one table.
        level: where its rows live, one of machine.LEVELS.
        columns: of activations.
        multiple: what the number of rows is a multiple of, where there are as many: whole tiles, of native code too.
        weights: the format of the rows, where they are weights.
    """

    work: Work
    level: str = "l1"
    columns: int = 1
    multiple: int = 1
    weights: str = Q4_0.name

    def at(self, n: int, level: str | None = None) -> Problem:
        """Rows of n elements, as many as its level or another holds; see Problem.at."""
        return Problem.at(
            n, level or self.level, self.columns, self.work, self.weights, multiple=self.multiple
        )

    def of_rows(self, n: int, rows: int) -> Problem:
        """So many rows, wherever they live."""
        return Problem.of(n, rows, self.columns, self.work, self.weights)


WHOLE_TILES = math.lcm(*ROWS, ggml_layouts.ROWS)
"""Rows that any tile, and native GGML's groups, have without a rest, which slower code would do."""

_USUAL = {
    "vec_dot": Usual(Work.PRODUCTS),
    "quantize_row": Usual(Work.QUANTISE),
    "pack_activations": Usual(Work.QUANTISE),
    "repack": Usual(Work.REPACK, level="l2", multiple=GROUP_ROWS),
    "gemv": Usual(Work.PRODUCTS, level="l2", multiple=WHOLE_TILES),
    "gemm": Usual(Work.PRODUCTS, level="l2", columns=PANEL, multiple=WHOLE_TILES),
    "mul_mat": Usual(Work.PRODUCTS, level="l2", columns=PANEL, multiple=WHOLE_TILES),
}


def usual(op: str, weights: str = Q4_0.name) -> Usual:
    """What an operation is timed on, with weights of a format."""
    return replace(_USUAL[op], weights=weights)


def weights_of(spec: KernelSpec) -> str:
    """The weights of the problems that a kernel is timed on: its own, or the default's where rows are f32."""
    return Q4_0.name if usual(spec.op).work is Work.QUANTISE else spec.x


def products() -> tuple[str, ...]:
    """The operations that multiply."""
    return tuple(op for op in OPERATIONS if usual(op).work is Work.PRODUCTS)


def together(operations: Sequence[str], columns: int | None = None, weights: str = Q4_0.name) -> Usual:
    """What several operations are timed on in one table.

    Args:
        operations: at least one.
        columns: of activations, instead of those that are usual.
        weights: the format of the rows, where they are weights.

    Raises:
        InputError: they do not do the same work, or it has no columns.
    """
    each = [usual(op) for op in operations]
    if len({one.work for one in each}) > 1:
        raise InputError(
            f"kernels of {', '.join(operations)}: do different work; time them in different calls"
        )
    if columns and each[0].work is not Work.PRODUCTS:
        raise InputError(f"--columns: {operations[0]} has none; leave it out")
    return Usual(
        each[0].work,
        max(one.level for one in each),
        columns or min(one.columns for one in each),
        max(one.multiple for one in each),
        weights,
    )


_PLAINEST = {Work.PRODUCTS: "vec_dot", Work.QUANTISE: "quantize_row", Work.REPACK: "repack"}


def baseline_of(spec: KernelSpec) -> KernelSpec:
    """The plainest scalar kernel that does a kernel's work."""
    return baseline(usual(spec.op).work, weights_of(spec))


@cache
def baseline(work: Work, weights: str) -> KernelSpec:
    """The plainest scalar kernel that does it, which speed is told against."""
    return KernelSpec.parse(f"{contracts_of(weights)[_PLAINEST[work]]}__{Isa.SCALAR}_u1")
