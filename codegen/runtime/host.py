"""wasmtime as kernels meet it: engines with chosen features, and values it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np

from codegen.base.errors import KernelCallError, shown
from codegen.formats.decoding import F32, Bytes
from codegen.runtime.linear_memory import U8, WASM32_BYTES, WASM64_BYTES, LinearMemory
from codegen.wasm.wasmtime_library import config, needing_room, wasmtime

if TYPE_CHECKING:
    Extern = (
        wasmtime.Func
        | wasmtime.Global
        | wasmtime.Memory
        | wasmtime.SharedMemory
        | wasmtime.Table
        | wasmtime.Tag
    )


@dataclass(frozen=True)
class EngineOptions:
    """Which WebAssembly features an engine has, and how relaxed SIMD behaves in it."""

    simd: bool = True
    relaxed_simd: bool = True
    relaxed_simd_deterministic: bool = False

    def __post_init__(self) -> None:
        if self.relaxed_simd and not self.simd:
            # wasmtime aborts the whole process on this one.
            raise KernelCallError("EngineOptions: relaxed_simd needs simd; turn both off")


@cache
def engine(options: EngineOptions) -> wasmtime.Engine:
    """A wasmtime engine with these options, made once."""
    chosen = config()
    chosen.wasm_relaxed_simd = options.relaxed_simd
    chosen.wasm_simd = options.simd
    chosen.wasm_relaxed_simd_deterministic = options.relaxed_simd_deterministic
    return wasmtime.Engine(chosen)


def as_i32(value: int) -> int:
    """An address or count as wasmtime wants it, signed; a value that would wrap is refused."""
    if not -(1 << 31) <= value < WASM32_BYTES:
        raise KernelCallError(f"{shown(value)}: does not fit in 32 bits")
    return value - WASM32_BYTES if value >= 1 << 31 else value


def as_i64(value: int) -> int:
    """Signed i64 form of value."""
    if not -(1 << 63) <= value < WASM64_BYTES:
        raise KernelCallError(f"{shown(value)}: does not fit in 64 bits")
    return value - WASM64_BYTES if value >= 1 << 63 else value


def as_arguments(types: Sequence[str], values: Sequence[int]) -> Iterator[int]:
    """Arguments for parameters of these types, i32 and i64, as wasmtime wants them."""
    for kind, value in zip(types, values, strict=True):
        yield as_i32(value) if kind == "i32" else as_i64(value)


def types_of(function: wasmtime.Func, store: wasmtime.Store) -> tuple[str, ...]:
    """The types of a function's parameters."""
    return tuple(map(str, function.type(store).params))


def as_count(what: str, value: object, multiple: int = 1) -> int:
    """A whole number from 0 to 2^63 - 1, numpy's included, as an int.

    Raises:
        KernelCallError: it is none, or not a multiple of `multiple`.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    count = int(value) if whole else -1  # type: ignore[call-overload]
    if not 0 <= count < 1 << 63 or count % multiple:
        wanted = f"multiple of {multiple}" if multiple > 1 else "whole number"
        raise KernelCallError(f"{what} = {shown(value)}: must be a {wanted} from 0 to 2^63 - 1")
    return count


def as_bytes(name: str, data: Bytes, need: int, what: str, *, longer: bool = False) -> U8:
    """The bytes of a buffer, in order: `need` of them, which are `what`; with `longer` it may have more, to leave out.

    Raises:
        KernelCallError: it is no buffer, not contiguous, of items that are larger, or of another size.
    """
    try:
        view = memoryview(cast("bytes", data))
    except (TypeError, ValueError):
        raise KernelCallError(f"{name}: must be a buffer of bytes, not {type(data).__name__}") from None
    if not view.c_contiguous:
        raise KernelCallError(f"{name}: must be contiguous; copy it first")
    if view.itemsize != 1:
        raise KernelCallError(f"{name}: must be blocks as bytes, not items of {view.itemsize} bytes")
    if view.nbytes < need or (view.nbytes > need and not longer):
        raise KernelCallError(f"{name}: {view.nbytes} bytes; pass {what}, {need} bytes")
    # numpy has no empty view of a buffer.
    return np.frombuffer(view, np.uint8)[:need] if need else np.zeros(0, np.uint8)


def as_f32(name: str, values: F32, shape: tuple[int | str, ...]) -> F32:
    """An array of float32, as it is; `shape` has each length, or the name of one that may be any.

    Raises:
        KernelCallError: it is no array, or not of that type and shape.
    """
    array = isinstance(values, np.ndarray)
    if array and values.dtype == np.float32 and len(values.shape) == len(shape):
        pairs = zip(values.shape, shape, strict=True)
        if all(isinstance(want, str) or have == want for have, want in pairs):
            return values
    found = f"{values.dtype} of shape {values.shape}" if array else type(values).__name__
    raise KernelCallError(f"{name}: {found}; pass an array of float32, shape ({', '.join(map(str, shape))})")


def reason_of(error: Exception) -> str:
    """The cause, which wasmtime puts in the last of many lines."""
    return str(error).strip().splitlines()[-1].strip()


def as_func(export: Extern) -> wasmtime.Func:
    """An export that is known to be a function."""
    assert isinstance(export, wasmtime.Func)
    return export


def as_memory(extern: Extern) -> wasmtime.Memory | wasmtime.SharedMemory:
    """An import or export that is known to be a memory."""
    assert isinstance(extern, wasmtime.Memory | wasmtime.SharedMemory)
    return extern


def instantiate(
    module: wasmtime.Module, engine: wasmtime.Engine, store: wasmtime.Store
) -> tuple[Mapping[str, Extern], LinearMemory]:
    """A kernel's module with the memory that it imports, if it does.

    Args:
        module: of one kernel, or of one with the loop for bench.
        engine: that made it.
        store: for the instance.

    Returns:
        its exports, and the memory that it works in.
    """
    with needing_room("a kernel, whose memory takes 4 GiB of addresses"):
        imports: list[Extern] = [
            LinearMemory.like(wanted.type, engine, store).memory
            for wanted in module.imports
            if isinstance(wanted.type, wasmtime.MemoryType)
        ]
        exports = wasmtime.Instance(store, module, imports).exports(store)
    return exports, LinearMemory(store, as_memory(imports[0] if imports else exports["memory"]))
