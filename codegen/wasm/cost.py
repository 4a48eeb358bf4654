"""What a kernel costs, counted in its assembled bytes: opcodes of the main loop, loads, multiplies, locals.

An opcode counts when it computes or touches memory: not `local.*`, `global.get`, constants or block structure.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.wasm.code import BLOCK, ELSE, END, IF, LOOP, SIMD, Opcode, first_loop
from codegen.wasm.code import function as function_of

RELAXED_DOTS = (0x112, 0x113)
"""i16x8.relaxed_dot_i8x16_i7x16_s and i32x4.relaxed_dot_i8x16_i7x16_add_s."""

RELAXED_TRUNC = 0x101
"""i32x4.relaxed_trunc_f32x4_s."""

_FREE = {BLOCK, LOOP, IF, ELSE, END, 0x20, 0x21, 0x22, 0x23, 0x41, 0x42, 0x43, 0x44, (SIMD, 12)}

_LOADS = {*range(0x28, 0x36), *((SIMD, op) for op in (*range(11), *range(84, 88), 92, 93))}
_MULTIPLIES = {
    *(0x6C, 0x7E, 0x94, 0xA2),  # i32, i64, f32, f64
    *((SIMD, op) for op in (0x95, 0xB5, 0xD5, 0xE6, 0xF2)),  # i16x8, i32x4, i64x2, f32x4, f64x2
    *((SIMD, op) for op in (0xBA, *range(0x9C, 0xA0), *range(0xBC, 0xC0), *range(0xDC, 0xE0))),  # dot, extmul
    *((SIMD, op) for op in RELAXED_DOTS),  # relaxed dots
}


@dataclass(frozen=True)
class MainLoop:
    """Where a kernel spends its time: the first loop of a function.

    Attributes:
        function: the name that it is exported by, or its number among the module's own.
        blocks: how many products of 32 weights, or blocks of 32 values, a turn makes.
        inner: turns of a loop inside, where there is one.
    """

    function: str | int
    blocks: int
    inner: int = 1


@dataclass(frozen=True)
class Cost:
    """The cost of one kernel; opcodes, loads and multiplies are those of the main loop, per 32 weights."""

    opcodes: float
    loads: float
    multiplies: float
    locals: int
    bytes: int


def cost(wasm: bytes, main: MainLoop) -> Cost:
    """Counts the main loop of a module.

    Raises:
        AssembleError: the module has no such function or loop, or an instruction this decoder does not know.
    """
    counted = main_loop(wasm, main)
    return Cost(
        opcodes=len(counted) / main.blocks,
        loads=sum(map(is_load, counted)) / main.blocks,
        multiplies=sum(op in _MULTIPLIES for op in counted) / main.blocks,
        locals=function_of(wasm, main.function).locals,
        bytes=len(wasm),
    )


def main_loop(wasm: bytes, main: MainLoop) -> list[Opcode]:
    """The opcodes that count in a turn, those of an inner loop as often as it turns; errors as `cost`."""
    found: list[Opcode] = []
    depth = 0  # of blocks within the inner loop
    for instruction in first_loop(function_of(wasm, main.function).instructions)[1:]:
        if depth or instruction.opcode == LOOP:
            depth += instruction.opcode in (BLOCK, LOOP, IF)
            depth -= instruction.opcode == END
        if instruction.opcode not in _FREE:
            found += [instruction.opcode] * (main.inner if depth else 1)
    return found


def is_load(opcode: Opcode) -> bool:
    """Whether an opcode reads memory."""
    return opcode in _LOADS
