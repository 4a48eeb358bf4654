"""GGML's own functions on rows of f32 and of blocks, through its prebuilt library."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from codegen.base.errors import InputError
from codegen.formats import Format
from codegen.speed.bench import native

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]


def library() -> ctypes.CDLL:
    try:
        return native.load().base
    except InputError as error:
        pytest.skip(str(error))


def dequantized(raw: U8, block: Format) -> F32 | None:
    """What dequantize_row_* makes of blocks; None where GGML has no such function."""
    function = getattr(library(), f"dequantize_row_{block.name}", None)
    if function is None:
        return None
    values = np.zeros(len(raw) * block.elements, np.float32)
    source = np.ascontiguousarray(raw)
    function(_pointer(source), _pointer(values), ctypes.c_int64(values.size))
    return values


def quantized(values: F32, block: Format) -> bytes:
    """What quantize_row_*_ref makes of values; bytes that it does not write are 0."""
    out = np.zeros(block.blocks(values.size) * block.bytes, np.uint8)
    source = np.ascontiguousarray(values)
    library()[f"quantize_row_{block.name}_ref"](_pointer(source), _pointer(out), ctypes.c_int64(values.size))
    return out.tobytes()


def _pointer(array: npt.NDArray[np.generic]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
