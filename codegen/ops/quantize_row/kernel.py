"""Quantising from Python."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codegen.errors import KernelCallError
from codegen.formats import FORMATS
from codegen.host import EngineOptions
from codegen.runtime import Instance
from codegen.spec import KernelSpec

F32 = npt.NDArray[np.float32]


class Quantizer(Instance):
    """A kernel of quantize_row, ready to be called."""

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op != "quantize_row":
            raise KernelCallError(f"{spec.name}: quantises nothing; name a quantize_row kernel")
        super().__init__(spec, wasm, options)
        self.format = FORMATS[spec.x]

    def quantize(self, values: F32) -> bytes:
        """The blocks of a row.

        Args:
            values: f32, shape (k,), k a multiple of a block's elements.

        Raises:
            KernelCallError: they are not, or not of that type.
        """
        if values.dtype != np.float32 or values.ndim != 1 or len(values) % self.format.elements:
            raise KernelCallError(
                f"values: {values.dtype} of shape {values.shape}; pass one row of float32, whole blocks"
            )
        size = len(values) // self.format.elements * self.format.bytes
        with self.exclusive() as arena:
            arena.reset()
            x = arena.put(np.ascontiguousarray(values).view(np.uint8))
            y = arena.allocate(size)
            self.invoke(x, y, len(values))
            return arena.view(y, size).tobytes()
