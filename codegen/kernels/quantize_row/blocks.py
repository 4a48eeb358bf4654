"""Where a quantiser reads its values and puts what it makes of them: offsets, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from codegen.formats import Q8_0
from codegen.spec.strategies import Isa

VALUE_BYTES = 4
"""Of an f32."""

ELEMENTS = Q8_0.elements
"""Values of a block."""

_VECTOR_BYTES = 16
_TOGETHER = 4


class Target(Protocol):
    """What a block of values becomes: a block of a format, or a record of prepared activations."""

    @property
    def bytes(self) -> int:
        """Of all of it."""

    @property
    def scale_offset(self) -> int:
        """Where the scale is."""

    @property
    def quants_offset(self) -> int:
        """Where the quants are."""


@dataclass(frozen=True)
class Value:
    """One value: its offset from $x, that of its quant from $y, and which of four running maxima takes it."""

    x: int
    y: int
    chain: int


@dataclass(frozen=True)
class Half:
    """Sixteen values: the offsets of four vectors from $x, and of their quants, and the upper eight, from $y."""

    x: tuple[int, ...]
    y: int
    y_upper: int


@dataclass(frozen=True)
class Block:
    """One block.

    Attributes:
        index: in a turn.
        lane: where its scale is in a vector of the group's.
        lanes: that lane, four times.
        half_lane: where its f16 scale is among i16 lanes.
        x: offset of its values from $x.
        x_end: where they end.
        y: offset of what it becomes from $y.
        y_scale: offset of the scale from $y.
        y_quants: offset of the quants.
        values: all 32, for scalar code.
        halves: the same for vectors.
    """

    index: int
    lane: int
    lanes: tuple[int, ...]
    half_lane: int
    x: int
    x_end: int
    y: int
    y_scale: int
    y_quants: int
    values: tuple[Value, ...]
    halves: tuple[Half, ...]

    @property
    def vectors(self) -> tuple[int, ...]:
        """Offsets of all its vectors from $x."""
        return tuple(offset for half in self.halves for offset in half.x)


def groups(isa: Isa, unroll: int, target: Target) -> tuple[tuple[Block, ...], ...]:
    """The blocks of a turn, in fours, then each alone; scalar code has no fours."""
    whole = 0 if isa is Isa.SCALAR else unroll // _TOGETHER * _TOGETHER
    fours = [
        tuple(block(start + lane, lane, target) for lane in range(_TOGETHER))
        for start in range(0, whole, _TOGETHER)
    ]
    return (*fours, *((block(index, 0, target),) for index in range(whole, unroll)))


def block(index: int, lane: int, target: Target) -> Block:
    """One block of a turn."""
    x_at, y_at = index * ELEMENTS * VALUE_BYTES, index * target.bytes
    quants = y_at + target.quants_offset
    per_half = ELEMENTS // 2
    return Block(
        index=index,
        lane=lane,
        lanes=(lane,) * 4,
        half_lane=2 * lane,
        x=x_at,
        x_end=x_at + ELEMENTS * VALUE_BYTES,
        y=y_at,
        y_scale=y_at + target.scale_offset,
        y_quants=quants,
        values=tuple(Value(x_at + VALUE_BYTES * i, quants + i, i % 4) for i in range(ELEMENTS)),
        halves=tuple(
            Half(
                tuple(x_at + VALUE_BYTES * per_half * half + _VECTOR_BYTES * i for i in range(4)),
                quants + per_half * half,
                quants + per_half * half + 8,
            )
            for half in range(2)
        ),
    )
