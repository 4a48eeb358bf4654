"""The oracle: what a kernel must compute, in exact arithmetic. No WebAssembly, and no variant of ours.

A finite f16 is m * 2^e with |m| < 2^11 and -24 <= e <= 5, and a block's integer sum S has |S| <= 2^15, so a
block's term S * dx * dy is an integer below 2^38 times 2^(ex + ey). Rows are summed in int64 limbs by exponent
and joined as Python integers: nothing is ever rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from codegen import formats
from codegen.formats import Q4_0, Q8_0, Format

Bytes = bytes | bytearray | memoryview | npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

_UNIT = 48
"""Terms are integers in units of 2^-48: the product of two f16 subnormals' units of 2^-24."""

_STEP, _HALF = 20, 30
"""A term's shift of up to 58 bits is split by 20s; a shifted term of up to 58 bits is split at bit 30."""


class Kind(StrEnum):
    """What a result must be."""

    FINITE = "finite"
    NAN = "nan"
    PLUS_INFINITY = "+inf"
    MINUS_INFINITY = "-inf"


@dataclass(frozen=True)
class Expected:
    """One dot product, exactly.

    Attributes:
        kind: finite, or what the non-finite scales make of it.
        value: the exact sum of S * dx * dy; zero where not finite.
        magnitude: the exact sum of |S * dx * dy|, which error bounds are relative to.
        exact: whether every partial sum, in any order, is an f32: then all variants must give the same bits.
    """

    kind: Kind
    value: Fraction
    magnitude: Fraction
    exact: bool


@dataclass(frozen=True)
class Decoded:
    """Blocks taken apart: scales as f16 bits, shape (blocks,); values as integers, shape (blocks, elements)."""

    scales: npt.NDArray[np.uint16]
    values: npt.NDArray[np.int16]


def decode(data: Bytes, block: Format) -> Decoded:
    """Takes whole blocks apart; `data` is a multiple of the block's bytes."""
    parts = formats.decode(data, block)
    return Decoded(parts.scale.patterns[:, 0].astype(np.uint16), parts.values)


def encode(scales: npt.NDArray[np.uint16], values: npt.NDArray[np.int16], block: Format) -> bytes:
    """Puts blocks together: the inverse of `decode`."""
    codes = np.asarray(values, np.int16) + np.int16(block.codes.zero)
    return formats.encode(formats.blocks_of(block, codes, np.asarray(scales, np.uint32)))


def dot_rows(x: Bytes, y: Bytes, rows: int, n: int) -> list[Expected]:
    """The exact dot products of `rows` rows of n elements, Q4_0 in `x`, with Q8_0 in `y`.

    `y` holds one row, shared by all, or `rows` rows.
    """
    blocks = Q4_0.blocks(n)
    left, right = decode(x, Q4_0), decode(y, Q8_0)
    y_rows = len(right.scales) // blocks if blocks else 1
    sums = np.einsum(
        "rbe,rbe->rb",
        left.values.reshape(rows, blocks, Q4_0.elements),
        np.broadcast_to(right.values.reshape(y_rows, blocks, Q8_0.elements), (rows, blocks, Q8_0.elements)),
        dtype=np.int64,
    )
    dx = left.scales.reshape(rows, blocks)
    dy = np.broadcast_to(right.scales.reshape(y_rows, blocks), (rows, blocks))
    (mx, ex), (my, ey) = _finite_parts(dx), _finite_parts(dy)
    terms, shifts = sums * mx * my, ex + ey + _UNIT
    values, magnitudes = _join(terms, shifts), _join(np.abs(terms), shifts)
    kinds, grains = _kinds(sums, dx, dy), _grains(terms, shifts)
    unit = 1 << _UNIT
    return [
        Expected(
            kind,
            Fraction(value if kind is Kind.FINITE else 0, unit),
            Fraction(magnitude, unit),
            # Multiples of 2^grain that stay within 2^24 of them have 24-bit significands.
            exact=kind is Kind.FINITE and magnitude <= 1 << (24 + grain),
        )
        for kind, value, magnitude, grain in zip(kinds, values, magnitudes, grains, strict=True)
    ]


def dot(x: Bytes, y: Bytes, n: int) -> Expected:
    """The exact dot product of n elements, Q4_0 in `x` and Q8_0 in `y`."""
    return dot_rows(x, y, 1, n)[0]


def quantize_q8_0(values: npt.NDArray[np.float32]) -> bytes:
    """Q8_0 blocks of f32 values, a multiple of 32 of them, as GGML's reference quantiser makes them.

    d = max|v| / 127 in f32, stored as f16; each value times 1/d rounds half away from zero
    (ggml-quants.c, quantize_row_q8_0_ref, with C's roundf). Where C leaves quants undefined they are 0: in a block
    with a NaN, whose scale is 0x7e00, or an infinity, whose scale is infinite, or where 1/d overflows.
    """
    rows = np.ascontiguousarray(values, np.float32).reshape(-1, Q8_0.elements)
    with np.errstate(invalid="ignore"):  # NaN that signal
        d = np.abs(rows).max(axis=1) / np.float32(127)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inverse = np.where(d > 0, np.float32(1) / d, np.float32(0)).astype(np.float32)
        scaled = rows * inverse[:, None]
    # As GGML on x86 stores where 1/d overflows, or a value is no number.
    scaled = np.where(np.isfinite(scaled), scaled, np.float32(0))
    whole = np.trunc(scaled)
    # roundf: the fraction left by trunc is exact, so comparing it with a half decides without an addition.
    quants = whole + np.copysign(np.abs(scaled - whole) >= 0.5, scaled)
    with np.errstate(over="ignore"):  # beyond f16 a scale is infinite, as GGML's is
        halves = np.where(np.isnan(d), np.uint16(0x7E00), d.astype(np.float16).view(np.uint16))
    return encode(halves, quants.astype(np.int16), Q8_0)


def f16_value(bits: int) -> float:
    """The value of one f16 pattern, straight from its fields."""
    sign = -1.0 if bits >> 15 else 1.0
    exponent, fraction = bits >> 10 & 31, bits & 1023
    if exponent == 31:
        return float("nan") if fraction else sign * float("inf")
    return sign * (fraction * 2.0**-24 if exponent == 0 else (1024 + fraction) * 2.0 ** (exponent - 25))


def _finite_parts(bits: npt.NDArray[np.uint16]) -> tuple[Ints, Ints]:
    """Signed significand and exponent; an infinity or NaN gives zero."""
    wide = bits.astype(np.int64)
    exponent, fraction = wide >> 10 & 31, wide & 1023
    significand = np.where(exponent == 0, fraction, fraction + 1024)
    significand[exponent == 31] = 0
    return np.where(wide >> 15 == 1, -significand, significand), np.maximum(exponent, 1) - 25


def _join(terms: Ints, shifts: Ints) -> list[int]:
    """Row sums of terms << shifts, exact."""
    step, rest = np.divmod(shifts, _STEP)
    shifted = terms << rest
    high, low = shifted >> _HALF, shifted & ((1 << _HALF) - 1)
    totals = [0] * len(terms)
    for k in range(int(step.max(initial=0)) + 1):
        here = step == k
        highs, lows = np.where(here, high, 0).sum(axis=1), np.where(here, low, 0).sum(axis=1)
        for row, (h, w) in enumerate(zip(highs.tolist(), lows.tolist(), strict=True)):
            totals[row] += ((h << _HALF) + w) << (k * _STEP)
    return totals


def _grains(terms: Ints, shifts: Ints) -> list[int]:
    """For each row the largest power of two that divides all its terms << shifts, as an exponent."""
    lowest = terms & -terms
    exponents = np.where(
        lowest > 0, np.frexp(np.maximum(lowest, 1).astype(np.float64))[1] - 1 + shifts, 1 << 20
    )
    return [int(e) for e in exponents.min(axis=1, initial=1 << 20).clip(max=_UNIT * 4)]


def _kinds(sums: Ints, dx: npt.NDArray[np.uint16], dy: npt.NDArray[np.uint16]) -> list[Kind]:
    """What IEEE arithmetic makes of each row's non-finite scales: every term is S * (dx * dy), added in any order."""
    odd = ((dx & 0x7C00) == 0x7C00) | ((dy & 0x7C00) == 0x7C00)
    kinds = [Kind.FINITE] * len(sums)
    for row in np.flatnonzero(odd.any(axis=1)).tolist():
        here = odd[row]
        with np.errstate(invalid="ignore"):
            scale = dx[row, here].view(np.float16).astype(np.float64) * dy[row, here].view(np.float16).astype(
                np.float64
            )
            total = float((sums[row, here] * scale).sum())
        if np.isnan(total):
            kinds[row] = Kind.NAN
        else:
            kinds[row] = Kind.PLUS_INFINITY if total > 0 else Kind.MINUS_INFINITY
    return kinds
