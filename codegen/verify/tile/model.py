"""The f32 additions of all matrix kernels, in their order: the same for any ISA, strategy, tile and engine.

Of a row and a column, block by block: total = total + S * (dx * dy), each term rounded once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codegen.formats import Q4_0, Q8_0
from codegen.formats.decoding import Bytes
from codegen.oracle.dot import decode

F32 = npt.NDArray[np.float32]


def products(x: Bytes, y: Bytes, rows: int, columns: int, n: int) -> F32:
    """What a matrix kernel computes, bit for bit where scales are finite, and by class where they are not.

    Args:
        x: rows of Q4_0 blocks, one after the other, not interleaved.
        y: columns of Q8_0 blocks.
        rows: of weights.
        columns: of activations.
        n: elements of each, a multiple of 32.

    Returns:
        f32, shape (columns, rows).
    """
    blocks = Q4_0.blocks(n)
    left, right = decode(x, Q4_0), decode(y, Q8_0)
    weights = left.values.reshape(rows, blocks, Q4_0.elements).astype(np.float32)
    quants = right.values.reshape(columns, blocks, Q8_0.elements).astype(np.float32)
    dx = left.scales.view(np.float16).astype(np.float32).reshape(rows, blocks)
    dy = right.scales.view(np.float16).astype(np.float32).reshape(columns, blocks)
    totals = np.zeros((columns, rows), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        for block in range(blocks):
            sums = quants[:, block] @ weights[:, block].T  # integers below 2^16: exact in f32, in any order
            totals += sums * (dx[:, block] * dy[:, block, None])
    return totals
