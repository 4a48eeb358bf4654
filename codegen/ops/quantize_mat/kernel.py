"""Preparing activations from Python."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codegen.errors import KernelCallError
from codegen.formats import Q8_0
from codegen.host import EngineOptions
from codegen.layouts import Record
from codegen.runtime import Instance
from codegen.spec import KernelSpec

F32 = npt.NDArray[np.float32]


class Preparer(Instance):
    """A kernel of quantize_mat, ready to be called."""

    record: Record

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op != "quantize_mat" or spec.record is None:
            raise KernelCallError(f"{spec.name}: prepares no activations; name a quantize_mat kernel")
        super().__init__(spec, wasm, options)
        self.record = spec.record

    def prepare(self, values: F32) -> bytes:
        """The records of columns of activations, one column after the other.

        Args:
            values: f32, shape (columns, n), n a multiple of 32; a column is a row of this array.

        Raises:
            KernelCallError: they are not, or not of that type.
        """
        if values.dtype != np.float32 or values.ndim != 2 or values.shape[1] % Q8_0.elements:
            raise KernelCallError(
                f"values: {values.dtype} of shape {values.shape}; pass columns of float32, whole blocks each"
            )
        columns, n = values.shape
        size = columns * (n // Q8_0.elements) * self.record.bytes
        with self.exclusive() as arena:
            arena.reset()
            x = arena.put(np.ascontiguousarray(values).view(np.uint8).reshape(-1))
            s = arena.allocate(size)
            self.invoke(n, s, x, 4 * n, columns)
            return arena.view(s, size).tobytes()
