"""How a kernel does what its contract says: the ISA it may use, and what a strategy needs of locals and constants.

Each operation has strategies of its own, in codegen/kernels/.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from codegen.formats import Format


class Isa(StrEnum):
    """What the engine must have: nothing, fixed-width SIMD, or relaxed SIMD as well."""

    SCALAR = "scalar"
    SIMD128 = "simd128"
    RELAXED = "relaxed"


@dataclass(frozen=True)
class Local:
    """One local variable of the generated function, and what it is for."""

    name: str
    type: str
    role: str


@dataclass(frozen=True)
class Constant:
    """A vector that a kernel keeps in a local from before its loop.

    Attributes:
        name: the local's.
        value: an expression that computes it.
        role: what it is for.
    """

    name: str
    value: str
    role: str


def alike(name: str, shape: str, value: str, role: str) -> Constant:
    """A constant whose lanes are all the same."""
    return lanes(name, shape, (value,) * int(shape.partition("x")[2]), role)


def lanes(name: str, shape: str, values: Iterable[object], role: str) -> Constant:
    """A constant, lane by lane."""
    return Constant(name, f"(v128.const {shape} {' '.join(map(str, values))})", role)


@dataclass(frozen=True)
class Strategy:
    """One way to do what an operation does.

    Attributes:
        name: what it is called in kernel names, and its template.
        isa: what it needs.
        constants: vectors it wants in locals, set before the loop.
        locals: locals its template sets and reads.
    """

    name: str
    isa: Isa
    constants: tuple[Constant, ...]
    locals: tuple[Local, ...]

    def refuses(self, x: Format) -> str | None:
        """Why there is no such kernel of a format, whose first operand that is; None where there is one."""
        return None
