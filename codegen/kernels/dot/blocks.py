"""The offsets of the blocks that an iteration multiplies: of their parts, and for scalar code of every weight."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats import Format
from codegen.formats.codes import Plane


@dataclass(frozen=True)
class Nibble:
    """One weight of the scalar kernel: how far left it moves to reach the top of its word, and its partner."""

    left: int
    half: str
    y: int


@dataclass(frozen=True)
class Word:
    """Eight packed weights of the scalar kernel."""

    x: int
    nibbles: tuple[Nibble, ...]


@dataclass(frozen=True)
class Half:
    """Eight activations of one nibble half: where they are, and how far up in a lane the even and odd weights stand."""

    y: int
    even: int
    odd: int


@dataclass(frozen=True)
class Packed:
    """Sixteen packed weights of the SWAR kernel, and the activations of their low and high nibbles."""

    x: int
    halves: tuple[Half, ...]


@dataclass(frozen=True)
class CodePart:
    """Some bits of a code: the byte that has them, and how they move from there to their place in the code."""

    x: int
    right: int
    mask: int
    left: int


@dataclass(frozen=True)
class Element:
    """One weight of the plain scalar kernel, in parts, the lowest bits first, and its activation."""

    parts: tuple[CodePart, ...]
    y: int


@dataclass(frozen=True)
class Block:
    """Byte offsets of one block's parts from the pointers $x and $y."""

    index: int
    x_scale: int
    x_quants: int
    x_second: int
    x_planes: tuple[int, ...]
    y_scale: int
    y_low: int
    y_low_second: int
    y_high: int
    y_high_second: int
    y_low_before: int
    y_high_before: int
    words: tuple[Word, ...]
    packed: tuple[Packed, ...]
    elements: tuple[Element, ...]


def block(index: int, x: Format, y: Format) -> Block:
    """The offsets of one block of an iteration."""
    x_at, y_at = index * x.bytes, index * y.bytes
    low = y_at + y.quants_offset
    high = low + y.quants_bytes // 2
    return Block(
        index=index,
        x_scale=x_at + x.scale_offset,
        x_quants=x_at + x.quants_offset,
        x_second=x_at + x.quants_offset + x.quants_bytes // 2,
        x_planes=tuple(x_at + plane.at for plane in x.codes.planes),
        y_scale=y_at + y.scale_offset,
        y_low=low,
        y_low_second=low + 8,
        y_high=high,
        y_high_second=high + 8,
        y_low_before=low - 1,
        y_high_before=high - 1,
        words=tuple(_word(x_at + x.quants_offset, low, high, byte) for byte in range(0, x.quants_bytes, 4)),
        packed=tuple(
            Packed(x_at + x.quants_offset + byte, (Half(low + byte, 0, 8), Half(high + byte, 4, 12)))
            for byte in range(0, x.quants_bytes, 8)
        ),
        elements=tuple(_element(x, x_at, code, low + code) for code in range(x.elements)),
    )


def _element(x: Format, x_at: int, code: int, y: int) -> Element:
    parts = []
    for placed in x.codes.placed:
        plane = placed.plane
        assert isinstance(plane, Plane)
        run, within = divmod(code, plane.run * plane.per_byte)
        place, byte = divmod(within, plane.run)
        parts.append(
            CodePart(
                x_at + plane.at + run * plane.run + byte,
                plane.places[place],
                (1 << plane.bits) - 1,
                placed.low,
            )
        )
    return Element(tuple(parts), y)


def _word(x_at: int, low: int, high: int, byte: int) -> Word:
    nibbles = []
    for k in range(4):
        nibbles.append(Nibble(left=28 - 8 * k, half="low", y=low + byte + k))
        nibbles.append(Nibble(left=24 - 8 * k, half="high", y=high + byte + k))
    return Word(x=x_at + byte, nibbles=tuple(nibbles))
