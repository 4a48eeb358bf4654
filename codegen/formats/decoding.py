"""Blocks taken apart as their format's entry says, exactly; and the f32 values that GGML makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.formats.codes import Codes, Plane, Trits
from codegen.formats.format import Factor, Format, Number

Bytes = bytes | bytearray | memoryview | npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
I16 = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int64]
Patterns = npt.NDArray[np.uint32]

POWERS_OF_3 = np.array([1, 3, 9, 27, 81], np.uint8)


@dataclass(frozen=True)
class Factors:
    """The scales or the minima of blocks.

    Attributes:
        patterns: the bits of the fractions, shape (blocks, count).
        codes: the codes of the integers, shape (blocks, groups); None where the format has none.
    """

    patterns: Patterns
    codes: I16 | None = None


@dataclass(frozen=True)
class Blocks:
    """Blocks taken apart: all that their bytes hold.

    Attributes:
        format: their format.
        codes: shape (blocks, elements).
        scale: what codes are multiplied by.
        minimum: what is added; None where the format has none.
        sums: the sums of codes, as i16 or as the bits of f16, shape (blocks, count); None where there are none.
    """

    format: Format
    codes: I16
    scale: Factors
    minimum: Factors | None = None
    sums: I16 | None = None

    @property
    def values(self) -> I16:
        """The integers that the codes stand for, shape (blocks, elements)."""
        return stand_for(self.codes, self.format.codes)


def decode(data: Bytes, block: Format) -> Blocks:
    """Takes whole blocks apart; the bytes of `data` are a multiple of the block's."""
    raw = np.frombuffer(data, np.uint8).reshape(-1, block.bytes)
    sums = None
    if block.sums:
        sums = raw[:, block.sums.at :][:, : 2 * block.sums.count].copy().view("<i2")
    return Blocks(
        block,
        _codes(raw, block.codes),
        _factors(raw, block.scale),
        _factors(raw, block.minimum) if block.minimum else None,
        sums,
    )


def stand_for(codes: I16, entry: Codes) -> I16:
    """The integers that codes stand for, in the same shape."""
    if entry.table:
        return np.array(entry.table, np.int16)[codes]
    return codes - np.int16(entry.zero)


def f32_of(patterns: Patterns, number: Number) -> F32:
    """Fractions as f32, which is exact for every kind; infinities and NaN stay what they are."""
    match number:
        case Number.F16:
            with np.errstate(invalid="ignore"):  # NaN that signal
                return patterns.astype(np.uint16).view(np.float16).astype(np.float32)
        case Number.BF16:
            return (patterns << np.uint32(16)).view(np.float32)
        case Number.F32:
            return patterns.view(np.float32)
        case Number.E8M0 | Number.UE4M3:
            mantissas, exponents = exact(patterns, number)
            return np.ldexp(mantissas.astype(np.float64), exponents).astype(np.float32)


def exact(patterns: Patterns, number: Number) -> tuple[Ints, Ints]:
    """Fractions as integers times powers of two: mantissas and exponents; an infinity or NaN gives a mantissa of 0."""
    wide = patterns.astype(np.int64)
    match number:
        case Number.F16:
            return _ieee(wide, exponent_bits=5, fraction_bits=10)
        case Number.BF16:
            return _ieee(wide, exponent_bits=8, fraction_bits=7)
        case Number.F32:
            return _ieee(wide, exponent_bits=8, fraction_bits=23)
        case Number.E8M0:
            return np.ones_like(wide), wide - 128
        case Number.UE4M3:
            mantissas, exponents = _small(wide & 0x7F, bias=7, fraction_bits=3)
            return np.where(wide == 0x7F, 0, mantissas), exponents - 1


def dequantize(data: Bytes, block: Format) -> F32:
    """The values of blocks, shape (elements of all,), bit for bit as GGML's reference dequantiser computes them.

    In f32: the scale times its integer, times what the code stands for, plus or minus the minimum times its integer.
    """
    parts = decode(data, block)
    with np.errstate(invalid="ignore", over="ignore"):
        values = _spread(parts.scale, block.scale, block.elements) * parts.values.astype(np.float32)
        if parts.minimum and block.minimum:
            values += np.float32(block.minimum.sign) * _spread(parts.minimum, block.minimum, block.elements)
    flat: F32 = values.reshape(-1)
    return flat


def _spread(parts: Factors, entry: Factor, elements: int) -> F32:
    """The factor of each element, in f32, shape (blocks, elements)."""
    factors = f32_of(parts.patterns, entry.number)
    if parts.codes is not None and entry.codes:
        integers = stand_for(parts.codes, entry.codes).astype(np.float32)
        factors = factors.repeat(entry.groups // entry.count, axis=1) * integers
    return factors.repeat(elements // entry.groups, axis=1)


def _factors(raw: U8, entry: Factor) -> Factors:
    width = entry.number.bytes
    fractions = raw[:, entry.at :][:, : width * entry.count].copy().view(f"<u{width}")
    return Factors(fractions.astype(np.uint32), _codes(raw, entry.codes) if entry.codes else None)


def _codes(raw: U8, entry: Codes) -> I16:
    found = np.zeros((len(raw), entry.count), np.uint16)
    for one in entry.placed:
        runs, _, run = one.shape
        here = raw[:, one.plane.at :][:, : one.bytes].reshape(len(raw), runs, 1, run)
        bits = _bits_of(here, one.plane).reshape(len(raw), len(one.codes))
        found[:, one.codes.start : one.codes.stop] |= bits.astype(np.uint16) << np.uint16(one.low)
    return found.astype(np.uint8).view(np.int8).astype(np.int16) if entry.signed else found.view(np.int16)


def _bits_of(here: U8, plane: Plane | Trits) -> U8:
    """What bytes, shape (blocks, runs, 1, run), hold of each code, shape (blocks, runs, per byte, run)."""
    if isinstance(plane, Trits):
        left = here * POWERS_OF_3[: plane.per_byte, None]  # modulo 256: the digits before are gone
        return (left.astype(np.uint16) * np.uint16(3) >> np.uint16(8)).astype(np.uint8)
    return here >> np.array(plane.places, np.uint8)[:, None] & np.uint8((1 << plane.bits) - 1)


def _ieee(wide: Ints, exponent_bits: int, fraction_bits: int) -> tuple[Ints, Ints]:
    """Of a number with a sign, whose largest exponent means infinity or NaN."""
    largest = (1 << exponent_bits) - 1
    mantissas, exponents = _small(
        wide & ((1 << exponent_bits + fraction_bits) - 1), largest >> 1, fraction_bits
    )
    mantissas[wide >> fraction_bits & largest == largest] = 0
    return np.where(wide >> exponent_bits + fraction_bits, -mantissas, mantissas), exponents


def _small(wide: Ints, bias: int, fraction_bits: int) -> tuple[Ints, Ints]:
    """Of a number without a sign: exponent and fraction, subnormals included."""
    exponents, fractions = wide >> fraction_bits, wide & ((1 << fraction_bits) - 1)
    mantissas = np.where(exponents == 0, fractions, fractions + (1 << fraction_bits))
    return mantissas, np.maximum(exponents, 1) - bias - fraction_bits
