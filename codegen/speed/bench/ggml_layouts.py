"""How native GGML's repacked products want their operands: 8 rows of weights interleaved, and 4 columns."""

from __future__ import annotations

import numpy as np

from codegen.formats import Q4_0, Q8_0, Format
from codegen.speed.bench.problem import U8

ROWS, COLUMNS = 8, 4
"""Interleaved in block_q4_0x8 and in block_q8_0x4."""

_CHUNK = 8
"""Bytes of a block's quants that stay together."""

_SIGN = 0x88
"""What turns a byte's nibbles from 8 too large into signed ones."""


def weights(x: U8, blocks: int) -> U8:
    """Q4_0 rows of `blocks` blocks as block_q4_0x8; as many rows as are whole groups of ROWS."""
    return _interleaved(x, blocks, Q4_0, ROWS, _SIGN)


def activations(y: U8, blocks: int) -> U8:
    """Q8_0 columns of `blocks` blocks as block_q8_0x4, a multiple of COLUMNS."""
    return _interleaved(y, blocks, Q8_0, COLUMNS, 0)


def _interleaved(data: U8, blocks: int, block: Format, together: int, flipped: int) -> U8:
    """Of each block of a group's rows: all scales, then chunk by chunk each row's quants."""
    groups = data.reshape(-1, together, blocks, block.bytes).swapaxes(1, 2)
    scales, quants = np.split(groups, [block.quants_offset], axis=3)
    chunks = quants.reshape(*quants.shape[:3], -1, _CHUNK).swapaxes(2, 3) ^ np.uint8(flipped)
    flat = (*groups.shape[:2], -1)
    joined: U8 = np.concatenate([scales.reshape(flat), chunks.reshape(flat)], axis=2)
    return np.ascontiguousarray(joined).reshape(-1)
