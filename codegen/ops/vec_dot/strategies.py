"""How weights and activations meet: one entry a multiply strategy, one template each in templates/lib/product/.

An entry says what the template's macro needs and what it leaves; docs/adding-a-kernel.md says how to add one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codegen.choice import Choice
from codegen.strategies import Constant, Isa, Local, Strategy, alike, lanes


class Sums(StrEnum):
    """What a block's product is, and so how it becomes one integer: templates/lib/sums.wat.j2."""

    I32 = "i32"
    """An i32, the whole sum; scalar code only."""
    I16X8 = "i16x8"
    """Partial sums of at most 4,096 in magnitude, folded in i16 and widened last."""
    I32X4 = "i32x4"
    """Partial sums, folded in i32."""


@dataclass(frozen=True)
class Multiply(Strategy):
    """One way to multiply a block.

    Attributes:
        sums: what its macro leaves in the target local.
        shift: how many bits too large its sums are; a power of two that the scales take off again.
    """

    sums: Sums
    shift: int = 0


_LOW4 = alike("low4", "i8x16", "15", "0x0f in each byte")
_EIGHTS = alike("eights", "i8x16", "8", "the nibbles' zero point, in each byte")
_SIGNS = alike("signs", "i8x16", "0x88", "the top bit of each nibble")
_TOP = alike("top", "i16x8", "0xf000", "the top nibble of each i16 lane")
_EXCHANGE = lanes("exchange", "i8x16", (i ^ 1 for i in range(16)), "the bytes of each i16 lane, exchanged")
_SPREAD = tuple(
    lanes(
        f"spread{half}",
        "i8x16",
        (byte for i in range(8) for byte in (128, 8 * half + i)),
        f"bytes {8 * half} to {8 * half + 7}, each at the top of an i16 lane",
    )
    for half in (0, 1)
)
_SIXTEENS = Constant(
    "sixteens",
    "(i16x8.splat (i32.shl (local.get $nrc) (i32.const 4)))",
    "16 in each i16 lane, which engines must not know",
)

_Q = Local("q", "v128", "32 packed weights")
_EXCHANGED = Local("r", "v128", "the same, with the bytes of each i16 lane exchanged")
_ACTIVATIONS = (Local("y0", "v128", "activations 0 to 15"), Local("y1", "v128", "activations 16 to 31"))
_WEIGHTS = (Local("w0", "v128", "weights 0 to 15, i8x16"), Local("w1", "v128", "weights 16 to 31, i8x16"))
_BYTES = (Local("w0", "v128", "bytes 0 to 7, times 2^8"), Local("w1", "v128", "bytes 8 to 15, times 2^8"))
_SCALAR = (
    Local("w", "i32", "eight weights, four bits each, two's complement"),
    Local("low", "i32", "sum over low nibbles"),
    Local("high", "i32", "sum over high nibbles"),
)

_SWAR = (
    Local("q", "i64", "16 packed weights"),
    Local("a", "i64", "8 activations, biased"),
    Local("w", "i64", "4 nibbles, one in each 16-bit lane"),
    Local("b", "i64", "their activations, in the opposite order"),
    Local("products", "i64", "products; the top lane is the sum of 16"),
    Local("sums", "i64", "16 * nibbles + activations, by lanes"),
    Local("qa", "i64", "sum of nibble * biased activation"),
)

ALL: tuple[Multiply, ...] = (
    Multiply("mul", Isa.SCALAR, (), _SCALAR, Sums.I32),
    Multiply("swar", Isa.SCALAR, (), _SWAR, Sums.I32),
    Multiply("dot", Isa.SIMD128, (_SIGNS, _TOP), (_Q, _EXCHANGED), Sums.I32X4, shift=12),
    Multiply("swizzle", Isa.SIMD128, (_SIGNS, _TOP, _EXCHANGE), (_Q, _EXCHANGED), Sums.I32X4, shift=12),
    Multiply("widen", Isa.SIMD128, (_SIGNS, _TOP, *_SPREAD, _SIXTEENS), (_Q, *_BYTES), Sums.I32X4, shift=12),
    Multiply("extmul", Isa.SIMD128, (_LOW4, _EIGHTS), (_Q, *_WEIGHTS), Sums.I16X8),
    Multiply("dot16", Isa.RELAXED, (_LOW4, _EIGHTS), (_Q, *_ACTIVATIONS), Sums.I16X8),
    Multiply("dot32", Isa.RELAXED, (_LOW4, _EIGHTS), (_Q, *_ACTIVATIONS), Sums.I32X4),
)
"""Every strategy. The first of an ISA is its default, the fastest measured; but of scalar the plain one, one multiply a
weight, which speed is told against (docs/performance.md)."""

BY_NAME: dict[str, Multiply] = {strategy.name: strategy for strategy in ALL}


def why_not(spec: Choice) -> str | None:
    """Why a combination of options does not exist; None where it does. What is done to several blocks needs several."""
    strategy = BY_NAME[spec.strategy]
    together = spec.unroll > spec.accumulators and strategy.sums is not Sums.I32
    needs = "for SIMD with at least two blocks an accumulator"
    if spec.scales == "overflow" and not together:
        return f"scales 'overflow': {needs}"
    if spec.fold == "narrow" and not together:
        return f"fold 'narrow': {needs}"
    if spec.fold == "narrow" and strategy.shift:
        return f"fold 'narrow': sums of {spec.strategy!r} do not fit in i16; use 'shuffle'"
    return None
