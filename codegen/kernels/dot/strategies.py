"""How weights and activations meet: one entry a multiply strategy, one template each in templates/multiply/.

An entry says what the template's macro needs and what it leaves; docs/adding-a-kernel.md says how to add one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codegen.formats import FORMATS, Format
from codegen.formats.format import LARGEST_ACTIVATION, Number
from codegen.kernels.unpack import unpack_of
from codegen.spec.choice import Choice
from codegen.spec.strategies import Constant, Isa, Local, Strategy, alike, lanes


class Sums(StrEnum):
    """What a block's product is, and so how it becomes one integer: templates/lib/sums.wat.j2."""

    I32 = "i32"
    """An i32, the whole sum; scalar code only."""
    I16X8 = "i16x8"
    """Partial sums, folded in i16 and widened last, as far as they fit."""
    I32X4 = "i32x4"
    """Partial sums, folded in i32."""


class Takes(StrEnum):
    """What a strategy multiplies."""

    NIBBLES = "nibbles"
    """Blocks of nibbles with a zero point of 8, which it unpacks by itself."""
    CODES = "codes"
    """Codes of any planes, one at a time."""
    U7 = "u7"
    """Unpacked codes of at most 7 bits, less their zero point: the operand of a relaxed dot."""
    I8 = "i8"
    """Unpacked codes that are, less their zero point, signed bytes."""


_LANE = 4
"""Products of a block of 32 that add up in an i16 lane."""

_I16 = (1 << 15) - 1


@dataclass(frozen=True)
class Multiply(Strategy):
    """One way to multiply a block.

    Attributes:
        takes: what it multiplies.
        sums: what its products are before they are widened.
        shift: how many bits too large its sums are; a power of two that the scales take off again.
    """

    takes: Takes
    sums: Sums
    shift: int = 0

    def refuses(self, x: Format) -> str | None:
        """Why it cannot multiply blocks of a format with Q8_0; None where it can."""
        if x.elements != 32 or x.activations != "q8_0" or x.scale.number is not Number.F16 or x.codes.table:
            return f"{x.name}: only blocks of 32 codes with an f16 scale and Q8_0 activations have one"
        least, greatest = x.codes.raw
        match self.takes:
            case Takes.NIBBLES if not (x.codes.zero == 8 and greatest == 15):
                return f"{x.name}: it takes nibbles with a zero point of 8"
            case Takes.U7 if least < 0 or greatest > 127:
                return f"{x.name}: codes of {least} to {greatest} are no 7-bit operand"
            case Takes.U7 | Takes.I8 if unpack_of(x) is None:
                return f"{x.name}: nothing unpacks its codes into bytes"
        if self.sums is Sums.I16X8 and _lane(x) > _I16:
            return f"{x.name}: {_LANE} products of up to {_lane(x) // _LANE} overflow i16"
        return None

    def widens(self, x: Format) -> bool:
        """Whether i16 sums of a block must be widened before those of several blocks are folded."""
        return self.sums is Sums.I16X8 and _FOLDED * _lane(x) > _I16

    def sums_of(self, x: Format) -> Sums:
        """What its macro leaves in the target local, of blocks of a format."""
        return Sums.I32X4 if self.widens(x) else self.sums


_FOLDED = 4
"""Lanes that are folded into one in i16, with sums of type i16x8."""


def _lane(x: Format) -> int:
    """The largest magnitude of an i16 lane of a block's products with activations of -128 to 127."""
    return _LANE * LARGEST_ACTIVATION * max(abs(bound - x.codes.zero) for bound in x.codes.raw)


_HIGH8 = alike("high8", "i16x8", "0xff00", "the high byte of each i16 lane")
_LOW7 = alike("low7", "i8x16", "0x7f", "all bits of a byte but its sign")
_ONE = alike("one", "i8x16", "1", "1 in each byte")
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
    Multiply("mul", Isa.SCALAR, (), _SCALAR, Takes.NIBBLES, Sums.I32),
    Multiply("swar", Isa.SCALAR, (), _SWAR, Takes.NIBBLES, Sums.I32),
    Multiply("plain", Isa.SCALAR, (), (), Takes.CODES, Sums.I32),
    Multiply("dot", Isa.SIMD128, (_SIGNS, _TOP), (_Q, _EXCHANGED), Takes.NIBBLES, Sums.I32X4, shift=12),
    Multiply(
        "swizzle",
        Isa.SIMD128,
        (_SIGNS, _TOP, _EXCHANGE),
        (_Q, _EXCHANGED),
        Takes.NIBBLES,
        Sums.I32X4,
        shift=12,
    ),
    Multiply(
        "widen",
        Isa.SIMD128,
        (_SIGNS, _TOP, *_SPREAD, _SIXTEENS),
        (_Q, *_BYTES),
        Takes.NIBBLES,
        Sums.I32X4,
        shift=12,
    ),
    Multiply("dot8", Isa.SIMD128, (_HIGH8,), _WEIGHTS, Takes.I8, Sums.I32X4, shift=8),
    Multiply("extmul", Isa.SIMD128, (), _WEIGHTS, Takes.I8, Sums.I16X8),
    Multiply("dot16", Isa.RELAXED, (), _ACTIVATIONS, Takes.U7, Sums.I16X8),
    Multiply("dot32", Isa.RELAXED, (), _ACTIVATIONS, Takes.U7, Sums.I32X4),
    Multiply("split", Isa.RELAXED, (_LOW7, _ONE), (*_WEIGHTS, *_ACTIVATIONS), Takes.I8, Sums.I32X4),
)
"""Every strategy. The first of an ISA that takes a format is its default, the fastest measured; but of scalar the plain
one, one multiply a weight, which speed is told against (docs/performance.md)."""

BY_NAME: dict[str, Multiply] = {strategy.name: strategy for strategy in ALL}


def unpacked(strategy: Multiply, x: Format) -> tuple[tuple[Constant, ...], tuple[Local, ...]]:
    """The constants and locals of a strategy with those of what unpacks a format's codes for it."""
    unpack = unpack_of(x) if strategy.takes in (Takes.U7, Takes.I8) else None
    if unpack is None:
        return strategy.constants, strategy.locals
    zero = (_zero(x.codes.zero),) if x.codes.zero else ()
    return (*unpack.constants, *zero, *strategy.constants), (*unpack.locals, *strategy.locals)


def _zero(code: int) -> Constant:
    return alike("zero", "i8x16", str(code), "the codes' zero point, in each byte")


def why_not(spec: Choice) -> str | None:
    """Why a combination of options does not exist; None where it does. What is done to several blocks needs several."""
    strategy, x = BY_NAME[spec.strategy], FORMATS[spec.x]
    if reason := strategy.refuses(x):
        return f"strategy {spec.strategy!r}: {reason}"
    together = spec.unroll > spec.accumulators and strategy.sums is not Sums.I32
    needs = "for SIMD with at least two blocks an accumulator"
    if spec.scales == "overflow" and not together:
        return f"scales 'overflow': {needs}"
    if spec.fold == "narrow" and not together:
        return f"fold 'narrow': {needs}"
    if spec.fold == "narrow" and (strategy.shift or _FOLDED * _lane(x) > _I16):
        return f"fold 'narrow': sums of {spec.strategy!r} do not fit in i16; use 'shuffle'"
    return None
