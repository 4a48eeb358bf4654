"""Rows of weights as calls: any bytes at all, at strides of every kind."""

from __future__ import annotations

import numpy as np

from codegen.formats import Q4_0
from codegen.formats.layouts import GROUP_BYTES
from codegen.oracle.inputs import rng_of
from codegen.oracle.matrix import interleave
from codegen.verify.calls import Call

GAPS = (0, 1, 6, 2 * Q4_0.bytes)
"""Bytes between rows."""


def call_of(name: str, rows: int, blocks: int, gap: int = 0) -> Call:
    """Rows with so many bytes between them that are no block's; a negative gap makes rows share bytes."""
    size, n = blocks * Q4_0.bytes, blocks * Q4_0.elements
    stride = size + gap
    span = (rows - 1) * stride + size if rows else 0
    data = rng_of(name).integers(0, 256, span).astype(np.uint8).tobytes()
    apart = b"".join(data[row * stride : row * stride + size] for row in range(rows))
    return Call(
        arguments={"n": n, "s": "s", "vx": "vx", "bx": stride, "nc": rows},
        inputs={"vx": data},
        outputs={"s": interleave(apart, rows, n)},
        block_bytes={"vx": Q4_0.bytes, "s": GROUP_BYTES},
        blocks=rows * blocks,
    )
