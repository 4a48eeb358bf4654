"""How much of what the main loop of a kernel's machine code has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from codegen.products.machine_code.disassembly import Instruction


@dataclass(frozen=True)
class Counts:
    """What one turn of a loop executes.

    Attributes:
        instructions: all of them.
        vector: those on vector registers, also on one float in them, but for plain loads and stores.
        loads: those that read memory, be it an operand of something else, a constant or a spilled value.
        spills: those that write a value to the stack's frame or read one from there.
        multiplies: those that multiply.
        multipliers: the mnemonics of the latter, with how often.
    """

    instructions: int
    vector: int
    loads: int
    spills: int
    multiplies: int
    multipliers: Counter[str]


def count(loop: Sequence[Instruction]) -> Counts:
    """Counts the instructions of a loop."""
    return Counts(
        instructions=len(loop),
        vector=sum(one.vector for one in loop),
        loads=sum(one.loads for one in loop),
        spills=sum(one.spills for one in loop),
        multiplies=sum(one.multiplies for one in loop),
        multipliers=Counter((one.text or "").split()[0] for one in loop if one.multiplies),
    )
