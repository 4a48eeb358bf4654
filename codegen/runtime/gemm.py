"""Matrix products from Python, on operands that have been interleaved and prepared."""

from __future__ import annotations

import numpy as np

from codegen.formats.decoding import F32, Bytes
from codegen.formats.layouts import Record, interleaved_bytes
from codegen.runtime.host import as_bytes, as_count
from codegen.runtime.instance import Instance, Space


class MatrixKernel(Instance):
    """A kernel of gemv or gemm, ready to be called."""

    operations = ("gemv", "gemm")
    record: Record

    def multiply(self, x: Bytes, y: Bytes, n: int, rows: int, columns: int) -> F32:
        """The products of all rows with all columns.

        Args:
            x: interleaved weights, (rows + 3) / 4 * n / 32 blocks of 4 rows (codegen.formats.layouts).
            y: prepared activations, columns * n / 32 records of this kernel's kind.
            n: elements of a row and of a column, a multiple of 32.
            rows: of weights.
            columns: of activations.

        Returns:
            f32, shape (columns, rows).

        Raises:
            KernelCallError: n is not a multiple of 32, or an operand has not as many bytes.
        """
        rows, columns = as_count("rows", rows), as_count("columns", columns)
        n = as_count("n", n, self.x.elements)
        records = columns * self.x.blocks(n) * self.record.bytes
        weights = as_bytes("x", x, interleaved_bytes(rows, n), f"{rows} x {n} repacked weights")
        activations = as_bytes("y", y, records, f"{columns} x {n} prepared activations")
        products = self.compute(n, Space(4 * rows * columns), rows, weights, activations, columns, rows)
        return np.ndarray((columns, rows), "<f4", products).copy()
