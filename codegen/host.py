"""wasmtime as kernels meet it: engines with chosen features, and values it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import wasmtime

from codegen.arena import WASM32_BYTES
from codegen.errors import KernelCallError, shown

Extern = (
    wasmtime.Func | wasmtime.Global | wasmtime.Memory | wasmtime.SharedMemory | wasmtime.Table | wasmtime.Tag
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
    config = wasmtime.Config()
    config.wasm_relaxed_simd = options.relaxed_simd
    config.wasm_simd = options.simd
    config.wasm_relaxed_simd_deterministic = options.relaxed_simd_deterministic
    return wasmtime.Engine(config)


def as_i32(value: int) -> int:
    """An address or count as wasmtime wants it, signed; a value that would wrap is refused."""
    if not -(1 << 31) <= value < WASM32_BYTES:
        raise KernelCallError(f"{value}: does not fit in 32 bits")
    return value - WASM32_BYTES if value >= 1 << 31 else value


def as_argument(kind: str, value: int) -> int:
    """An argument for a parameter of type i32, where it is an address or count, or i64."""
    if kind == "i32":
        return as_i32(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise KernelCallError(f"{value}: does not fit in 64 bits")
    return value


def as_count(what: str, value: object, multiple: int = 1) -> int:
    """A non-negative whole number, numpy's included, as an int.

    Raises:
        KernelCallError: it is none, or not a multiple of `multiple`.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    count = int(value) if whole else -1  # type: ignore[call-overload]
    if count < 0 or count % multiple:
        wanted = f"multiple of {multiple}" if multiple > 1 else "whole number"
        raise KernelCallError(f"{what} = {shown(value)}: must be a non-negative {wanted}")
    return count


def reason_of(error: Exception) -> str:
    """The cause, which wasmtime puts in the last of many lines."""
    return str(error).strip().splitlines()[-1].strip()


def as_func(export: Extern) -> wasmtime.Func:
    """An export that is known to be a function."""
    assert isinstance(export, wasmtime.Func)
    return export


def as_memory(export: Extern) -> wasmtime.Memory:
    """An export that is known to be a memory."""
    assert isinstance(export, wasmtime.Memory)
    return export
