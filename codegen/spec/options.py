"""The choices that kernels of some operations have: an enumeration each, its default first.

What is not the default stands in the kernel's name by its value, so no two options share a value.
"""

from __future__ import annotations

from enum import StrEnum

from codegen.formats.layouts import Activations


class Scales(StrEnum):
    """How f16 scales become f32, and how an infinity or NaN among those of several blocks is noticed."""

    ARITHMETIC = "arithmetic"
    """Computed; noticed in integer registers."""
    OVERFLOW = "overflow"
    """Computed; noticed since it overflows, or in a vector."""


class Fold(StrEnum):
    """How the partial sums of several blocks become one integer a block."""

    SHUFFLE = "shuffle"
    """Moved together by shuffles, and added."""
    NARROW = "narrow"
    """Pairs added by a multiplication with ones, and narrowed."""


class Inner(StrEnum):
    """How the four steps of a block are done, each of four bytes a row."""

    UNROLLED = "unrolled"
    """One after the other."""
    ROLLED = "rolled"
    """By a loop: fewer values are alive at a time."""


class Totals(StrEnum):
    """Where a tile's f32 totals are kept from block to block."""

    REGISTERS = "registers"
    """In locals, one tile of columns at a time."""
    OUTPUT = "output"
    """In the output matrix: a block's weights are unpacked once, and all columns of a panel go by."""


class Memory(StrEnum):
    """Whether the module owns and exports `memory`, or imports `env.memory`, and of what type."""

    EXPORT = "export"
    IMPORT = "import"
    SHARED = "shared"
    """Imported, and shared by threads, each with an instance of its own."""
    MEMORY64 = "memory64"
    """Imported, with addresses of 64 bits."""


Option = type[Scales] | type[Fold] | type[Activations] | type[Inner] | type[Totals] | type[Memory]

OPTIONS: dict[str, Option] = {
    "scales": Scales,
    "fold": Fold,
    "activations": Activations,
    "inner": Inner,
    "totals": Totals,
    "memory": Memory,
}
"""Every option by the field of a spec, in the order of names. All operations have `memory`."""


def default(option: Option) -> StrEnum:
    """What an option is where a name does not say."""
    return next(iter(option))
