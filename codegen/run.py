"""Real weights through a kernel: every Q4_0 matrix of a GGUF file times an activation vector, checked row by row."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codegen.errors import InputError
from codegen.formats import Q8_0
from codegen.gguf_file import Matrix
from codegen.ops.vec_dot.judge import bound, mismatch, ulps
from codegen.ops.vec_dot.kernel import Kernel
from codegen.ops.vec_dot.plan import plan
from codegen.reference import Expected, dot_rows, quantize_q8_0

_ROWS_AT_ONCE = 1 << 21
"""Weights that the oracle decodes at once, over columns: bounds its memory."""


@dataclass(frozen=True)
class MatrixResult:
    """One matrix times one vector.

    Attributes:
        name: the tensor's name.
        rows: dot products computed.
        columns: elements in each.
        worst_ulp: the largest error, in ulps of the sum of |S * dx * dy|.
        wrong: rows outside the bound.
        first_wrong: what the first of them is, empty where there is none.
        seconds: wall time of the one call into wasm, the blocks being in its memory.
    """

    name: str
    rows: int
    columns: int
    worst_ulp: float
    wrong: int
    first_wrong: str
    seconds: float

    @property
    def weights_per_second(self) -> float:
        """Throughput of the call."""
        return self.rows * self.columns / self.seconds


def activations(columns: int, seed: int, source: Path | None) -> bytes:
    """A Q8_0 vector: normally distributed and seeded, or the first `columns` numbers of an .npy file.

    Raises:
        InputError: the file is not a one-dimensional array of at least `columns` finite numbers.
    """
    if source is None:
        values = np.random.default_rng(seed).standard_normal(columns).astype(np.float32)
    else:
        values = _read_vector(source, columns)
    return quantize_q8_0(values)


def _read_vector(source: Path, columns: int) -> npt.NDArray[np.float32]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a file is old and slow to read is no matter
            loaded = np.load(source, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or 'not an .npy file'})") from None
    except Exception:  # a header is parsed as Python: what a broken one raises has no end
        raise InputError(f"{source}: not an .npy file; write it with numpy.save") from None
    if not isinstance(loaded, np.ndarray) or loaded.ndim != 1 or loaded.dtype.kind not in "fiu":
        raise InputError(f"{source}: must be one-dimensional and of numbers")
    if loaded.size < columns:
        raise InputError(f"{source}: has {loaded.size} numbers, a matrix has {columns} columns; give as many")
    with np.errstate(over="ignore"):
        values = np.asarray(loaded[:columns], np.float32)
    if not np.isfinite(values).all():
        raise InputError(f"{source}: has infinities or NaN among its first {columns} numbers")
    return values


def multiply(kernel: Kernel, matrix: Matrix, y: bytes) -> MatrixResult:
    """Multiplies a matrix with a vector in one call, and checks every row against the oracle."""
    placed = kernel.place(matrix.data, y, matrix.rows, matrix.columns)
    start = time.perf_counter()
    got = placed.compute()
    seconds = time.perf_counter() - start
    worst, wrong, first = 0.0, 0, ""
    numbers, blocks = plan(kernel.spec), matrix.columns // Q8_0.elements
    for row, (value, expected) in enumerate(zip(got.tolist(), _expected(matrix, y), strict=True)):
        worst = max(worst, ulps(value, expected))
        if reason := mismatch(value, expected, bound(numbers, blocks, expected.magnitude)):
            wrong, first = wrong + 1, first or f"row {row}: {reason}"
    return MatrixResult(matrix.name, matrix.rows, matrix.columns, worst, wrong, first, seconds)


def _expected(matrix: Matrix, y: bytes) -> Iterator[Expected]:
    step = max(1, _ROWS_AT_ONCE // max(matrix.columns, 1))
    row_bytes = len(matrix.data) // matrix.rows
    for start in range(0, matrix.rows, step):
        rows = min(step, matrix.rows - start)
        part = matrix.data[start * row_bytes : (start + rows) * row_bytes]
        yield from dot_rows(part, y, rows, matrix.columns)
