"""Quantising from Python."""

from __future__ import annotations

from codegen.formats.decoding import F32
from codegen.runtime.host import as_count, as_f32
from codegen.runtime.instance import Instance, Space


class Quantizer(Instance):
    """A kernel of quantize_row, ready to be called."""

    operations = ("quantize_row",)

    def quantize(self, values: F32) -> bytes:
        """The blocks of a row.

        Args:
            values: f32, shape (k,), k a multiple of a block's elements.

        Raises:
            KernelCallError: they are not, or not of that type.
        """
        (k,) = as_f32("values", values, ("k",)).shape
        as_count("values: k", k, self.x.elements)
        return self.compute(values, Space(self.x.blocks(k) * self.x.bytes), k)
