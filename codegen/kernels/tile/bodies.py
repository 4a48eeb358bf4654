"""The functions of a matrix kernel that multiply: what tile each one does, where its operands are, and its locals."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.formats import Q4_0
from codegen.formats.layouts import GROUP_ROWS, GROUP_SCALES, WORD, Record
from codegen.kernels.tile.local_variables import panel_locals, tile_locals
from codegen.kernels.tile.strategies import SCALE_BITS, MatrixMultiply
from codegen.spec.strategies import Constant, Local

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
class Group:
    """Four rows, which lie together.

    Attributes:
        index: their number in a tile.
        before: that of the group before.
        result: bytes from the tile's first result, where groups are neighbours.
    """

    index: int
    before: int
    result: int


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


def exact(strategy: MatrixMultiply, record: Record) -> Body:
    """Four interleaved rows by a column, for any scales."""
    return replace(
        tile(strategy, record, GROUP_ROWS, 1),
        name=f"exact_{GROUP_ROWS}x1",
        exact=True,
        locals=tile_locals(strategy, 1, 1, rolled=False, exact=True),
    )


def constants_of(strategy: MatrixMultiply, body: Body) -> tuple[Constant, ...]:
    """The vectors that its functions keep in locals."""
    return () if body.template == "scalar" else (*strategy.constants, SCALE_BITS)


def _groups(rows: int) -> tuple[Group, ...]:
    return tuple(Group(index, index - 1, RESULT * GROUP_ROWS * index) for index in range(rows // GROUP_ROWS))


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
