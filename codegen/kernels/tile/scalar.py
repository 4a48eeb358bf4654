"""The function that multiplies without SIMD: four interleaved rows by a column, a weight at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.formats import Q4_0
from codegen.formats.layouts import GROUP_ROWS, GROUP_SCALES, WORD, Record
from codegen.kernels.tile.bodies import STEP_BYTES, Body, tile
from codegen.kernels.tile.strategies import MatrixMultiply
from codegen.spec.strategies import Local


@dataclass(frozen=True)
class ScalarRow:
    """One of four rows: its number, where its scale is in a block, and its result from the first one's."""

    lane: int
    scale: int
    result: int


@dataclass(frozen=True)
class Nibble:
    """A weight in a word of a row: how far up it stands, and where its activation is in a record."""

    shift: int
    y: int


@dataclass(frozen=True)
class ScalarStep:
    """Four bytes of each row: which, where in a block each row has them, and their weights."""

    first: int
    last: int
    rows: tuple[int, ...]
    nibbles: tuple[Nibble, ...]


@dataclass(frozen=True)
class ScalarBody(Body):
    """A function without SIMD."""

    scalar_rows: tuple[ScalarRow, ...]
    scalar_steps: tuple[ScalarStep, ...]


def body(strategy: MatrixMultiply, record: Record) -> ScalarBody:
    """The only one that such a kernel has; it is right for any scales."""
    like = replace(
        tile(strategy, record, GROUP_ROWS, 1),
        name=f"exact_{GROUP_ROWS}x1",
        template="scalar",
        exact=True,
        locals=_LOCALS,
    )
    return ScalarBody(
        **vars(like),
        scalar_rows=tuple(ScalarRow(lane, 2 * lane, 4 * lane) for lane in range(GROUP_ROWS)),
        scalar_steps=tuple(_step(record, first) for first in range(0, Q4_0.quants_bytes, WORD)),
    )


_LOCALS = (
    Local("end", "ptr", "where the activations end"),
    Local("a", "i32", "an activation"),
    Local("h", "i32", "a scale, moved to an f32's place"),
    Local("dy", "f32", "the column's scale"),
    *(Local(f"q{lane}", "i32", f"packed weights of row {lane}") for lane in range(GROUP_ROWS)),
    *(Local(f"sum{lane}", "i32", f"sum of a block, row {lane}") for lane in range(GROUP_ROWS)),
    *(Local(f"total{lane}", "f32", f"total, row {lane}") for lane in range(GROUP_ROWS)),
)


def _step(record: Record, first: int) -> ScalarStep:
    vector = GROUP_SCALES + STEP_BYTES * (first // WORD)
    low = record.quants_offset + first
    return ScalarStep(
        first,
        first + WORD - 1,
        rows=tuple(vector + WORD * lane for lane in range(GROUP_ROWS)),
        nibbles=tuple(
            Nibble(8 * k + half, low + k + (Q4_0.quants_bytes if half else 0))
            for k in range(WORD)
            for half in (0, 4)
        ),
    )
