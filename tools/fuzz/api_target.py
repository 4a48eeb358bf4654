"""Calls from Python with anything for an argument: refused by name, or the result is right.

Also the memory that blocks are put in: no part of it is handed out twice, and none that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from codegen.base.errors import CannotRunError, KernelCallError
from codegen.kernels.plan import PAGE
from codegen.runtime.arena import Arena
from codegen.runtime.host import EngineOptions, engine
from codegen.runtime.linear_memory import WASM32_BYTES, LinearMemory
from codegen.wasm.wasmtime_library import wasmtime
from tools.fuzz.api_kernels import call_rightly, call_wrongly, right_call, wrong_call
from tools.fuzz.api_specs import make_spec, parse, spec_fields, spec_name
from tools.fuzz.target import Target, expect, refused


@dataclass(frozen=True)
class Call:
    """What to call, and with what."""

    what: str
    arguments: tuple[Any, ...]


class APITarget(Target[Call]):
    """KernelSpec, Kernel and Arena."""

    name, share, limit_s = "api", 2, 20

    def __init__(self, folder: Path) -> None:
        del folder  # nothing here writes files

    def draw(self, random: Random) -> Call:
        """Something to call, with arguments."""
        what = random.choice(tuple(_CALLS))
        return Call(what, _CALLS[what][0](random))

    def check(self, case: Call) -> Sequence[str]:
        """Calls it."""
        return (_CALLS[case.what][1](*case.arguments),)

    def save(self, case: Call) -> tuple[str, bytes]:
        """The call, as Python shows it."""
        return ".txt", f"{case.what}{case.arguments!r}\n".encode(errors="backslashreplace")


def demands(random: Random) -> tuple[list[tuple[int, int] | None]]:
    """Sizes that an arena is asked for, with residues; None gives everything back."""
    drawn: list[tuple[int, int] | None] = []
    for _ in range(random.randint(1, 20)):
        kind, residue = random.randrange(20), random.choice((0, 0, random.randrange(64)))
        if kind == 0:
            drawn.append(None)
        elif kind == 1:
            drawn.append((random.choice((1 << 31, WASM32_BYTES - 64, WASM32_BYTES, 1 << 70)), residue))
        else:
            drawn.append((random.choice((0, 1, 18, 63, 64, random.randint(0, 3 * PAGE))), residue))
    return (drawn,)


def serve(demands: Sequence[tuple[int, int] | None]) -> str:
    """Each part handed out is in memory and in no other; one that is refused changes nothing after a reset."""
    store = wasmtime.Store(engine(EngineOptions()))
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(0, None)))
    arena = Arena(LinearMemory(store, memory))
    taken: list[tuple[int, int]] = []
    for demand in demands:
        try:
            address = arena.allocate(*demand) if demand else None
        except (KernelCallError, CannotRunError) as error:
            refused(error)
            address = None
        if demand is None or address is None:
            arena.reset()
            taken.clear()
            continue
        end = address + demand[0]
        expect(address >= 0 and end <= arena.end <= WASM32_BYTES, "out of range", f"{address} to {end}")
        expect(address % 64 == demand[1], "residue", f"{address}, {demand}")
        expect(
            all(end <= start or stop <= address for start, stop in taken), "overlap", f"{address}, {taken}"
        )
        if end > address:
            taken.append((address, end))
    return "served"


_CALLS: dict[str, tuple[Callable[[Random], tuple[Any, ...]], Callable[..., str]]] = {
    "KernelSpec": (spec_fields, make_spec),
    "KernelSpec.parse": (spec_name, parse),
    "Kernel with wrong arguments": (wrong_call, call_wrongly),
    "Kernel": (right_call, call_rightly),
    "Arena": (demands, serve),
}
