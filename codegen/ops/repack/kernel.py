"""Interleaving weights from Python."""

from __future__ import annotations

from codegen.errors import KernelCallError, shown
from codegen.formats import FORMATS
from codegen.formats.decode import Bytes
from codegen.host import EngineOptions, as_bytes, as_count
from codegen.layouts import GROUP_BYTES, GROUP_ROWS
from codegen.runtime import Instance
from codegen.spec import KernelSpec


class Repacker(Instance):
    """A kernel of repack, ready to be called."""

    def __init__(self, spec: KernelSpec, wasm: bytes, options: EngineOptions | None = None) -> None:
        if spec.op != "repack":
            raise KernelCallError(f"{spec.name}: interleaves nothing; name a repack kernel")
        super().__init__(spec, wasm, options)
        self.format = FORMATS[spec.x]

    def repack(self, rows: Bytes, count: int, n: int) -> bytes:
        """Rows as groups of 4 interleaved ones.

        Args:
            rows: blocks, row after row.
            count: how many rows.
            n: elements of a row, a multiple of 32.

        Raises:
            KernelCallError: the numbers do not fit the bytes.
        """
        as_count("count", count), as_count("n", n, self.format.elements)
        blocks = n // self.format.elements
        data = as_bytes("rows", rows)
        if data.size != count * blocks * self.format.bytes:
            raise KernelCallError(
                f"rows: {data.size} bytes; {shown(count)} rows of {shown(n)} elements have"
                f" {count * blocks * self.format.bytes}"
            )
        size = -(-count // GROUP_ROWS) * blocks * GROUP_BYTES
        with self.exclusive() as arena:
            arena.reset()
            x = arena.put(data)
            s = arena.allocate(size)
            self.invoke(n, s, x, blocks * self.format.bytes, count)
            return arena.view(s, size).tobytes()
