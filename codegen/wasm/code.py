"""The code section of an assembled kernel: its functions, their instructions, and where in the module each stands.

A decoder of just the instructions that kernels use, by the binary format's rules for immediates
(https://webassembly.github.io/spec/core/binary/instructions.html); tests hold it against WABT's disassembler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codegen.base.errors import AssembleError

SIMD, SATURATING = 0xFD, 0xFC
"""Prefixes of opcodes, which are (prefix, sub-opcode) here: of SIMD, and of truncations that saturate."""

BLOCK, LOOP, IF, ELSE, END = 0x02, 0x03, 0x04, 0x05, 0x0B
"""The opcodes of block structure."""

Opcode = int | tuple[int, int]


@dataclass(frozen=True)
class Instruction:
    """One instruction of a function.

    Attributes:
        at: bytes from the start of the module to its opcode.
        opcode: what it is, immediates left out.
    """

    at: int
    opcode: Opcode


@dataclass(frozen=True)
class Function:
    """A function of a module.

    Attributes:
        index: among all functions of the module, imported ones first.
        start: bytes from the start of the module to its body, which begins with the locals.
        locals: how many it has besides parameters.
        instructions: all of them; the last is its `end`.
    """

    index: int
    start: int
    locals: int
    instructions: tuple[Instruction, ...]


def function(wasm: bytes, which: str | int) -> Function:
    """The function that a module exports under a name, or its own one of this number, the first being 0.

    Raises:
        AssembleError: there is none, or it has an instruction that this decoder does not know.
    """
    sections = _sections(wasm)
    index = sections.exported.get(which, -1) if isinstance(which, str) else sections.imported + which
    if not 0 <= index - sections.imported < len(sections.bodies):
        raise AssembleError(f"wasm module: has no function {which!r}")
    body = sections.bodies[index - sections.imported]
    start = body.at
    local_count = body.local_count()
    return Function(index, start, local_count, tuple(_instructions(body)))


def first_loop(instructions: Sequence[Instruction]) -> Sequence[Instruction]:
    """The first loop of a function, from its `loop` to its `end`: the main loop of a kernel.

    Raises:
        AssembleError: there is none.
    """
    depth, start = 0, None
    for at, instruction in enumerate(instructions):
        if start is None and instruction.opcode == LOOP:
            start = at
        if start is not None:
            depth += instruction.opcode in (BLOCK, LOOP, IF)
            depth -= instruction.opcode == END
            if not depth:
                return instructions[start : at + 1]
    raise AssembleError("wasm module: the kernel has no loop")


def opcodes(wasm: bytes) -> set[Opcode]:
    """Every opcode that any function of a module has."""
    found: set[Opcode] = set()
    for body in _sections(wasm).bodies:
        body.local_count()
        found.update(instruction.opcode for instruction in _instructions(body))
    return found


class _Reader:
    """A cursor over a part of a module."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    @property
    def done(self) -> bool:
        return self.at >= self.end

    def take(self, count: int) -> bytes:
        if self.at + count > self.end:
            raise AssembleError("wasm module: ends in the middle of an item; assemble it again")
        self.at += count
        return self.data[self.at - count : self.at]

    def part(self) -> _Reader:
        """The next item that begins with its size."""
        size = self.unsigned()
        self.take(size)
        return _Reader(self.data, self.at - size, self.at)

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
    bodies: list[_Reader]


def _sections(wasm: bytes) -> _Sections:
    reader = _Reader(wasm, 8, len(wasm))
    imported, exported, bodies = 0, {}, []
    while not reader.done:
        section, payload = reader.byte(), reader.part()
        if section == 2:
            imported = _imported_functions(payload)
        elif section == 7:
            exported = _exported_functions(payload)
        elif section == 10:
            bodies = [payload.part() for _ in range(payload.unsigned())]
    return _Sections(imported, exported, bodies)


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


def _instructions(code: _Reader) -> Iterator[Instruction]:
    """Every instruction of a function body, its immediates skipped."""
    while not code.done:
        at = code.at
        op = code.byte()
        if op == SIMD:
            sub = code.unsigned()
            _skip_simd_immediates(code, sub)
            yield Instruction(at, (SIMD, sub))
            continue
        if op == SATURATING:
            sub = code.unsigned()
            if sub > 7:
                raise AssembleError(f"wasm module: opcode 0xfc 0x{sub:x} is none that kernels have")
            yield Instruction(at, (SATURATING, sub))
            continue
        if op in (BLOCK, LOOP, IF, 0x0C, 0x0D, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3F, 0x40, 0x41, 0x42):
            code.unsigned()  # block type, label, function, local, global, memory or LEB constant
        elif 0x28 <= op <= 0x3E:
            code.unsigned(), code.unsigned()  # alignment, offset
        elif op in (0x43, 0x44):
            code.take(4 if op == 0x43 else 8)
        elif not (op in (0x00, 0x01, ELSE, END, 0x0F, 0x1A, 0x1B) or 0x45 <= op <= 0xC4):
            raise AssembleError(f"wasm module: opcode 0x{op:02x} is none that kernels have")
        yield Instruction(at, op)


def _skip_simd_immediates(code: _Reader, sub: int) -> None:
    if sub <= 11 or 84 <= sub <= 93:
        code.unsigned(), code.unsigned()
    if sub in (12, 13):
        code.take(16)
    if 21 <= sub <= 34 or 84 <= sub <= 91:
        code.byte()
