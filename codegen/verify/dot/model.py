"""The f32 additions of a kernel, in its order: what its bits must be, whatever they are.

The oracle says what is right; this says what was meant. It knows nothing of WebAssembly: terms are rounded once, as
docs/numerics.md promises, and added as the Plan's groups and accumulators say.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codegen.formats import Q8_0, Format
from codegen.formats.decoding import Bytes
from codegen.kernels.dot.plan import DotPlan
from codegen.oracle.dot import decode

F32 = npt.NDArray[np.float32]


def terms(x: Bytes, y: Bytes, weights: Format) -> F32:
    """S * (dx * dy) of each block, rounded once; scales finite."""
    left, right = decode(x, weights), decode(y, Q8_0)
    sums = (left.values.astype(np.int64) * right.values).sum(axis=1)
    scales = _f32(left.scales) * _f32(right.scales)  # exact: 11 bits times 11
    product: F32 = sums.astype(np.float32) * scales
    return product


def result(plan: DotPlan, each: F32) -> np.float32:
    """The sum of a row's terms, shape (blocks,), as the kernel adds them."""
    return np.float32(results(plan, each[:, None])[0])


def results(plan: DotPlan, each: F32) -> F32:
    """The sums of many rows' terms, shape (blocks, rows), as the kernel adds them; shape (rows,)."""
    rows = each.shape[1:]
    vectors = {a: np.zeros((4, *rows), np.float32) for a in plan.vectors}
    scalars = {a: np.zeros(rows, np.float32) for a in plan.scalars}
    unroll = plan.spec.unroll
    rest = len(each) // unroll * unroll
    for turn in each[:rest].reshape(-1, unroll, *rows):
        for group in plan.groups:
            here = turn[[block.index for block in group.blocks]]
            if group.size > 1:
                vectors[group.accumulator][: group.size] += here
            else:
                scalars[group.accumulator] += here[0]
    for term in each[rest:]:
        scalars[0] += term
    parts = list(scalars.values())
    if vectors:
        first, *others = vectors.values()
        for other in others:
            first = first + other
        parts.insert(0, (first[0] + first[1]) + (first[2] + first[3]))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _f32(halves: npt.NDArray[np.uint16]) -> F32:
    return halves.view(np.float16).astype(np.float32)
