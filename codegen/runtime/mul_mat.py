"""mul_mat from Python: weights stay in a kernel's memory, activations come and results go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.base.errors import KernelCallError
from codegen.formats.decoding import F32, Bytes
from codegen.formats.layouts import Record, interleaved_bytes
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import PANEL, record_of
from codegen.runtime.host import EngineOptions, as_bytes, as_count, as_f32
from codegen.runtime.instance import Instance, Space


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

    operations = ("mul_mat",)
    record: Record

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        super().__init__(spec, wasm, options)
        self.record, self._generation = record_of(spec), 0

    def clear(self) -> None:
        """Gives the memory of all weights back."""
        with self.exclusive():
            self._generation, self.kept = self._generation + 1, 0

    def place(self, x: Bytes, rows: int, n: int) -> Weights:
        """Puts interleaved weights into memory, beside those that are there, until `clear`.

        Args:
            x: (rows + 3) / 4 * n / 32 blocks of 4 rows, as repack makes them (codegen.formats.layouts).
            rows: of weights.
            n: elements of a row, a multiple of 32.

        Raises:
            KernelCallError: x has not as many bytes.
        """
        rows, n = as_count("rows", rows), as_count("n", n, self.x.elements)
        weights = as_bytes("x", x, interleaved_bytes(rows, n), f"{rows} x {n} repacked weights")
        with self.exclusive():
            (at,) = self.put(weights)
            self.kept = at + weights.size
            return Weights(self, self._generation, at, rows, n)

    def adopt(self, at: int, rows: int, n: int, end: int) -> Weights:
        """Interleaved weights that are in memory already; products use what comes from `end` on."""
        with self.exclusive():
            self.kept = end
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
        y = as_f32("y", y, ("columns", weights.n))
        columns, rows, n = len(y), weights.rows, weights.n
        work = Space(min(columns, PANEL) * self.x.blocks(n) * self.record.bytes)
        with self.exclusive():
            if weights.kernel is not self or weights.generation != self._generation:
                raise KernelCallError(
                    "weights: not in this kernel's memory, or cleared since; place them here"
                )
            s = Space(4 * rows * columns)
            products = self.compute(n, s, rows, weights.at, y, 4 * n, columns, rows, work)
        return np.ndarray((columns, rows), "<f4", products).copy()
