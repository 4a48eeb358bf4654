"""Matrix products from Python, on operands that have been interleaved and prepared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codegen.errors import KernelCallError
from codegen.formats import Q4_0
from codegen.formats.decode import Bytes
from codegen.host import EngineOptions, as_bytes
from codegen.layouts import GROUP_BYTES, GROUP_ROWS
from codegen.ops.gemm.plan import record_of
from codegen.runtime import Instance
from codegen.spec import KernelSpec

F32 = npt.NDArray[np.float32]


class MatrixKernel(Instance):
    """A kernel of gemv or gemm, ready to be called."""

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op not in ("gemv", "gemm"):
            raise KernelCallError(f"{spec.name}: multiplies no matrices; name a gemv or gemm kernel")
        super().__init__(spec, wasm, options)
        self.record = record_of(spec)

    def multiply(self, x: Bytes, y: Bytes, n: int, rows: int, columns: int) -> F32:
        """The products of all rows with all columns.

        Args:
            x: interleaved weights, (rows + 3) / 4 * n / 32 blocks of 4 rows (codegen.layouts).
            y: prepared activations, columns * n / 32 records of this kernel's kind.
            n: elements of a row and of a column, a multiple of 32.
            rows: of weights.
            columns: of activations.

        Returns:
            f32, shape (columns, rows).

        Raises:
            KernelCallError: n is not a multiple of 32, or an operand has not as many bytes.
        """
        blocks = Q4_0.blocks(n)
        operands = {"x": as_bytes("x", x), "y": as_bytes("y", y)}
        needs = {
            "x": -(-rows // GROUP_ROWS) * blocks * GROUP_BYTES,
            "y": columns * blocks * self.record.bytes,
        }
        for name, need in needs.items():
            if operands[name].size != need:
                raise KernelCallError(
                    f"{name}: {operands[name].size} bytes, {rows} x {columns} x {n} need {need}"
                )
        with self.exclusive() as arena:
            arena.reset()
            s = arena.allocate(4 * rows * columns)
            at_x, at_y = (arena.put(data) for data in operands.values())
            self.invoke(n, s, rows, at_x, at_y, columns, rows)
            return arena.view(s, 4 * rows * columns).copy().view("<f4").reshape(columns, rows)
