"""Activations from f32, byte for byte as GGML's reference quantisers make them (ggml-quants.c, quantize_row_*_ref).

Where C leaves a byte undefined, because a value is not finite or too small to divide by, it is 0 here.
"""

from __future__ import annotations

import numpy as np

from codegen.formats.decoding import F32, I16, Blocks, Factors, Patterns
from codegen.formats.encoding import blocks_of, encode, sums_of
from codegen.formats.format import Format
from codegen.formats.table import Q8_0, Q8_1, Q8_K

_LARGEST = np.float32(127)

_HALF_NAN = 0x7E00

_NEAREST = np.float32(3 << 22)
"""Added to an f32 below 2^22 it leaves the nearest integer, halves to even, in the low bits."""


def quantize_q8_0(values: F32) -> bytes:
    """Q8_0 blocks of f32 values, a multiple of 32 of them.

    d = max|v| / 127 in f32, stored as f16; each value times 1/d rounds half away from zero, as C's roundf does. A block
    with a NaN has the scale 0x7e00, one with an infinity an infinite scale, and quants of 0.
    """
    d, quants = _scaled(values, Q8_0)
    return encode(blocks_of(Q8_0, quants, _halves(d)))


def quantize_q8_1(values: F32) -> bytes:
    """Q8_1 blocks of f32 values, a multiple of 32 of them: the scales and quants of Q8_0.

    The sum of a block's quants is multiplied by d as it was before it was rounded to f16.
    """
    d, quants = _scaled(values, Q8_1)
    sums = sums_of(Q8_1, quants, d[:, None])
    return encode(Blocks(Q8_1, quants, Factors(_halves(d)[:, None]), sums=sums))


def quantize_q8_K(values: F32) -> bytes:  # noqa: N802, since GGML writes it so
    """Q8_K blocks of f32 values, a multiple of 256 of them.

    The first value v of the largest magnitude becomes -127: each value times -127 / v, in f32, rounds half to even and
    is at most 127; d = 1 / (-127 / v) in f32, so that it is negative where v is positive.
    """
    rows = _rows(values, Q8_K)
    # As C compares: a NaN is no larger than what was met before.
    magnitudes = np.where(np.isnan(rows), np.float32(0), np.abs(rows))
    largest = np.take_along_axis(rows, magnitudes.argmax(axis=1)[:, None], axis=1)
    some = magnitudes.max(axis=1, keepdims=True) > 0
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inverse = -_LARGEST / largest
        nearest = (rows * inverse + _NEAREST).view(np.int32) & 0x7FFFFF
        d = np.where(some, np.float32(1) / inverse, np.float32(0)).astype(np.float32)
    quants = np.where(some, np.minimum(nearest - (1 << 22), 127), 0).astype(np.int8).astype(np.int16)
    return encode(blocks_of(Q8_K, quants, d.view(np.uint32)))


def _scaled(values: F32, block: Format) -> tuple[F32, I16]:
    """The scale of each block, in f32, and its quants."""
    rows = _rows(values, block)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        d = np.abs(rows).max(axis=1) / _LARGEST
        inverse = np.where(d > 0, np.float32(1) / d, np.float32(0)).astype(np.float32)
        scaled = rows * inverse[:, None]
    scaled = np.where(np.isfinite(scaled), scaled, np.float32(0))
    whole = np.trunc(scaled)
    # roundf: the fraction left by trunc is exact, so comparing it with a half decides without an addition.
    quants: I16 = (whole + np.copysign(np.abs(scaled - whole) >= 0.5, scaled)).astype(np.int16)
    return d, quants


def _rows(values: F32, block: Format) -> F32:
    return np.ascontiguousarray(values, np.float32).reshape(-1, block.elements)


def _halves(scales: F32) -> Patterns:
    """Scales as the bits of f16; beyond its range a scale is infinite, and every NaN is the same."""
    with np.errstate(over="ignore", invalid="ignore"):
        halves = scales.astype(np.float16).view(np.uint16)
    return np.where(np.isnan(scales), np.uint16(_HALF_NAN), halves).astype(np.uint32)
