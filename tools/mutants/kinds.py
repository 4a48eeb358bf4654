"""The kinds of faults that one instruction can have."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

_SIBLINGS = """shr_s shl, shr_u shl, shl shr_u, s u, u s, low high, high low, add sub, sub add, mul add, div mul,
 and or, or and, xor and, andnot and, eq ne, ne eq, ne lt_s, ne lt_u, lt le, le lt, lt gt, gt lt, gt ge, ge gt,
 min max, max min, pmin pmax, pmax pmin, trunc nearest, nearest trunc, abs neg, neg abs, copysign max"""
"""A part of an opcode's name, and what stands there in the name of a sibling. What is then no name, or of other types,
the assembler refuses. A disjoint `or` is an `xor` and an `add`, too: its sibling is `and`."""

_SIBLING_PARTS = [
    (re.compile(rf"(?<=[._]){part}(?=[_.]|$)"), other)
    for part, other in (pair.split() for pair in _SIBLINGS.split(","))
]

_ORDERED = re.compile(r"[if]\d+x\d+\.(relaxed_dot\w+|\w*swizzle|sub|narrow_\w+)$|v128\.andnot$")
"""Vector opcodes whose first two operands cannot change places."""

_LANES = {"i8x16": 16, "i16x8": 8, "i32x4": 4, "i64x2": 2, "f32x4": 4, "f64x2": 2}

_MOST_OPERANDS = 12
"""Operands of the functions that kernels call."""

_MOST_COUNT = 1 << 16
"""Larger constants are bit patterns, whose lowest bits often meet zeros only: one more makes no difference there."""


@dataclass(frozen=True)
class Place:
    """An instruction among those of its function."""

    instructions: Sequence[str]
    at: int

    @property
    def opcode(self) -> str:
        """Its name."""
        return self.instructions[self.at].split()[0]

    @property
    def immediates(self) -> str:
        """What stands after its name."""
        return self.instructions[self.at].partition(" ")[2]

    @property
    def lanes(self) -> str:
        """The latest instruction before it, in the same loop, that moves lanes; empty where there is none."""
        for one in reversed(self.instructions[: self.at]):
            if one == "loop":
                break
            if "shuffle" in one or "_lane" in one:
                return one
        return ""

    def near(self, offset: int) -> str:
        """An instruction before or after it; empty beyond the function's ends."""
        at = self.at + offset
        return self.instructions[at] if 0 <= at < len(self.instructions) else ""


def sibling(place: Place) -> Iterator[str]:
    """Another opcode of the same types."""
    for part, other in _SIBLING_PARTS:
        changed = part.sub(other, place.opcode)
        if changed != place.opcode and ".const" not in place.opcode:
            yield f"{changed} {place.immediates}"


def further(place: Place) -> Iterator[str]:
    """A load or store one byte further on. An alignment is a hint, and has no kind."""
    if ".load" in place.opcode or ".store" in place.opcode:
        found = re.search(r"offset=(\d+) ?", place.immediates)
        offset, rest = (
            (int(found[1]), place.immediates.replace(found[0], "")) if found else (0, place.immediates)
        )
        yield f"{place.opcode} offset={offset + 1} {rest}"


def constant(place: Place) -> Iterator[str]:
    """A number or one lane of a vector without its lowest bit, and a count that is one more: shifts and steps too."""
    match place.opcode:
        case "i32.const" | "i64.const":
            value = int(place.immediates)
            changed = {value & (value - 1) if value else 1}
            if abs(value) < _MOST_COUNT:
                changed.add(value + 1)
            yield from (f"{place.opcode} {new}" for new in sorted(changed))
        case "f32.const":
            (bits,) = struct.unpack("<I", struct.pack("<f", float.fromhex(place.immediates)))
            (value,) = struct.unpack("<f", struct.pack("<I", _without_lowest_bit(bits)))
            yield f"f32.const {'nan' if math.isnan(value) else value.hex()}"
        case "v128.const":
            _, *words = place.immediates.split()
            for lane, word in enumerate(words):
                changed_word = f"0x{_without_lowest_bit(int(word, 0)):08x}"
                yield f"v128.const i32x4 {' '.join((*words[:lane], changed_word, *words[lane + 1 :]))}"


def _without_lowest_bit(bits: int) -> int:
    """32 bits without the lowest one that is set; for 0 the bits of 2^127, which no sum of floats hides."""
    return bits & (bits - 1) if bits else 0x7F000000


def lane(place: Place) -> Iterator[str]:
    """The next lane, and for a shuffle the next 32 bits in one quarter of its result.

    A vector that is shuffled with itself is added to itself, until all its lanes hold the sum: just the first quarter
    counts.
    """
    if "_lane" in place.opcode and place.immediates.isdigit():
        count = _LANES[place.opcode.partition(".")[0]]
        yield f"{place.opcode} {(int(place.immediates) + 1) % count}"
    if place.opcode == "i8x16.shuffle":
        lanes = [int(each) for each in place.immediates.split()]
        alone = place.near(-1) == place.near(-2).replace("tee", "get")
        for first in (0,) if alone else range(0, 16, 4):
            moved = [(each + 4 * (first <= at < first + 4)) % 32 for at, each in enumerate(lanes)]
            yield f"{place.opcode} {' '.join(map(str, moved))}"


def branch(place: Place) -> Iterator[str]:
    """A branch taken where it should not be, and the other operand selected."""
    if place.opcode in ("if", "br_if", "select"):
        yield f"i32.eqz\n{place.instructions[place.at]}"


def exchanged(place: Place) -> Iterator[str]:
    """The first two operands in each other's place, by local variables {0}, {1} and {2}; a third operand stays."""
    if _ORDERED.match(place.opcode):
        exchange = "local.set {1}\nlocal.set {0}\nlocal.get {1}\nlocal.get {0}"
        if place.opcode.endswith("_add_s"):
            exchange = f"local.set {{2}}\n{exchange}\nlocal.get {{2}}"
        yield f"{exchange}\n{place.opcode}"


def left_out(place: Place) -> Iterator[str]:
    """A store, a call, or the change of a variable, that does not happen."""
    if ".store" in place.opcode:
        yield "drop\ndrop"
    if place.opcode == "call":
        for operands in range(1, _MOST_OPERANDS):  # the assembler refuses all but the right number
            yield "\n".join(["drop"] * operands)
            yield "\n".join((*["drop"] * operands, "i64.const 0"))
    if place.opcode == "local.set":
        yield "drop"


def stray(place: Place) -> Iterator[str]:
    """A byte that is read or written where a pointer has stepped to: past the last item after the last step.

    A step that another one follows before the next loop ends inside an item.
    """
    variable = place.immediates
    step = re.compile(rf"local\.get {variable}\|i32\.const \d+\|i32\.add\|local\.set {variable}")
    taken = "|".join(place.near(offset) for offset in (-3, -2, -1, 0))
    further = "|".join(takewhile(lambda one: one != "loop", place.instructions[place.at + 1 :]))
    if step.fullmatch(taken) and not step.search(further):
        here = f"local.set {variable}\nlocal.get {variable}"
        yield f"{here}\ni32.load8_u\ndrop"
        yield f"{here}\ni32.const 0\ni32.store8"


KINDS = (sibling, further, constant, lane, branch, exchanged, left_out, stray)
