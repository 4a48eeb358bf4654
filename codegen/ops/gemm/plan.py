"""The numbers of a matrix kernel: tiles, offsets, and the locals of each of its functions."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.cost import MainLoop
from codegen.formats import Q4_0
from codegen.layouts import GROUP_BYTES, GROUP_LAYOUT, GROUP_ROWS, GROUP_SCALES, WORD, Kind, Record
from codegen.ops.gemm.local_variables import WALK, constants_of, panel_locals, tile_locals
from codegen.ops.gemm.strategies import BY_NAME, MatrixMultiply
from codegen.options import Inner, Totals
from codegen.plan import Plan, ends
from codegen.spec import KernelSpec
from codegen.strategies import Local

PANEL = 32
"""Columns that are done before the weights are read again: their activations stay in a cache of the second level."""

FEW = 4
"""Columns below which unpacking the weights once does not pay."""

RESULT = 4
"""Bytes of an f32."""

EXPONENT_31 = "0x7c007c007c007c00"
EXPONENT_UNIT = "0x0400040004000400"
EXPONENT_CARRY = "0x8000800080008000"
"""Four f16 at once: exponent 31 and one more carries into the sign's place."""


@dataclass(frozen=True)
class Word:
    """One word of activations: its offset in a record, and the part of the weights that it multiplies."""

    y: int
    part: int


@dataclass(frozen=True)
class Step:
    """Four bytes of each row of a group: where they are in a block, and the activations that they meet."""

    index: int
    w: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Body:
    """One function that multiplies a tile.

    Attributes:
        name: the function's.
        rows: of the tile.
        groups: numbers of its groups of 4 rows.
        columns: numbers of its columns.
        steps: of a block; the first alone where `rolled`.
        rolled: whether the steps are a loop.
        exact: whether scales may be infinite or NaN.
        in_output: whether totals are kept in the output, and all columns of a panel go by.
        locals: of the function, but its parameters.
    """

    name: str
    rows: int
    groups: tuple[int, ...]
    columns: tuple[int, ...]
    steps: tuple[Step, ...]
    rolled: bool
    exact: bool
    in_output: bool
    locals: tuple[Local, ...]


@dataclass(frozen=True)
class MatrixPlan(Plan):
    """All numbers of one kernel.

    Attributes:
        record: how activations are prepared.
        tile: the function that does most.
        column: the one for columns that do not fill a tile; None where there are none.
        exact: the one for rows that do not fill a tile, and for what the others misread.
        block: elements of a block.
        group_bytes: of a block of 4 rows.
        group_rows: 4.
        parts: what a vector of weights is unpacked into.
        step_w: bytes of a group's block from a step to the next.
        step_y: bytes of a record from a step to the next.
        steps_w: bytes of a group's block that all steps take.
        steps_y: bytes of a record that pointers move over all steps.
        group_result: bytes of a column's results that a group of rows makes.
        tile_result: bytes of those that a tile makes.
        panel: columns.
        few: columns below which totals are not kept in the output.
    """

    record: Record
    tile: Body
    column: Body | None
    exact: Body
    block: int
    group_bytes: int
    group_rows: int
    parts: tuple[int, ...]
    step_w: int
    step_y: int
    steps_w: int
    steps_y: int
    group_result: int
    tile_result: int
    panel: int
    few: int
    exponent_31: str = EXPONENT_31
    exponent_unit: str = EXPONENT_UNIT
    exponent_carry: str = EXPONENT_CARRY

    @property
    def main_loop(self) -> MainLoop:
        """That of the first function."""
        products = self.tile.rows * (self.panel if self.tile.in_output else len(self.tile.columns))
        turns = self.panel if self.tile.in_output else Q4_0.quants_bytes // WORD
        return MainLoop(0, products, turns if self.tile.in_output or self.tile.rolled else 1)

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
        return tuple(body for body in (self.tile, self.column, self.exact) if body)

    @property
    def refused(self) -> str:
        """The bits that n must not have: the sign, and those of no multiple of a block's elements."""
        return f"0x{0x80000000 | (self.block - 1):08x}"


def plan(spec: KernelSpec) -> MatrixPlan:
    """The numbers of a kernel; a pure function of its spec."""
    assert spec.tile is not None, "the spec has checked it"
    strategy = BY_NAME[spec.strategy]
    rows, columns = spec.tile
    record = record_of(spec)
    in_output, rolled = spec.totals is Totals.OUTPUT, spec.inner is Inner.ROLLED
    steps = _steps(strategy, record)
    groups = tuple(range(rows // GROUP_ROWS))

    def tile(rows_of: tuple[int, ...], columns_of: int, *, exact: bool = False) -> Body:
        many = tuple(range(columns_of))
        turned = rolled and not exact
        return Body(
            name=f"{'exact' if exact else 'tile'}_{len(rows_of) * GROUP_ROWS}x{columns_of}",
            rows=len(rows_of) * GROUP_ROWS,
            groups=rows_of,
            columns=many,
            steps=steps[:1] if turned else steps,
            rolled=turned,
            exact=exact,
            in_output=False,
            locals=tile_locals(strategy, rows_of, many, rolled=turned, exact=exact),
        )

    panel = Body(
        name=f"tile_{rows}",
        rows=rows,
        groups=groups,
        columns=(0,),
        steps=steps,
        rolled=False,
        exact=False,
        in_output=True,
        locals=panel_locals(strategy, groups, len(steps)),
    )
    return MatrixPlan(
        spec=spec,
        locals=(*ends("s", "vx", "vy"), *WALK),
        constants=constants_of(strategy),
        pages=1,
        record=record,
        tile=panel if in_output else tile(groups, columns),
        column=tile(groups, 1) if columns > 1 or in_output else None,
        exact=tile((0,), 1, exact=True),
        block=Q4_0.elements,
        group_bytes=GROUP_BYTES,
        group_rows=GROUP_ROWS,
        parts=tuple(range(strategy.parts)),
        step_w=steps[1].w - steps[0].w,
        step_y=steps[1].words[0].y - steps[0].words[0].y,
        steps_w=len(steps) * (steps[1].w - steps[0].w),
        steps_y=len(steps) * (steps[1].words[0].y - steps[0].words[0].y),
        group_result=GROUP_ROWS * RESULT,
        tile_result=rows * RESULT,
        panel=PANEL,
        few=FEW,
    )


def record_of(spec: KernelSpec) -> Record:
    """The records of activations that a kernel reads."""
    return Record(BY_NAME[spec.strategy].kind, spec.activations)


def _steps(strategy: MatrixMultiply, record: Record) -> tuple[Step, ...]:
    """Low nibbles meet the first half of the quants, high ones the second; but wide words go step by step."""
    count = Q4_0.quants_bytes // WORD
    found = []
    for j in range(count):
        wide = record.kind is Kind.WIDE
        words = [strategy.parts * j + part if wide else count * part + j for part in range(strategy.parts)]
        found.append(
            Step(
                index=j,
                w=GROUP_SCALES + GROUP_ROWS * WORD * j,
                words=tuple(
                    Word(record.quants_offset + record.word_bytes * word, part)
                    for part, word in enumerate(words)
                ),
            )
        )
    return tuple(found)
