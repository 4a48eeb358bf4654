"""What a kernel costs, counted in its assembled bytes: opcodes of the main loop, loads, multiplies, locals.

A decoder of just the instructions that kernels use, by the binary format's rules for immediates
(https://webassembly.github.io/spec/core/binary/instructions.html); tests hold it against WABT's disassembler.
An opcode counts when it computes or touches memory: not `local.*`, `global.get`, constants or block structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.errors import AssembleError

SIMD = 0xFD
"""The prefix of SIMD opcodes, which are (SIMD, sub-opcode) here."""

RELAXED_DOTS = (0x112, 0x113)
"""i16x8.relaxed_dot_i8x16_i7x16_s and i32x4.relaxed_dot_i8x16_i7x16_add_s."""

_BLOCK, _LOOP, _IF, _ELSE, _END = 0x02, 0x03, 0x04, 0x05, 0x0B
_FREE = {_BLOCK, _LOOP, _IF, _ELSE, _END, 0x20, 0x21, 0x22, 0x23, 0x41, 0x42, 0x43, 0x44, (SIMD, 12)}

_LOADS = {*range(0x28, 0x36), *((SIMD, op) for op in (*range(11), *range(84, 88), 92, 93))}
_MULTIPLIES = {
    *(0x6C, 0x7E, 0x94, 0xA2),  # i32, i64, f32, f64
    *((SIMD, op) for op in (0x95, 0xB5, 0xD5, 0xE6, 0xF2)),  # i16x8, i32x4, i64x2, f32x4, f64x2
    *((SIMD, op) for op in (0xBA, *range(0x9C, 0xA0), *range(0xBC, 0xC0), *range(0xDC, 0xE0))),  # dot, extmul
    *((SIMD, op) for op in RELAXED_DOTS),  # relaxed dots
}

Opcode = int | tuple[int, int]


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
        locals=_Reader(_body(wasm, export)).local_count(),
        bytes=len(wasm),
    )


def main_loop(wasm: bytes, export: str) -> list[Opcode]:
    """The opcodes that count in the first loop of an exported function, in order; errors as `cost`."""
    body = _Reader(_body(wasm, export))
    body.local_count()
    return [op for op in _first_loop(_instructions(body)) if op not in _FREE]


def is_load(opcode: Opcode) -> bool:
    """Whether an opcode reads memory."""
    return opcode in _LOADS


def opcodes(wasm: bytes) -> set[Opcode]:
    """Every opcode that any function of a module has."""
    found: set[Opcode] = set()
    for code in _sections(wasm).bodies:
        reader = _Reader(code)
        reader.local_count()
        found.update(_instructions(reader))
    return found


class _Reader:
    """A cursor over wasm bytes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def done(self) -> bool:
        return self.at >= len(self.data)

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise AssembleError("wasm module: ends in the middle of an item; assemble it again")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def unsigned(self) -> int:
        """LEB128; a signed one is as long, so this skips those too."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def name(self) -> str:
        return self.take(self.unsigned()).decode()

    def local_count(self) -> int:
        total = 0
        for _ in range(self.unsigned()):
            total += self.unsigned()
            self.byte()
        return total


@dataclass(frozen=True)
class _Sections:
    """What of a module matters here: functions imported, indices of functions exported, and the code of the others."""

    imported: int
    exported: dict[str, int]
    bodies: list[bytes]


def _sections(wasm: bytes) -> _Sections:
    reader = _Reader(wasm[8:])
    imported, exported, bodies = 0, {}, []
    while not reader.done:
        section, payload = reader.byte(), _Reader(reader.take(reader.unsigned()))
        if section == 2:
            imported = _imported_functions(payload)
        elif section == 7:
            exported = _exported_functions(payload)
        elif section == 10:
            bodies = [payload.take(payload.unsigned()) for _ in range(payload.unsigned())]
    return _Sections(imported, exported, bodies)


def _body(wasm: bytes, export: str) -> bytes:
    """The code of an exported function."""
    sections = _sections(wasm)
    index = sections.exported.get(export, -1) - sections.imported
    if not 0 <= index < len(sections.bodies):
        raise AssembleError(f"wasm module: exports no function {export!r}")
    return sections.bodies[index]


def _imported_functions(section: _Reader) -> int:
    functions = 0
    for _ in range(section.unsigned()):
        section.name(), section.name()
        kind = section.byte()
        if kind == 0:
            functions += 1
            section.unsigned()
        elif kind == 2:
            limits = section.byte()
            section.unsigned()
            if limits & 1:
                section.unsigned()
        elif kind == 3:
            section.take(2)
        else:
            raise AssembleError(f"wasm module: import kind {kind} is none that kernels have")
    return functions


def _exported_functions(section: _Reader) -> dict[str, int]:
    found = {}
    for _ in range(section.unsigned()):
        name, kind, index = section.name(), section.byte(), section.unsigned()
        if kind == 0:
            found[name] = index
    return found


def _instructions(code: _Reader) -> Iterator[Opcode]:
    """Every opcode of a function body, its immediates skipped."""
    while not code.done:
        op = code.byte()
        if op == SIMD:
            sub = code.unsigned()
            _skip_simd_immediates(code, sub)
            yield (SIMD, sub)
            continue
        if op in (_BLOCK, _LOOP, _IF, 0x0C, 0x0D, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3F, 0x40, 0x41, 0x42):
            code.unsigned()  # block type, label, function, local, global, memory or LEB constant
        elif 0x28 <= op <= 0x3E:
            code.unsigned(), code.unsigned()  # alignment, offset
        elif op in (0x43, 0x44):
            code.take(4 if op == 0x43 else 8)
        elif not (op in (0x00, 0x01, _ELSE, _END, 0x0F, 0x1A, 0x1B) or 0x45 <= op <= 0xC4):
            raise AssembleError(f"wasm module: opcode 0x{op:02x} is none that kernels have")
        yield op


def _skip_simd_immediates(code: _Reader, sub: int) -> None:
    if sub <= 11 or 84 <= sub <= 93:
        code.unsigned(), code.unsigned()
    if sub in (12, 13):
        code.take(16)
    if 21 <= sub <= 34 or 84 <= sub <= 91:
        code.byte()


def _first_loop(instructions: Iterator[Opcode]) -> Iterator[Opcode]:
    depth = 0
    for op in instructions:
        if depth or op == _LOOP:
            yield op
            depth += op in (_BLOCK, _LOOP, _IF)
            depth -= op == _END
            if not depth:
                return
    raise AssembleError("wasm module: the kernel has no loop")
