"""The functions of a matrix kernel that multiply: what tile each one does, where its operands are, and its locals."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.formats import Q4_0
from codegen.layouts import GROUP_ROWS, GROUP_SCALES, WORD, Record
from codegen.ops.gemm.local_variables import panel_locals, row_locals, tile_locals
from codegen.ops.gemm.strategies import SCALE_BITS, MatrixMultiply
from codegen.strategies import Constant, Local

RESULT = 4
"""Bytes of an f32."""

STEP_BYTES = GROUP_ROWS * WORD
"""Of a step's weights: a vector."""


@dataclass(frozen=True)
class Word:
    """One word of activations: its offset in a record, and the part of the weights that it multiplies."""

    y: int
    part: int


@dataclass(frozen=True)
class Step:
    """Four bytes of each row of a group: which, where they are in a block, and the activations that they meet."""

    index: int
    first: int
    last: int
    w: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Row:
    """One row of weights that is not interleaved.

    Attributes:
        number: in a tile.
        before: the row whose place its own is reckoned from: the one before, or the first of the group before.
        lane: its place among four.
    """

    number: int
    before: int
    lane: int


@dataclass(frozen=True)
class Group:
    """Four rows, which lie together.

    Attributes:
        index: their number in a tile.
        before: that of the group before.
        result: bytes from the tile's first result, where groups are neighbours.
        rows: each one, for rows that are not interleaved.
    """

    index: int
    before: int
    result: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Column:
    """A column of a tile: its number, and the one before."""

    index: int
    before: int


@dataclass(frozen=True)
class Body:
    """One function that multiplies a tile.

    Attributes:
        name: the function's.
        template: where its text is, in templates/lib/matrix/.
        rows: of the tile.
        groups: of 4 rows each.
        columns: of the tile.
        steps: of a block; the first alone where `rolled`.
        rolled: whether the steps are a loop.
        exact: whether scales may be infinite or NaN.
        in_output: whether totals are kept in the output, and all columns of a panel go by.
        locals: of the function, but its parameters.
    """

    name: str
    template: str
    rows: int
    groups: tuple[Group, ...]
    columns: tuple[Column, ...]
    steps: tuple[Step, ...]
    rolled: bool
    exact: bool
    in_output: bool
    locals: tuple[Local, ...]

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """Those of all groups."""
        return tuple(row for group in self.groups for row in group.rows)


def tile(strategy: MatrixMultiply, record: Record, rows: int, columns: int, *, rolled: bool = False) -> Body:
    """Interleaved rows by some columns, totals in registers."""
    steps, groups, many = (
        _steps(strategy, record),
        _groups(rows),
        tuple(Column(c, c - 1) for c in range(columns)),
    )
    return Body(
        name=f"tile_{rows}x{columns}",
        template="tile",
        rows=rows,
        groups=groups,
        columns=many,
        steps=steps[:1] if rolled else steps,
        rolled=rolled,
        exact=False,
        in_output=False,
        locals=tile_locals(strategy, len(groups), columns, rolled=rolled, exact=False),
    )


def panel(strategy: MatrixMultiply, record: Record, rows: int) -> Body:
    """Interleaved rows by all columns of a panel, totals in the output."""
    steps, groups = _steps(strategy, record), _groups(rows)
    return replace(
        tile(strategy, record, rows, 1),
        name=f"tile_{rows}",
        template="panel",
        steps=steps,
        in_output=True,
        locals=panel_locals(strategy, len(groups), len(steps)),
    )


def plain(strategy: MatrixMultiply, record: Record, rows: int) -> Body:
    """Rows as GGML has them by a column: each has all its bytes in one vector, and meets a vector of words a part."""
    groups = _groups(rows)
    vector = record.quant_words * WORD // strategy.parts
    words = tuple(Word(record.quants_offset + vector * part, part) for part in range(strategy.parts))
    return replace(
        tile(strategy, record, rows, 1),
        template="rows",
        steps=(Step(0, 0, Q4_0.quants_bytes - 1, Q4_0.quants_offset, words),),
        locals=row_locals(strategy, len(groups), exact=False),
    )


def exact(strategy: MatrixMultiply, body: Body) -> Body:
    """The same for any scales, of 4 rows and a column."""
    names = (
        row_locals(strategy, len(body.groups), exact=True)
        if body.template == "rows"
        else tile_locals(strategy, len(body.groups), len(body.columns), rolled=False, exact=True)
    )
    return replace(body, name=f"exact_{body.rows}x1", exact=True, locals=names)


def constants_of(strategy: MatrixMultiply, body: Body) -> tuple[Constant, ...]:
    """The vectors that its functions keep in locals: interleaved scales are converted in vectors."""
    return (*strategy.constants, SCALE_BITS) if body.template in ("tile", "panel") else strategy.constants


def _groups(rows: int) -> tuple[Group, ...]:
    return tuple(_group(index) for index in range(rows // GROUP_ROWS))


def _group(index: int) -> Group:
    first = GROUP_ROWS * index
    leading = Row(first, first - GROUP_ROWS, 0)
    others = (Row(first + lane, first + lane - 1, lane) for lane in range(1, GROUP_ROWS))
    return Group(index, index - 1, RESULT * first, (leading, *others))


def _steps(strategy: MatrixMultiply, record: Record) -> tuple[Step, ...]:
    """A part of the weights meets its words one after the other, as a row's bytes stand."""
    count = Q4_0.quants_bytes // WORD
    found = []
    for j in range(count):
        words = [count * part + j for part in range(strategy.parts)]
        found.append(
            Step(
                index=j,
                first=WORD * j,
                last=WORD * j + WORD - 1,
                w=GROUP_SCALES + STEP_BYTES * j,
                words=tuple(
                    Word(record.quants_offset + record.word_bytes * word, part)
                    for part, word in enumerate(words)
                ),
            )
        )
    return tuple(found)
