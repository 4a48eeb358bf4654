"""The oracle of layouts: interleaved weights and prepared activations, made and read back without WebAssembly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codegen.formats import Q4_0, Q8_0
from codegen.formats.decoding import Bytes
from codegen.formats.layouts import GROUP_BYTES, GROUP_ROWS, GROUP_SCALES, Activations, Kind, Record
from codegen.oracle.dot import decode

U8 = npt.NDArray[np.uint8]

_CHUNK = 4
"""Bytes of a row that stand together in an interleaved block."""

_WIDE_FACTORS = np.array([256, 16, 1, 256])
"""Of even low, even high, odd low and odd high quants: their nibbles stand at bits 0, 4, 8 and, moved down, 0."""


def interleave(data: Bytes, rows: int, n: int) -> bytes:
    """Rows of Q4_0 blocks, one after the other, as groups of 4 rows; what is missing in the last group is zeros."""
    blocks = Q4_0.blocks(n)
    count = -(-rows // GROUP_ROWS)
    padded = np.zeros((count * GROUP_ROWS, blocks, Q4_0.bytes), np.uint8)
    padded[:rows] = np.frombuffer(data, np.uint8).reshape(rows, blocks, Q4_0.bytes)
    groups = padded.reshape(count, GROUP_ROWS, blocks, Q4_0.bytes).transpose(0, 2, 1, 3)
    scales = groups[..., : Q4_0.quants_offset]
    chunks = Q4_0.quants_bytes // _CHUNK
    quants = groups[..., Q4_0.quants_offset :].reshape(*groups.shape[:3], chunks, _CHUNK).swapaxes(2, 3)
    flat = count, blocks
    return np.concatenate(
        [scales.reshape(*flat, GROUP_SCALES), quants.reshape(*flat, GROUP_BYTES - GROUP_SCALES)], axis=2
    ).tobytes()


def deinterleave(data: Bytes, rows: int, n: int) -> bytes:
    """The rows that `interleave` was given."""
    blocks = Q4_0.blocks(n)
    flat = -(-rows // GROUP_ROWS), blocks
    groups = np.frombuffer(data, np.uint8).reshape(*flat, GROUP_BYTES)
    scales = groups[..., :GROUP_SCALES].reshape(*flat, GROUP_ROWS, Q4_0.quants_offset)
    chunks = Q4_0.quants_bytes // _CHUNK
    quants = groups[..., GROUP_SCALES:].reshape(*flat, chunks, GROUP_ROWS, _CHUNK).swapaxes(2, 3)
    joined = np.concatenate([scales, quants.reshape(*flat, GROUP_ROWS, Q4_0.quants_bytes)], axis=3)
    return joined.swapaxes(1, 2).reshape(flat[0] * GROUP_ROWS, blocks, Q4_0.bytes)[:rows].tobytes()


def prepare(data: Bytes, record: Record) -> bytes:
    """Q8_0 blocks as records of prepared activations."""
    y = decode(data, Q8_0)
    quants = y.values.astype(np.int32)
    pairs = np.add.reduce(quants.reshape(-1, 8, 2, 2), axis=(1, 3))
    if record.kind is Kind.PAIRS:
        start = (-8 * pairs).astype("<i2").view("<u4")
    else:
        start = (-8 * pairs.sum(axis=1, keepdims=True)).astype("<i4").view("<u4")
    words = quants.astype(np.int8).view("<u4")
    if record.kind is Kind.WIDE:
        start = (start.view("<i4") * 256).view("<u4")
        low, high = quants.reshape(-1, 2, 8, 2).transpose(1, 0, 2, 3)
        parts = np.stack([low[..., 0], high[..., 0], low[..., 1], high[..., 1]], axis=1)
        words = (parts * _WIDE_FACTORS[:, None]).astype("<i2").reshape(len(quants), Q8_0.elements).view("<u4")
    # an infinity stays one, NaN too; all else is exact, since |d| < 2^16
    with np.errstate(invalid="ignore"):
        scales = y.scales.view(np.float16).astype(np.float32) * np.float32(2.0**record.exponent)
    joined = np.concatenate([start, scales.astype("<f4").view("<u4")[:, None], words], axis=1)
    return joined.repeat(4 if record.activations is Activations.BROADCAST else 1, axis=1).tobytes()
