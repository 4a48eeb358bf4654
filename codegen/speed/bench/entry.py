"""A module to time, and all that an engine must know for it: its memory, its arguments, and what must come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.spec.options import Memory
from codegen.speed.bench.problem import F32_BYTES, U8, Problem

REPEAT = "repeat"
"""What a module that is timed exports (templates/lib/timed/): its first parameter says how often it does its work."""


@dataclass(frozen=True)
class Buffer:
    """A part of a module's memory.

    Attributes:
        name: what arguments call its address.
        bytes: how many.
        pattern: what it holds, again and again to its end; None where that does not matter.
    """

    name: str
    bytes: int
    pattern: U8 | None = None


@dataclass(frozen=True)
class Output:
    """What must be in a buffer afterwards, bit for bit.

    Attributes:
        buffer: its name. It is all of this: lines, one after the other.
        lines: how many.
        line: bytes of each.
        expected: bytes that each repeats to its end; so do the lines among themselves, where there are more.
        item: bytes that are told as one: 1, or those of an f32, whose bits are a whole.
        names: what a line and an item of it are called.
    """

    buffer: str
    lines: int
    line: int
    expected: tuple[bytes, ...]
    item: int = F32_BYTES
    names: tuple[str, str] = ("column", "row")

    def whole(self) -> U8:
        """All that must be there."""
        lines = [np.resize(np.frombuffer(one, np.uint8), self.line) for one in self.expected]
        return np.resize(np.concatenate(lines), self.lines * self.line)

    def difference(self, got: U8, wanted: U8) -> str | None:
        """The first item that is not what it must be, as in `row 3 is 0x00000001, not 0x00000000`."""
        if np.array_equal(got, wanted):
            return None
        item = int(np.flatnonzero(got != wanted)[0]) // self.item
        line, place = divmod(item, self.line // self.item)
        values = (
            int.from_bytes(data[item * self.item :][: self.item].tobytes(), "little")
            for data in (got, wanted)
        )
        found, right = (f"0x{value:0{2 * self.item}x}" for value in values)
        where = f"{self.names[0]} {line}, " if self.lines > 1 else ""
        return f"{where}{self.names[1]} {place} is {found}, not {right}"


@dataclass(frozen=True)
class Entry:
    """A module to time.

    Attributes:
        name: what it is called in results.
        isa: the feature that the engine must have for it.
        wasm: a module that exports REPEAT and has `memory`.
        buffers: what its memory has, from the first address that is the host's.
        arguments: of REPEAT after the first: numbers, and names of buffers for their addresses.
        units: products or rows that REPEAT does each time.
        output: what must come of it, or None where it means nothing.
        peer: the native function that does the same.
        memory: whose its memory is, and of what type.
    """

    name: str
    isa: str
    wasm: bytes
    buffers: tuple[Buffer, ...]
    arguments: tuple[int | str, ...]
    units: int
    output: Output | None = None
    peer: str | None = None
    memory: Memory = Memory.EXPORT


def product_output(problem: Problem, bits: npt.NDArray[np.uint32] | npt.NDArray[np.float32]) -> Output:
    """The matrix `s`, where each product has the bits of its distinct column and row, shape (columns, rows)."""
    lines = tuple(np.ascontiguousarray(line).view("<u4").tobytes() for line in bits)
    return Output("s", problem.columns, F32_BYTES * problem.rows, lines)


def product_buffers(problem: Problem, x: Buffer, y: Buffer) -> tuple[Buffer, ...]:
    """The result matrix `s`, weights and activations."""
    return Buffer("s", F32_BYTES * problem.units), x, y
