"""What a kernel costs, counted in its assembled bytes: opcodes of the main loop, loads, multiplies, locals.

An opcode counts when it computes or touches memory: not `local.*`, `global.get`, constants or block structure.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.wasm_code import BLOCK, ELSE, END, IF, LOOP, SIMD, Opcode, exported_function, first_loop

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
class Cost:
    """The cost of one kernel; opcodes, loads and multiplies are those of the main loop, per 32 weights."""

    opcodes: float
    loads: float
    multiplies: float
    locals: int
    bytes: int


def cost(wasm: bytes, export: str, unroll: int) -> Cost:
    """Counts the first loop of an exported function.

    Args:
        wasm: the module.
        export: the function's export name.
        unroll: blocks of 32 weights per iteration of its first loop.

    Raises:
        AssembleError: the module has no such function or loop, or an instruction this decoder does not know.
    """
    counted = main_loop(wasm, export)
    return Cost(
        opcodes=len(counted) / unroll,
        loads=sum(map(is_load, counted)) / unroll,
        multiplies=sum(op in _MULTIPLIES for op in counted) / unroll,
        locals=exported_function(wasm, export).locals,
        bytes=len(wasm),
    )


def main_loop(wasm: bytes, export: str) -> list[Opcode]:
    """The opcodes that count in the first loop of an exported function, in order; errors as `cost`."""
    loop = first_loop(exported_function(wasm, export).instructions)
    return [instruction.opcode for instruction in loop if instruction.opcode not in _FREE]


def is_load(opcode: Opcode) -> bool:
    """Whether an opcode reads memory."""
    return opcode in _LOADS
