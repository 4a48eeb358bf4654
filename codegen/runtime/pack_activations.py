"""Preparing activations from Python."""

from __future__ import annotations

from codegen.formats.decoding import F32
from codegen.formats.layouts import Record
from codegen.runtime.host import as_count, as_f32
from codegen.runtime.instance import Instance, Space


class Preparer(Instance):
    """A kernel of pack_activations, ready to be called."""

    operations = ("pack_activations",)
    record: Record

    def prepare(self, values: F32) -> bytes:
        """The records of columns of activations, one column after the other.

        Args:
            values: f32, shape (columns, n), n a multiple of 32; a column is a row of this array.

        Raises:
            KernelCallError: they are not, or not of that type.
        """
        columns, n = as_f32("values", values, ("columns", "n")).shape
        as_count("values: n", n, self.x.elements)
        records = Space(columns * self.x.blocks(n) * self.record.bytes)
        return self.compute(n, records, values, 4 * n, columns)
