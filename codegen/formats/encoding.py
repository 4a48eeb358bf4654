"""Blocks put together from their parts: the inverse of `decode`."""

from __future__ import annotations

import numpy as np

from codegen.formats.codes import Codes, Trits
from codegen.formats.decoding import F32, I16, U8, Blocks, Factors, Patterns, f32_of
from codegen.formats.format import Factor, Format

_TRIT_WEIGHTS = np.array([81, 27, 9, 3, 1], np.uint32)


def blocks_of(
    block: Format,
    codes: I16,
    scale: Patterns,
    scale_codes: I16 | None = None,
    minimum: Patterns | None = None,
    minimum_codes: I16 | None = None,
) -> Blocks:
    """Blocks of these parts, with the sums of codes that the format wants.

    Args:
        block: the format.
        codes: shape (blocks, elements).
        scale: bits of the fractions, shape (blocks, count), or (blocks,) where there is one a block.
        scale_codes: codes of the integer scales, shape (blocks, groups).
        minimum: bits of the minima's fractions, as those of the scale.
        minimum_codes: codes of the integer minima, shape (blocks, groups).
    """
    sums = sums_of(block, codes, f32_of(_columns(scale), block.scale.number)[:, :1]) if block.sums else None
    return Blocks(
        block,
        codes.astype(np.int16),
        Factors(_columns(scale), scale_codes),
        None if minimum is None else Factors(_columns(minimum), minimum_codes),
        sums,
    )


def sums_of(block: Format, codes: I16, scale: F32) -> I16:
    """The sums of codes that a block of activations has, as i16 or as the bits of f16, shape (blocks, count).

    Args:
        block: the format; it has sums.
        codes: shape (blocks, elements).
        scale: in f32, shape (blocks, 1), what sums are multiplied by where the format stores them so.
    """
    assert block.sums, f"{block.name}: has no sums"
    sums = (
        codes.astype(np.int32).reshape(-1, block.sums.count, block.elements // block.sums.count).sum(axis=2)
    )
    if not block.sums.scaled:
        whole: I16 = sums.astype(np.int16)
        return whole
    with np.errstate(invalid="ignore", over="ignore"):
        halves: I16 = (sums.astype(np.float32) * scale).astype(np.float16).view(np.int16)
    return halves


def encode(parts: Blocks) -> bytes:
    """The bytes of blocks; bits of a code that its field has no room for are lost."""
    block = parts.format
    raw = np.zeros((len(parts.codes), block.bytes), np.uint8)
    _put_codes(raw, parts.codes, block.codes)
    _put_factors(raw, parts.scale, block.scale)
    if parts.minimum and block.minimum:
        _put_factors(raw, parts.minimum, block.minimum)
    if parts.sums is not None and block.sums:
        _put(raw, block.sums.at, parts.sums.astype("<i2").view(np.uint8))
    return raw.tobytes()


def _put_factors(raw: U8, parts: Factors, entry: Factor) -> None:
    fractions = np.ascontiguousarray(parts.patterns.astype(f"<u{entry.number.bytes}"))
    _put(raw, entry.at, fractions.view(np.uint8))
    if parts.codes is not None and entry.codes:
        _put_codes(raw, parts.codes, entry.codes)


def _put_codes(raw: U8, codes: I16, entry: Codes) -> None:
    for one in entry.placed:
        plane = one.plane
        here = codes[:, one.codes.start : one.codes.stop].astype(np.uint16) >> np.uint16(one.low)
        each = here.reshape(len(raw), *one.shape).astype(np.uint32)
        if isinstance(plane, Trits):
            # The fraction of 256 is rounded up, so that rounding down finds each digit.
            wholes = (each * _TRIT_WEIGHTS[: plane.per_byte, None]).sum(axis=2)
            joined = (wholes * 256 + 242) // 243
        else:
            places = np.array(plane.places, np.uint32)[:, None]
            joined = np.bitwise_or.reduce((each & ((1 << plane.bits) - 1)) << places, axis=2)
        _put(raw, plane.at, joined.astype(np.uint8).reshape(len(raw), one.bytes))


def _put(raw: U8, at: int, field: U8) -> None:
    """Adds the bits of a field; the other bits of its bytes are other fields'."""
    raw[:, at : at + field.shape[1]] |= field


def _columns(patterns: Patterns) -> Patterns:
    wide = patterns.astype(np.uint32)
    return wide[:, None] if wide.ndim == 1 else wide
