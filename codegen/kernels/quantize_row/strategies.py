"""How values become whole numbers: one entry an ISA, the macros in templates/lib/quantize/."""

from __future__ import annotations

from codegen.spec.choice import Choice
from codegen.spec.strategies import Isa, Local, Strategy, alike

CONSTANTS = (
    alike("magnitude", "i32x4", "0x7fffffff", "all bits of an f32 but its sign"),
    alike("minus", "i16x8", "-1", "-1 in each i16 lane"),
)
"""Of vectors."""

MAGIC = alike("magic", "f32x4", "0x1.8p+23", "an f32 whose last bit is worth 1")
"""Of vectors where whole numbers are made by addition."""

SCALAR = (
    *(Local(f"m{k}", "i32", "largest magnitude so far, as bits of an f32") for k in range(4)),
    Local("d", "f32", "the scale"),
    Local("id", "f32", "1 / scale"),
    Local("h", "i32", "the scale as f16"),
    Local("v", "f32", "value / scale"),
)
QUANTS = (
    Local("n0", "v128", "i16x8 of 2 * value / scale"),
    Local("n1", "v128", "i16x8 of 2 * value / scale"),
    Local("q0", "v128", "i8x16 quants, the first half of a block"),
    Local("q1", "v128", "i8x16 quants, the second half"),
)
"""Of vectors, what each block takes."""

VECTOR = (
    Local("d", "v128", "f32x4 scales, one block a lane"),
    Local("id2", "v128", "f32x4 of 2 / scale"),
    Local("h", "v128", "i32x4 scales as f16"),
    *QUANTS,
)

ALL: tuple[Strategy, ...] = (
    Strategy("trunc", Isa.SCALAR, (), SCALAR),
    Strategy("trunc", Isa.SIMD128, (*CONSTANTS, MAGIC), VECTOR),
    Strategy("relaxed", Isa.RELAXED, CONSTANTS, VECTOR),
)
"""Every strategy."""


def why_not(spec: Choice) -> str | None:
    """Why a combination of options does not exist; None where it does."""
    return None
