"""mul_mat from Python: weights stay in a kernel's memory, activations come and results go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.errors import KernelCallError
from codegen.formats import Q4_0
from codegen.formats.decode import Bytes
from codegen.host import EngineOptions, as_bytes, as_count
from codegen.layouts import GROUP_BYTES, GROUP_ROWS
from codegen.ops.gemm.plan import PANEL, record_of
from codegen.runtime import Instance
from codegen.spec import KernelSpec

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Weights:
    """A matrix in a kernel's memory.

    Attributes:
        kernel: whose memory.
        generation: how often that had been cleared.
        at: where it is.
        rows, n: its rows, and the elements of each.
    """

    kernel: MulMat
    generation: int
    at: int
    rows: int
    n: int


class MulMat(Instance):
    """A kernel of mul_mat, ready to be called."""

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op != "mul_mat":
            raise KernelCallError(f"{spec.name}: takes no f32 activations; name a mul_mat kernel")
        super().__init__(spec, wasm, options)
        self.record = record_of(spec)
        self._generation, self._end = 0, self.arena.allocate(0)

    def clear(self) -> None:
        """Gives the memory of all weights back."""
        with self.exclusive() as arena:
            arena.reset()
            self._generation, self._end = self._generation + 1, arena.allocate(0)

    def place(self, x: Bytes, rows: int, n: int) -> Weights:
        """Puts interleaved weights into memory, beside those that are there, until `clear`.

        Args:
            x: (rows + 3) / 4 * n / 32 blocks of 4 rows, as repack makes them (codegen.layouts).
            rows: of weights.
            n: elements of a row, a multiple of 32.

        Raises:
            KernelCallError: x has not as many bytes.
        """
        as_count("rows", rows), as_count("n", n, Q4_0.elements)
        data, need = as_bytes("x", x), -(-rows // GROUP_ROWS) * Q4_0.blocks(n) * GROUP_BYTES
        if data.size != need:
            raise KernelCallError(f"x: {data.size} bytes, {rows} rows of {n} need {need}; repack them first")
        with self.exclusive() as arena:
            arena.rewind(self._end)
            at = arena.put(data)
            self._end = at + need
            return Weights(self, self._generation, at, rows, n)

    def adopt(self, at: int, rows: int, n: int, end: int) -> Weights:
        """Interleaved weights that are in memory already; products use what comes from `end` on."""
        with self.exclusive():
            self._end = end
            return Weights(self, self._generation, at, rows, n)

    def multiply(self, weights: Weights, y: F32) -> F32:
        """The products of all rows with all columns, in one call.

        Args:
            weights: what `place` gave.
            y: f32, shape (columns, n).

        Returns:
            f32, shape (columns, rows).

        Raises:
            KernelCallError: y is not of that type and shape, or the weights are no longer here, or elsewhere.
        """
        if getattr(y, "dtype", None) != np.float32 or y.ndim != 2 or y.shape[1] != weights.n:
            what = f"{y.dtype} of shape {y.shape}" if isinstance(y, np.ndarray) else type(y).__name__
            raise KernelCallError(f"y: {what}; pass an array of columns of {weights.n} float32")
        columns, rows = len(y), weights.rows
        with self.exclusive() as arena:
            if weights.kernel is not self or weights.generation != self._generation:
                raise KernelCallError(
                    "weights: not in this kernel's memory, or cleared since; place them here"
                )
            arena.rewind(self._end)
            at_y = arena.put(np.ascontiguousarray(y).view(np.uint8).reshape(-1))
            work = arena.allocate(min(columns, PANEL) * Q4_0.blocks(weights.n) * self.record.bytes)
            s = arena.allocate(4 * rows * columns)
            self.invoke(weights.n, s, rows, weights.at, at_y, 4 * weights.n, columns, rows, work)
            return arena.view(s, 4 * rows * columns).copy().view("<f4").reshape(columns, rows)
