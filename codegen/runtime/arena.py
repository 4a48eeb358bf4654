"""A wasm memory handed out in parts."""

from __future__ import annotations

import numpy as np

from codegen.base.errors import KernelCallError
from codegen.formats.decoding import Bytes
from codegen.runtime.linear_memory import U8, LinearMemory

_ALIGN = 64


class Arena:
    """Hands out parts of a wasm memory, growing it as needed; `reset` gives all of them back."""

    def __init__(self, memory: LinearMemory) -> None:
        self._memory, self._top = memory, 0
        self.most = memory.most
        """Bytes that addresses reach."""

    def reset(self) -> None:
        """Forgets every allocation."""
        self._top = 0

    def rewind(self, top: int) -> None:
        """Forgets every allocation from this address on."""
        self._top = top

    def allocate(self, size: int, residue: int = 0) -> int:
        """The address of `size` bytes, `residue` past a multiple of 64."""
        address = -(-self._top // _ALIGN) * _ALIGN + residue
        if address + size > self.most:
            raise KernelCallError(
                f"wasm memory: {address + size} bytes asked for, its addresses reach {self.most >> 30} GiB"
            )
        self.reach(address + size)
        self._top = address + size
        return address

    def put(self, data: Bytes, residue: int = 0) -> int:
        """Copies `data` in; its address."""
        source = np.frombuffer(data, np.uint8) if len(data) else np.zeros(0, np.uint8)
        address = self.allocate(source.size, residue)
        self.view(address, source.size)[:] = source
        return address

    def view(self, address: int, size: int) -> U8:
        """A window on memory; stale after the next allocation, since memory may have moved."""
        return self._memory.view()[address : address + size]

    def reach(self, end: int) -> None:
        """Grows the memory so that it has at least `end` bytes."""
        self._memory.reach(end)

    @property
    def end(self) -> int:
        """Bytes the memory has now."""
        return self._memory.size
