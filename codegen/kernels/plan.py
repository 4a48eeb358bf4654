"""From a spec to numbers: what every kernel's plan has, and where the plan of each operation is made.

A template has no arithmetic. What it needs to know stands in the Plan, so that a fault in a number has one
place to be in.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats import FORMATS, Format
from codegen.formats.layouts import Record
from codegen.formats.words import layout
from codegen.kernels.spec import KernelSpec
from codegen.spec.options import Memory
from codegen.spec.strategies import Constant, Isa, Local
from codegen.wasm.cost import MainLoop

PAGE = 65_536
WASM32_PAGES = 65_536
"""What a 32-bit memory can have."""

OWN_PAGES = 1
"""What a kernel that exports its memory starts with; its host grows it."""

_NEEDS = {Isa.SCALAR: (), Isa.SIMD128: ("SIMD",), Isa.RELAXED: ("SIMD", "relaxed SIMD")}
_MEMORY_NEEDS = {Memory.SHARED: ("threads",), Memory.MEMORY64: ("64-bit memory",)}


@dataclass(frozen=True)
class Plan:
    """The numbers that any kernel has; each operation adds its own in codegen/kernels/."""

    spec: KernelSpec
    locals: tuple[Local, ...]
    constants: tuple[Constant, ...]

    @property
    def formats(self) -> tuple[Format, ...]:
        """How each operand lies in memory."""
        return tuple(FORMATS[name] for name in self.spec.operands)

    @property
    def main_loop(self) -> MainLoop:
        """Where it spends its time."""
        return MainLoop(self.spec.export, self.spec.unroll)

    def loops(self, columns: int) -> tuple[tuple[MainLoop, int], ...]:
        """Where it spends its time with so many columns of activations: loops, and the columns that each does."""
        return ((self.main_loop, columns),)

    @property
    def layouts(self) -> tuple[tuple[str, str], ...]:
        """Its operands and how they lie in memory, for people."""
        return tuple((f"{one.name}, {one.bytes} bytes", layout(one)) for one in self.formats)

    @property
    def reserved(self) -> Record | None:
        """The record of activations that callers reserve memory for; None where they need GGML's formats only."""
        return None

    @property
    def imports_memory(self) -> bool:
        """Whether the host owns the memory."""
        return self.spec.memory is not Memory.EXPORT

    @property
    def memory_type(self) -> str:
        """What memory it has, as a module declares it; threads can share a bounded one only."""
        types = {Memory.SHARED: f"0 {WASM32_PAGES} shared", Memory.MEMORY64: "i64 0", Memory.IMPORT: "0"}
        return types.get(self.spec.memory, str(OWN_PAGES))

    @property
    def memory_by(self) -> str:
        """Whose its memory is, and what is special about it."""
        words = {Memory.SHARED: "shared import", Memory.MEMORY64: "64-bit import"}
        return words.get(self.spec.memory, self.spec.memory)

    @property
    def needs(self) -> str:
        """What an engine must have beside WebAssembly's first version, for people."""
        every = (*_NEEDS[self.spec.isa], *_MEMORY_NEEDS.get(self.spec.memory, ()))
        return " and ".join(filter(None, (", ".join(every[:-1]), *every[-1:]))) or "no SIMD"


def ends(*starts: str) -> tuple[Local, ...]:
    """The locals that templates/lib/ranges.wat.j2 sets, one for each range that starts at a parameter."""
    return tuple(
        Local(f"{start}_end", "i64", f"address where what is at {start} ends, 0 for nothing")
        for start in starts
    )
