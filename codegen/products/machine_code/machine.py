"""The machine code of one function, whichever engine made it."""

from __future__ import annotations

import platform
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from codegen.base.errors import MachineCodeError


class Compiler(StrEnum):
    """An engine whose machine code can be had."""

    WASMTIME = "wasmtime"
    NODE = "node"


class Machine(StrEnum):
    """What the code is for."""

    X86_64 = "x86-64"
    AARCH64 = "AArch64"


_MACHINES = {
    "x86_64": Machine.X86_64,
    "amd64": Machine.X86_64,
    "aarch64": Machine.AARCH64,
    "arm64": Machine.AARCH64,
}


def this_machine() -> Machine:
    """The machine that this runs on.

    Raises:
        MachineCodeError: it is neither of the two.
    """
    name = platform.machine()
    if name.lower() not in _MACHINES:
        raise MachineCodeError(f"{name}: its machine code is not read; use an x86-64 or an AArch64 machine")
    return _MACHINES[name.lower()]


@dataclass(frozen=True)
class Code:
    """The machine code of a function.

    Attributes:
        machine: what it is for.
        made_by: the engine, its version and the features it was allowed, for people.
        data: the bytes, from the function's first instruction; constants may follow the last.
        origins: pairs (offset in data, offset in the wasm module or None where it is not known), ascending; each
            holds up to the next pair.
        complete: whether origins are of all instructions, and not just of those that may trap.
    """

    machine: Machine
    made_by: str
    data: bytes
    origins: Sequence[tuple[int, int | None]]
    complete: bool

    def origin(self, offset: int) -> int | None:
        """Where in the wasm module the machine instruction at this offset comes from, if that is known."""
        at = bisect_right(self.origins, offset, key=lambda pair: pair[0])
        return self.origins[at - 1][1] if at else None
