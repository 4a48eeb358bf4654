"""The numbers of a matrix kernel: tiles, offsets, and the locals of each of its functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from codegen.formats import Q4_0
from codegen.formats.layouts import GROUP_BYTES, GROUP_LAYOUT, GROUP_ROWS, WORD, Record
from codegen.kernels.plan import Plan, ends
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile import bodies, scalar
from codegen.kernels.tile.bodies import RESULT, Body
from codegen.kernels.tile.local_variables import WALK
from codegen.kernels.tile.strategies import BY_NAME
from codegen.spec.options import Inner, Totals
from codegen.spec.strategies import Isa
from codegen.wasm.cost import MainLoop

PANEL = 32
"""Columns that are done before the weights are read again: their activations stay in a second-level cache.

docs/performance.md has what other numbers take.
"""

_STEPS = Q4_0.quants_bytes // WORD
"""Of a block."""


@dataclass(frozen=True)
class NonFiniteTest:
    """How an i64 of four f16 scales is tested for exponent 31: the masked sum carries into each one's sign bit.

    Attributes:
        mask: the exponents' bits.
        increment: what makes exponent 31 carry.
        carry: where the carries go.
    """

    mask: str
    increment: str
    carry: str


_NON_FINITE = NonFiniteTest("0x7c007c007c007c00", "0x0400040004000400", "0x8000800080008000")


@dataclass(frozen=True)
class MatrixPlan(Plan):
    """All numbers of one kernel.

    Attributes:
        record: how activations are prepared.
        tile: the function that does most.
        column: the one for columns that do not fill a tile; None where there are none.
        exact: the one for rows that do not fill a tile, and for scales that the others take for finite ones.
        block: elements of a block.
        group_bytes: of a block of 4 rows.
        group_rows: 4.
        round_up: what, added to a number of rows, makes a division by 4 round up.
        parts: what a vector of weights is unpacked into.
        step_w: bytes of a group's block from a step to the next.
        step_y: bytes of a record from a step to the next.
        steps_y: bytes of a record that a pointer moves over all steps.
        back_w: what brings a pointer to weights back to where its block begins.
        back_y: the same for activations.
        group_result: bytes of a column's results that a group of rows makes.
        panel: columns.
        non_finite: how infinite and NaN scales are noticed.
    """

    record: Record
    tile: Body
    column: Body | None
    exact: Body
    block: int
    group_bytes: int
    group_rows: int
    round_up: int
    parts: tuple[int, ...]
    step_w: int
    step_y: int
    back_w: int
    back_y: int
    steps_y: int
    group_result: int
    panel: int
    non_finite: NonFiniteTest

    @property
    def reserved(self) -> Record:
        """What a column's blocks take, prepared or in scratch memory."""
        return self.record

    @property
    def main_loop(self) -> MainLoop:
        """That of the first function."""
        products = self.tile.rows * (self.panel if self.tile.in_output else len(self.tile.columns))
        turns = self.panel if self.tile.in_output else _STEPS
        return MainLoop(0, products, turns if self.tile.in_output or self.tile.rolled else 1)

    def loops(self, columns: int) -> tuple[tuple[MainLoop, int], ...]:
        """See Plan: tiles, and what they leave of each panel, which the function for one column does."""
        found: Counter[MainLoop] = Counter()
        for size, panels in ((self.panel, columns // self.panel), (columns % self.panel, 1)):
            for loop, done in self._loops_of_panel(size):
                found[loop] += done * panels
        return tuple((loop, done) for loop, done in found.items() if done)

    def _loops_of_panel(self, columns: int) -> Iterator[tuple[MainLoop, int]]:
        if self.tile.in_output and columns > 1:
            yield MainLoop(0, self.tile.rows * columns, columns), columns
            return
        tiled = 0 if self.tile.in_output else columns // len(self.tile.columns) * len(self.tile.columns)
        yield self.main_loop, tiled
        if self.column:
            yield MainLoop(1, self.column.rows, _STEPS if self.column.rolled else 1), columns - tiled

    @property
    def layouts(self) -> tuple[tuple[str, str], ...]:
        """Blocks of weights and of activations."""
        return (
            (f"x, {GROUP_BYTES} bytes", GROUP_LAYOUT),
            (f"y, {self.record.bytes} bytes", self.record.layout),
        )

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All functions that multiply, the one with the main loop first."""
        return tuple(dict.fromkeys(body for body in (self.tile, self.column, self.exact) if body))

    @property
    def panel_function(self) -> str:
        """What multiplies a panel: tiles where there are any."""
        return "slow_path" if self.tile is self.exact else "panel"

    @property
    def refused(self) -> str:
        """The bits that n must not have: the sign, and those of no multiple of a block's elements."""
        return f"0x{0x80000000 | (self.block - 1):08x}"


def matrix_plan(spec: KernelSpec) -> MatrixPlan:
    """The numbers of a kernel that multiplies matrices, of any operation; a pure function of its spec."""
    strategy, record = BY_NAME[spec.strategy], record_of(spec)
    tile, column, exact = _functions(spec)
    return MatrixPlan(
        spec=spec,
        locals=(*ends("s", "vx", "vy"), *WALK),
        constants=bodies.constants_of(strategy, tile),
        record=record,
        tile=tile,
        column=column,
        exact=exact,
        block=Q4_0.elements,
        group_bytes=GROUP_BYTES,
        group_rows=GROUP_ROWS,
        round_up=GROUP_ROWS - 1,
        parts=tuple(range(strategy.parts)),
        step_w=bodies.STEP_BYTES,
        step_y=record.word_bytes,
        steps_y=_STEPS * record.word_bytes,
        back_w=-_STEPS * bodies.STEP_BYTES,
        back_y=-_STEPS * record.word_bytes,
        group_result=GROUP_ROWS * RESULT,
        panel=PANEL,
        non_finite=_NON_FINITE,
    )


def _functions(spec: KernelSpec) -> tuple[Body, Body | None, Body]:
    """The function that does most, the one for columns that it leaves, and the one that is right for any scales."""
    rows, columns = tile_of(spec)
    strategy, record, rolled = BY_NAME[spec.strategy], record_of(spec), spec.inner is Inner.ROLLED
    if spec.isa is Isa.SCALAR:
        only = scalar.body(strategy, record)
        return only, None, only
    exact = bodies.exact(strategy, record)
    column = bodies.tile(strategy, record, rows, 1, rolled=rolled)
    if spec.totals is Totals.OUTPUT:
        return bodies.panel(strategy, record, rows), column, exact
    if columns == 1:
        return column, None, exact
    return bodies.tile(strategy, record, rows, columns, rolled=rolled), column, exact


def tile_of(spec: KernelSpec) -> tuple[int, int]:
    """Rows and columns at a time."""
    assert spec.tile is not None, "matrix kernels have tiles"
    return spec.tile


def record_of(spec: KernelSpec) -> Record:
    """The records of activations that a kernel reads."""
    return Record(BY_NAME[spec.strategy].kind, spec.activations)
