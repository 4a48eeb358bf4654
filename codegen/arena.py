"""A wasm memory handed out in parts."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt
import wasmtime

from codegen.errors import KernelCallError
from codegen.plan import PAGE
from codegen.reference import Bytes

U8 = npt.NDArray[np.uint8]

WASM32_BYTES = 1 << 32
"""What a 32-bit memory can have."""

_ALIGN = 64


class Arena:
    """Hands out parts of a wasm memory, growing it as needed; `reset` gives all of them back."""

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory, base: int) -> None:
        self._store, self._memory, self._base, self._top = store, memory, base, base

    def reset(self) -> None:
        """Forgets every allocation."""
        self._top = self._base

    def rewind(self, top: int) -> None:
        """Forgets every allocation from this address on."""
        self._top = top

    def allocate(self, size: int, residue: int = 0) -> int:
        """The address of `size` bytes, `residue` past a multiple of 64."""
        address = -(-self._top // _ALIGN) * _ALIGN + residue
        if address + size > WASM32_BYTES:
            raise KernelCallError(f"wasm memory: {address + size} bytes asked for, a 32-bit memory has 4 GiB")
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
        whole: U8 = np.frombuffer(cast("memoryview", self._memory.get_buffer_ptr(self._store)), np.uint8)
        return whole[address : address + size]

    def reach(self, end: int) -> None:
        """Grows the memory so that it has at least `end` bytes."""
        missing = -(-end // PAGE) - self._memory.size(self._store)
        if missing > 0:
            try:
                self._memory.grow(self._store, missing)
            except wasmtime.WasmtimeError:
                raise KernelCallError(
                    f"wasm memory: cannot grow to {end} bytes; free memory or use less"
                ) from None

    @property
    def end(self) -> int:
        """Bytes the memory has now."""
        return int(self._memory.data_len(self._store))
