"""Interleaving weights from Python."""

from __future__ import annotations

from codegen.formats.decoding import Bytes
from codegen.formats.layouts import interleaved_bytes
from codegen.runtime.host import as_bytes, as_count
from codegen.runtime.instance import Instance, Space


class Repacker(Instance):
    """A kernel of repack, ready to be called."""

    operations = ("repack",)

    def repack(self, rows: Bytes, count: int, n: int) -> bytes:
        """Rows as groups of 4 interleaved ones.

        Args:
            rows: blocks, row after row.
            count: how many rows.
            n: elements of a row, a multiple of 32.

        Raises:
            KernelCallError: the numbers do not fit the bytes.
        """
        count, n = as_count("count", count), as_count("n", n, self.x.elements)
        step = self.x.blocks(n) * self.x.bytes
        blocks = as_bytes("rows", rows, count * step, f"{count} x {n} weights")
        return self.compute(n, Space(interleaved_bytes(count, n)), blocks, step, count)
