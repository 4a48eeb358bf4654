"""Kernels called with right arguments, and with anything."""

from __future__ import annotations

import array
import functools
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from codegen.base.errors import CodegenError, KernelCallError
from codegen.formats import FORMATS, Q4_0, Q8_0
from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.spec import KernelSpec
from codegen.oracle.dot import dot_rows
from codegen.runtime.vec_dot import Kernel
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.verify.dot.judge import bound, mismatch
from tools.fuzz.api_specs import any_spec
from tools.fuzz.target import expect, refused

_KERNELS_KEPT = 32
_LARGE = (
    1 << 30,
    1 << 31,
    1 << 32,
    1 << 61,
    1 << 64,
    10**30,
    np.int64((1 << 63) - 32),
    np.uint32((1 << 32) - 32),
)
_ROWS = 2000
"""Rows asked for in wrong calls, or far too many: what is between takes time, rightly."""

_ONES_X, _ONES_Y = b"\0\x3c" + b"\x99" * 16, b"\0\x3c" + b"\1" * 32
"""A block of 32 ones in each format."""

Whole = int | np.integer[Any]

_RELEASED = memoryview(b"gone")
_RELEASED.release()


def wrong_call(random: Random) -> tuple[KernelSpec, str, list[Any], dict[str, Any]]:
    """A kernel, a method of it, and arguments of which some may be wrong."""
    spec = random.choice((KernelSpec(Isa.SCALAR), KernelSpec(Isa.RELAXED, 4, memory=Memory.IMPORT)))
    blocks, rows = random.randint(0, 9), random.choice((0, 1, 3, _ROWS))
    n: Any = blocks * 32
    rows_asked: Any = rows
    if random.random() < 0.3:
        n = random.choice((-32, 33, None, 32.0, True, "32", np.uint8(32), *_LARGE))
    if random.random() < 0.3:
        rows_asked = random.choice((-1, None, 1.0, True, "1", np.uint8(1), *_LARGE))
    x, y = _buffer(random, rows * blocks * Q4_0.bytes), _buffer(random, blocks * Q8_0.bytes)
    if random.random() < 0.3:
        return spec, "vec_dot", [x, y, n], {}
    return spec, random.choice(("rows", "place")), [x, y, rows_asked, n], {"per_row": random.random() < 0.3}


def call_wrongly(spec: KernelSpec, method: str, arguments: list[Any], named: dict[str, Any]) -> str:
    """A call that may be wrong, whose result is not looked at; the next one, which is right, has to work."""
    kernel = _kernel(spec)
    outcome = "called"
    try:
        getattr(kernel, method)(*arguments, **named)
    except CodegenError as error:
        outcome = refused(error)
    expect(kernel.vec_dot(_ONES_X, _ONES_Y, 32) == 32, "wrong result after a wrong call", spec.name)
    return outcome


def _buffer(random: Random, size: int) -> Any:
    """Bytes of this size or another, in any wrapping; or no bytes at all."""
    size = random.choice((size, size, size, max(0, size - 1), size + 100, 0))
    data = random.randbytes(size)
    return random.choice((*_WRAPPED, *_WRAPPED, _no_buffer(random)))(data)


def _no_buffer(random: Random) -> Callable[[bytes], Any]:
    return random.choice((
        lambda _: None, len, list, str, lambda _: _RELEASED,
        lambda data: memoryview(data)[::2],
        lambda data: np.frombuffer(data, np.uint8)[::-1],
        lambda data: np.zeros((len(data), 2), order="F"),
        lambda data: np.zeros(len(data), "M8[s]"),
        lambda data: np.zeros(len(data), object),
        lambda data: np.zeros(len(data), "i4,f8"),
    ))  # fmt: skip


_WRAPPED: tuple[Callable[[bytes], Any], ...] = (
    bytes,
    bytearray,
    memoryview,
    lambda data: np.frombuffer(data, np.uint8),
    lambda data: array.array("b", data),
    lambda data: memoryview(b"." + data)[1:],
    lambda data: np.frombuffer(data, np.int8).reshape(1, -1),
)
"""The same bytes as other objects."""


def right_call(random: Random) -> tuple[KernelSpec, Whole, Whole, bool, bytes, bytes, int]:
    """Any kernel there can be, and blocks for it in any wrapping."""
    spec = any_spec(random, [OPERATIONS["vec_dot"]])
    weights, activations = FORMATS[spec.x].bytes, FORMATS[spec.y].bytes
    blocks, rows, per_row = random.randint(0, 40), random.choice((0, 1, 2, 4, 100)), random.random() < 0.5
    x = random.randbytes(rows * blocks * weights)
    y = random.randbytes((rows if per_row else 1) * blocks * activations)
    if random.random() < 0.7:
        x, y = _finite(x, weights), _finite(y, activations)
    rows_type, n_type = random.choice((int, np.int64, np.uint8)), random.choice((int, np.int64, np.uint16))
    wrapping = random.randrange(len(_WRAPPED))
    return (
        spec,
        rows_type(rows),
        n_type(blocks * 32),
        per_row,
        x,
        y,
        wrapping,
    )


def _finite(data: bytes, size: int) -> bytes:
    content = bytearray(data)
    content[1::size] = bytes(byte & 0xBF for byte in content[1::size])
    return bytes(content)


def call_rightly(
    spec: KernelSpec, rows: Whole, n: Whole, per_row: bool, x: bytes, y: bytes, wrapping: int
) -> str:
    """A call whose results must be right; only a number of numpy's may be refused."""
    wrap = _WRAPPED[wrapping]
    try:
        got = _kernel(spec).rows(wrap(x), wrap(y), rows, n, per_row=per_row)  # type: ignore[arg-type]
    except KernelCallError as error:
        expect(type(rows) is not int or type(n) is not int, "right call refused", str(error))
        return refused(error)
    rows, n = int(rows), int(n)
    expect(got.shape == (rows,), "shape", str(got.shape))
    plan, x_format, y_format = dot_plan(spec), FORMATS[spec.x], FORMATS[spec.y]
    x_step, y_step = x_format.blocks(n) * x_format.bytes, y_format.blocks(n) * y_format.bytes
    for row, value in enumerate(got.tolist()):
        part = x[row * x_step : (row + 1) * x_step]
        other = y[row * y_step : (row + 1) * y_step] if per_row else y
        (expected,) = dot_rows(part, other, 1, n, x_format, y_format)
        wrong = mismatch(value, expected, bound(plan, n // 32, expected.magnitude))
        expect(not wrong, "wrong result", f"{spec.name}, row {row}: {wrong}")
    return "computed"


@functools.lru_cache(_KERNELS_KEPT)
def _kernel(spec: KernelSpec) -> Kernel:
    return Kernel.load(spec)
