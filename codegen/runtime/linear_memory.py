"""A wasm memory of any type, as what runs kernels uses it: unshared or shared, of 32-bit or 64-bit addresses."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
import numpy.typing as npt

from codegen.base.errors import KernelCallError
from codegen.kernels.plan import PAGE
from codegen.wasm.wasmtime_library import needing_room, wasmtime

U8 = npt.NDArray[np.uint8]

WASM32_BYTES, WASM64_BYTES = 1 << 32, 1 << 64
"""What memories of 32-bit and 64-bit addresses can have."""


@cache
def _shared_memory() -> type[wasmtime.SharedMemory]:
    """Shared memories that can be imported: wasmtime 50 hands on a pointer to its pointer."""
    ffi = wasmtime._ffi

    class Importable(wasmtime.SharedMemory):
        def _as_extern(self) -> ffi.wasmtime_extern_t:
            pointer = ffi.wasmtime_extern_union(sharedmemory=self.ptr())
            return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_SHAREDMEMORY, pointer)

    return Importable


class LinearMemory:
    """A memory and the store that it is in."""

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory | wasmtime.SharedMemory) -> None:
        self._store, self.memory = store, memory

    @classmethod
    def like(
        cls, wanted: wasmtime.MemoryType, engine: wasmtime.Engine, store: wasmtime.Store
    ) -> LinearMemory:
        """A new one that a module which imports such a memory takes, as small as it may be."""
        shared = wanted.is_shared
        return cls(store, _shared_memory()(engine, wanted) if shared else wasmtime.Memory(store, wanted))

    @property
    def type(self) -> wasmtime.MemoryType:
        """What it was made as."""
        memory = self.memory
        return memory.type(self._store) if isinstance(memory, wasmtime.Memory) else memory.type()

    @property
    def most(self) -> int:
        """Bytes that its addresses reach."""
        return WASM64_BYTES if self.type.is_64 else WASM32_BYTES

    @property
    def size(self) -> int:
        """Bytes it has now."""
        memory = self.memory
        return memory.data_len(self._store) if isinstance(memory, wasmtime.Memory) else memory.data_len()

    def view(self) -> U8:
        """All of it; stale when it has grown, since it may have moved."""
        memory = self.memory
        start = memory.data_ptr(self._store) if isinstance(memory, wasmtime.Memory) else memory.data_ptr()
        whole = (ctypes.c_uint8 * self.size).from_address(ctypes.addressof(start.contents))
        return np.ctypeslib.as_array(whole)

    def reach(self, end: int) -> None:
        """Grows it so that it has at least `end` bytes.

        Raises:
            KernelCallError: it may not have as many.
            CannotRunError: there is no room for them.
        """
        missing = -(-end // PAGE) - self.size // PAGE
        if missing <= 0:
            return
        declared = self.type.limits.max
        most = self.most if declared is None else declared * PAGE
        if end > most:
            raise KernelCallError(f"wasm memory: {end} bytes asked for, it may have {most}; use less")
        with needing_room(f"{end} bytes", told="grow"):
            if isinstance(self.memory, wasmtime.Memory):
                self.memory.grow(self._store, missing)
            else:
                self.memory.grow(missing)
