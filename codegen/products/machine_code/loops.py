"""The main loop of a function's machine code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codegen.base.errors import MachineCodeError
from codegen.products.machine_code.disassembly import Instruction


def main_loop(name: str, instructions: Sequence[Instruction], wasm_loop: range) -> Sequence[Instruction]:
    """The machine instructions of a loop of the wasm module.

    A loop is what a backward jump jumps over. The one that is meant is the one with the most instructions that
    come from the wasm loop, and the fewest that come from elsewhere; the first of equals.

    Args:
        name: the kernel's, for messages.
        instructions: the whole function.
        wasm_loop: the loop's place in the module, in bytes.

    Raises:
        MachineCodeError: the code has no such loop, or capstone does not know all its instructions.
    """
    loops = list(_loops(instructions))
    if not loops:
        raise MachineCodeError(f"{name}: no loop in its machine code; try another --engine")
    found = max(loops, key=lambda loop: sum(_belongs(one.origin, wasm_loop) for one in loop))
    for one in found:
        if one.text is None:
            raise MachineCodeError(
                f"{name}: capstone knows no instruction at {one.at:#x}; pip install --upgrade capstone"
            )
    return found


def _loops(instructions: Sequence[Instruction]) -> Iterator[Sequence[Instruction]]:
    """Regions from a jump's target to the jump; the longest of those with the same target comes first."""
    index = {one.at: number for number, one in enumerate(instructions)}
    for last, jump in reversed(list(enumerate(instructions))):
        first = index.get(jump.target, len(index)) if jump.target is not None else len(index)
        if first <= last:
            region = instructions[first : last + 1]
            # What stands behind the function's end (a slow path, constants read as code) and jumps back is no loop.
            if not any(one.returns for one in region):
                yield region


def _belongs(origin: int | None, wasm_loop: range) -> int:
    return 0 if origin is None else 1 if origin in wasm_loop else -1
