"""The oracle: what a kernel must compute, in exact arithmetic. No WebAssembly, and no variant of ours.

A term is an integer times two fractions that blocks store, codegen/oracle/terms.py: as the largest block sum is
below 2^28, that of Q6_K, and fractions have 11 and 24 bits, its significand is below 2^63. Rows are summed in int64
limbs by exponent and joined as Python integers: nothing is ever rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from codegen import formats
from codegen.formats import Q4_0, Q8_0, Format
from codegen.formats.decoding import Bytes, Ints
from codegen.oracle.terms import Terms, terms

_STEP, _LIMB = 20, 21
"""Shifts are split by 20s and terms at every 21st bit: 2^22 limbs of at most 41 bits add up in an int64."""

_F32_LEAST, _F32_TOP = -149, 128
"""As powers of two: f32's smallest number, and what is beyond its largest."""

_NO_GRAIN = 1 << 10
"""The exponent of a power of two that divides 0: beyond all that are compared with it."""


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


def dot_rows(
    x: Bytes, y: Bytes, rows: int, n: int, weights: Format = Q4_0, activations: Format = Q8_0
) -> list[Expected]:
    """The exact dot products of `rows` rows of n elements in `x` with one row in `y` that all share, or with `rows`.

    Minima are multiplied by the sums of codes that the activations store, as in GGML.

    Raises:
        SpecError: n is no whole number of blocks, or weights that have minima meet activations without sums.
    """
    weights.blocks(n)
    activations.blocks(n)
    if not n:
        return [Expected(Kind.FINITE, Fraction(0), Fraction(0), exact=True)] * rows
    parts = terms(formats.decode(x, weights), formats.decode(y, activations), n)
    each = np.concatenate([part.integers * part.mantissas for part in parts], axis=1)
    exponents = np.concatenate([part.exponents for part in parts], axis=1)
    lowest = int(exponents.min())
    shifts = np.broadcast_to(exponents - lowest, each.shape)
    values, magnitudes = _join(each, shifts), _join(np.abs(each), shifts)
    unit = Fraction(2) ** lowest
    return [
        Expected(kind, value * unit if kind is Kind.FINITE else Fraction(0), magnitude * unit, exact)
        for kind, value, magnitude, exact in zip(
            _kinds(parts),
            values,
            magnitudes,
            _exact(parts, magnitudes, _grains(each, shifts), lowest),
            strict=True,
        )
    ]


def dot(x: Bytes, y: Bytes, n: int, weights: Format = Q4_0, activations: Format = Q8_0) -> Expected:
    """The exact dot product of n elements."""
    return dot_rows(x, y, 1, n, weights, activations)[0]


def f16_value(bits: int) -> float:
    """The value of one f16 pattern, straight from its fields."""
    sign = -1.0 if bits >> 15 else 1.0
    exponent, fraction = bits >> 10 & 31, bits & 1023
    if exponent == 31:
        return float("nan") if fraction else sign * float("inf")
    return sign * (fraction * 2.0**-24 if exponent == 0 else (1024 + fraction) * 2.0 ** (exponent - 25))


def _join(terms: Ints, shifts: Ints) -> list[int]:
    """Row sums of terms << shifts, exact; |terms| < 2^63 and no shift is negative."""
    step, rest = np.divmod(shifts, _STEP)
    magnitudes, signs = np.abs(terms), np.sign(terms)
    totals, place = [0] * len(terms), 0
    while magnitudes.any():
        limbs = signs * (magnitudes & (1 << _LIMB) - 1) << rest
        for k in np.unique(step).tolist():
            for row, total in enumerate(np.where(step == k, limbs, 0).sum(axis=1).tolist()):
                totals[row] += total << k * _STEP + place
        magnitudes, place = magnitudes >> _LIMB, place + _LIMB
    return totals


def _grains(terms: Ints, shifts: Ints) -> list[int]:
    """For each row the largest power of two that divides all its terms << shifts, as an exponent."""
    lowest = terms & -terms
    exponents = np.where(
        lowest > 0, np.frexp(np.maximum(lowest, 1).astype(np.float64))[1] - 1 + shifts, _NO_GRAIN
    )
    return [int(grain) for grain in exponents.min(axis=1, initial=_NO_GRAIN)]


def _exact(parts: tuple[Terms, ...], magnitudes: list[int], grains: list[int], lowest: int) -> list[bool]:
    """For each row whether every product of fractions, every term and every sum of terms is an f32."""
    fits = np.ones(len(magnitudes), bool)
    for part in parts:
        products = np.where(part.integers != 0, part.mantissas, 0)
        grain = np.array(_grains(products, np.broadcast_to(part.exponents, products.shape)))
        fits &= (grain >= _F32_LEAST) & (np.abs(part.factors) < 2.0**_F32_TOP).all(axis=1)
    return [
        # Multiples of 2^grain that stay within 2^24 of them have 24-bit significands.
        bool(fit) and magnitude <= 1 << 24 + grain and magnitude < 1 << _F32_TOP - lowest
        for fit, magnitude, grain in zip(fits, magnitudes, grains, strict=True)
    ]


def _kinds(parts: tuple[Terms, ...]) -> list[Kind]:
    """What IEEE arithmetic makes of each row's non-finite fractions, whatever the order of additions."""
    totals = np.zeros(len(parts[0].integers))
    with np.errstate(invalid="ignore"):
        for part in parts:
            finite = np.isfinite(part.left.values) & np.isfinite(part.right.values)
            totals += np.where(finite, 0, part.integers * part.factors).sum(axis=1)
    return [_kind(total) for total in totals.tolist()]


def _kind(total: float) -> Kind:
    if np.isfinite(total):
        return Kind.FINITE
    if np.isnan(total):
        return Kind.NAN
    return Kind.PLUS_INFINITY if total > 0 else Kind.MINUS_INFINITY
