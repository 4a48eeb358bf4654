"""mul_mat from Python: weights stay in a kernel's memory, activations come and results go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.errors import KernelCallError
from codegen.formats import Q4_0
from codegen.host import EngineOptions
from codegen.layouts import GROUP_BYTES, GROUP_ROWS
from codegen.ops.gemm.plan import PANEL, record_of
from codegen.reference import Bytes
from codegen.runtime import Instance
from codegen.spec import KernelSpec

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Weights:
    """A matrix in a kernel's memory: where it is, its rows and the elements of each, and the first address after it."""

    at: int
    rows: int
    n: int
    end: int


class MulMat(Instance):
    """A kernel of mul_mat, ready to be called."""

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op != "mul_mat":
            raise KernelCallError(f"{spec.name}: takes no f32 activations; name a mul_mat kernel")
        super().__init__(spec, wasm, options)
        self.record = record_of(spec)

    def place(self, x: Bytes, rows: int, n: int) -> Weights:
        """Puts interleaved weights into memory, in place of any that were.

        Args:
            x: (rows + 3) / 4 * n / 32 blocks of 4 rows, as repack makes them (codegen.layouts).
            rows: of weights.
            n: elements of a row, a multiple of 32.

        Raises:
            KernelCallError: x has not as many bytes.
        """
        need = -(-rows // GROUP_ROWS) * Q4_0.blocks(n) * GROUP_BYTES
        if len(x) != need:
            raise KernelCallError(f"x: {len(x)} bytes, {rows} rows of {n} need {need}; repack them first")
        self.arena.reset()
        at = self.arena.put(x)
        return Weights(at, rows, n, at + need)

    def multiply(self, weights: Weights, y: F32) -> F32:
        """The products of all rows with all columns, in one call.

        Args:
            weights: what `place` gave.
            y: f32, shape (columns, n).

        Returns:
            f32, shape (columns, rows).

        Raises:
            KernelCallError: y is not of that type and shape.
        """
        if y.dtype != np.float32 or y.ndim != 2 or y.shape[1] != weights.n:
            raise KernelCallError(f"y: {y.dtype} of shape {y.shape}; pass columns of {weights.n} float32")
        columns, rows = len(y), weights.rows
        self.arena.rewind(weights.end)
        at_y = self.arena.put(np.ascontiguousarray(y).view(np.uint8).reshape(-1))
        work = self.arena.allocate(min(columns, PANEL) * Q4_0.blocks(weights.n) * self.record.bytes)
        s = self.arena.allocate(4 * rows * columns)
        self.invoke(weights.n, s, rows, weights.at, at_y, 4 * weights.n, columns, rows, work)
        return self.arena.view(s, 4 * rows * columns).copy().view("<f4").reshape(columns, rows)
