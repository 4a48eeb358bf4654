"""Matrices of activations as calls: columns at strides of every kind."""

from __future__ import annotations

import numpy as np

from codegen.formats import Q8_0
from codegen.formats.layouts import Record
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels.quantize_row.blocks import VALUE_BYTES
from codegen.oracle.inputs import rng_of
from codegen.oracle.matrix import prepare
from codegen.verify.calls import Call
from codegen.verify.quantize_row.cases import F32, usual

GAPS = (0, 1, 6, 4 * Q8_0.elements)
"""Bytes between columns."""


def call_of(columns: F32, gap: int, record: Record) -> Call:
    """Columns, shape (columns, n), with so many bytes that are no values between them."""
    count, n = columns.shape
    rows = columns.astype("<f4").view(np.uint8).reshape(count, VALUE_BYTES * n)
    # NaN, should they be read
    spaced = np.concatenate([rows, np.full((count, gap), 0xFF, np.uint8)], axis=1).tobytes()
    blocks = quantize_q8_0(columns.reshape(-1))
    return Call(
        arguments={"n": n, "s": "s", "vx": "vx", "bx": VALUE_BYTES * n + gap, "nr": count},
        inputs={"vx": spaced[: len(spaced) - gap]},
        outputs={"s": prepare(blocks, record)},
        block_bytes={"vx": Q8_0.elements * VALUE_BYTES, "s": record.bytes},
        blocks=len(blocks) // Q8_0.bytes,
    )


def overlapping(stride: int, columns: int, blocks: int, record: Record) -> Call:
    """Columns that share values: each starts `stride` bytes after the one before, which is no whole column."""
    n = blocks * Q8_0.elements
    bits = rng_of(f"overlapping-{stride}").integers(0, 256, stride * (columns - 1) + VALUE_BYTES * n)
    data = bits.astype(np.uint8).tobytes()
    rows = [np.frombuffer(data, "<f4", n, at * stride) for at in range(columns)]
    return Call(
        arguments={"n": n, "s": "s", "vx": "vx", "bx": stride, "nr": columns},
        inputs={"vx": data},
        outputs={"s": prepare(quantize_q8_0(np.concatenate(rows).astype(np.float32)), record)},
        blocks=columns * blocks,
    )


def matrix(name: str, columns: int, blocks: int) -> F32:
    """Normally distributed values, of another size in each block."""
    return usual(name, columns * blocks).reshape(columns, blocks * Q8_0.elements)
