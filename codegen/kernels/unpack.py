"""How a block's codes become bytes in vectors: one entry a shape of planes, one template each in templates/unpack/."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats import Format
from codegen.formats.codes import Plane
from codegen.spec.strategies import Constant, Local, alike, lanes


@dataclass(frozen=True)
class Unpack:
    """One way to unpack 32 codes into two vectors of bytes, in order.

    Attributes:
        name: its template's name.
        planes: bits and run of each plane of the formats that it unpacks, the lowest bits first.
        constants: vectors that it wants in locals.
        locals: locals that its template sets and reads.
    """

    name: str
    planes: tuple[tuple[int, int], ...]
    constants: tuple[Constant, ...]
    locals: tuple[Local, ...]


_LOW4 = alike("low4", "i8x16", "15", "0x0f in each byte")
_Q = Local("q", "v128", "32 packed weights")
_BITS = Local("bits", "v128", "the codes' top bits, four times")
_BIT = lanes("bit", "i8x16", (1 << i % 8 for i in range(16)), "one bit in each byte, each in turn")
_BIT4 = alike("bit4", "i8x16", "16", "bit 4 in each byte")

ALL: tuple[Unpack, ...] = (
    Unpack("nibbles", ((4, 16),), (_LOW4,), (_Q,)),
    Unpack("bytes", ((8, 32),), (), ()),
    Unpack("nibbles_and_bits", ((4, 16), (1, 1)), (_LOW4, _BIT, _BIT4), (_Q, _BITS)),
)
"""Every way to unpack."""


def unpack_of(x: Format) -> Unpack | None:
    """What unpacks a format's blocks of 32; None where nothing does."""
    planes = tuple((p.bits, p.run) for p in x.codes.planes if isinstance(p, Plane))
    whole = x.elements == 32 and len(planes) == len(x.codes.planes)
    return next((one for one in ALL if whole and one.planes == planes), None)
