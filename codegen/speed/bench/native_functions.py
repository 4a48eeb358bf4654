"""GGML's functions on a problem's operands, in the layouts that they read, held against exact results.

A call through ctypes costs as much as a short product, so what as many calls with nothing to do cost is taken off.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from codegen.formats import Q4_0, Q8_0
from codegen.kernels.operations import contracts_of
from codegen.speed.bench import ggml_layouts, native
from codegen.speed.bench.clock import clock
from codegen.speed.bench.machine import cache_bytes
from codegen.speed.bench.problem import F32, F32_BYTES, Problem, Work

VEC_DOT = native.NAME
GEMV, GEMM = "ggml_gemv_q4_0_8x8_q8_0", "ggml_gemm_q4_0_8x8_q8_0"
QUANTIZE = "quantize_row_q8_0"

TOLERANCE = 2.0**-10
"""Of the sum of |S * dx * dy|: GGML adds parts of a block in f32, so it is not held to our bound, but it is no other
function."""

_POINTER, _INT, _SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t


class Function(Protocol):
    """A native function on a problem's operands."""

    name: str

    def check(self) -> str:
        """What it computes wrongly, or nothing."""

    def run(self, repetitions: int) -> float:
        """Does the work so often; seconds of this thread's CPU time, without the calls."""

    units: int


def of(name: str, problem: Problem) -> Function | None:
    """The function of this name, or None where it cannot do the problem or is not in this build of the library."""
    known: dict[str, Any] = {_vec_dot(problem): VecDot, QUANTIZE: Quantize}
    if problem.weights == Q4_0.name:
        known |= {GEMV: Gemv, GEMM: Gemm}
    if name == GEMM and problem.columns % ggml_layouts.COLUMNS:
        return None
    if name in (GEMV, GEMM) and problem.rows < ggml_layouts.ROWS:
        return None
    if name not in known or not native.has(name):
        return None
    made: Function = known[name](problem)
    return made


def _vec_dot(problem: Problem) -> str:
    return f"ggml_{contracts_of(problem.weights)['vec_dot']}"


def function(name: str, *parameters: Any) -> Any:
    """GGML's function of this name, which takes ctypes' `parameters` and returns nothing.

    Raises:
        InputError: GGML is not installed.
        AttributeError: this build does not have it.
    """
    found = native.load().cpu[name]
    found.argtypes, found.restype = parameters, None
    return found


class VecDot:
    """Computes many rows a call, as one row that long.

    Empty calls are also time in which the processor fetches ahead, so a call is as long as can be: with as many copies
    of the activations as leave the weights their place.
    """

    def __init__(self, problem: Problem) -> None:
        self.name, self._problem = _vec_dot(problem), problem
        self._function = function(self.name, _INT, _POINTER, _SIZE, _POINTER, _SIZE, _POINTER, _SIZE, _INT)
        room = cache_bytes()[1] // (4 if problem.level == "l1" else 2)
        self._calls = -(-problem.rows // max(1, room // problem.y_step))
        self._rows_a_call = problem.rows // self._calls  # all rows but fewer than there are calls
        self.units = self._calls * self._rows_a_call * problem.columns
        self._x = problem.x
        columns = np.resize(problem.y, problem.columns * problem.y_step).reshape(problem.columns, -1)
        self._y = np.tile(columns, self._rows_a_call)
        self._s = np.zeros(1, np.float32)

    def run(self, repetitions: int) -> float:
        """All rows, and calls for none, by turns, so that both meet the same machine."""
        n = self._rows_a_call * self._problem.n
        return sum(self._pass(n) - self._pass(0) for _ in range(repetitions))

    def _pass(self, n: int) -> float:
        function, step = self._function, self._rows_a_call * self._problem.x_step
        s, y, x = self._s.ctypes.data, self._y.ctypes.data, self._x.ctypes.data
        rows = range(x, x + self._calls * step, step)
        columns = range(y, y + self._y.size, self._y.shape[1])
        now = clock()
        start = now()
        for column in columns:
            for row in rows:
                function(n, s, 0, row, 0, column, 0, 1)
        return now() - start

    def check(self) -> str:
        """See Function."""
        problem = self._problem
        results = np.zeros((problem.distinct_columns, problem.distinct), np.float32)
        for column in range(problem.distinct_columns):
            y = self._y.ctypes.data + column * self._y.shape[1]
            for row in range(problem.distinct):
                x = self._x.ctypes.data + row * problem.x_step
                self._function(problem.n, self._s.ctypes.data, 0, x, 0, y, 0, 1)
                results[column, row] = self._s[0]
        return _difference(problem, results)


class _Repacked:
    """Whole groups of rows; one call does them all."""

    name: str

    def __init__(self, problem: Problem) -> None:
        self._problem, blocks = problem, Q4_0.blocks(problem.n)
        self._function = function(self.name, _INT, _POINTER, _SIZE, _POINTER, _POINTER, _INT, _INT)
        self._rows = problem.rows // ggml_layouts.ROWS * ggml_layouts.ROWS
        self.units = self._rows * problem.columns
        self._x = ggml_layouts.weights(problem.x[: self._rows * problem.x_step], blocks)
        self._y = np.resize(problem.y, problem.columns * problem.y_step)
        self._s = np.zeros((problem.columns, self._rows), np.float32)

    def _all(self, rows: int) -> None:
        raise NotImplementedError

    def run(self, repetitions: int) -> float:
        """All rows, and none, by turns."""
        return sum(_timed(self._all, self._rows) - _timed(self._all, 0) for _ in range(repetitions))

    def check(self) -> str:
        """See Function."""
        self._s[:] = np.nan
        self._all(self._rows)
        return _difference(self._problem, self._s)


class Gemv(_Repacked):
    """A call a column."""

    name = GEMV

    def _all(self, rows: int) -> None:
        s, x, y, n = self._s.ctypes.data, self._x.ctypes.data, self._y.ctypes.data, self._problem.n
        for column in range(self._problem.columns):
            to, of_it = s + column * F32_BYTES * self._rows, y + column * self._problem.y_step
            self._function(n, to, self._rows, x, of_it, 1, rows)


class Gemm(_Repacked):
    """All columns, in fours."""

    name = GEMM

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._y = ggml_layouts.activations(self._y, Q8_0.blocks(problem.n))

    def _all(self, rows: int) -> None:
        s, x, y, n = self._s.ctypes.data, self._x.ctypes.data, self._y.ctypes.data, self._problem.n
        self._function(n, s, self._rows, x, y, self._problem.columns, rows)


class Quantize:
    """All rows as one: they lie one after the other, and so do their blocks."""

    name = QUANTIZE

    def __init__(self, problem: Problem) -> None:
        assert problem.work is Work.QUANTISE
        self._problem, self.units = problem, problem.rows
        self._function = function(QUANTIZE, _POINTER, _POINTER, ctypes.c_int64)
        self._x = problem.x
        self._y = np.zeros(problem.rows * problem.y_step, np.uint8)

    def _all(self, rows: int) -> None:
        self._function(self._x.ctypes.data, self._y.ctypes.data, rows * self._problem.n)

    def run(self, repetitions: int) -> float:
        """All rows, and none, by turns."""
        return sum(_timed(self._all, self._problem.rows) - _timed(self._all, 0) for _ in range(repetitions))

    def check(self) -> str:
        """See Function. GGML's vectors round ties, and the inverse of the scale, otherwise than its own reference."""
        self._y[:] = 0xFF
        self._all(self._problem.rows)
        got = self._y.reshape(self._problem.rows, -1, Q8_0.bytes)
        wanted = np.resize(self._problem.y, self._y.size).reshape(got.shape)
        scales = (got[..., : Q8_0.quants_offset] == wanted[..., : Q8_0.quants_offset]).all(axis=2)
        quants = (one[..., Q8_0.quants_offset :].view(np.int8).astype(np.int16) for one in (got, wanted))
        near = (np.abs(np.subtract(*quants)) <= 1).all(axis=2)
        wrong = np.argwhere(~(scales & near))
        return f"row {wrong[0][0]}, block {wrong[0][1]} is of other values" if len(wrong) else ""


def _timed(work: Callable[[int], None], rows: int) -> float:
    now = clock()
    start = now()
    work(rows)
    return now() - start


def _difference(problem: Problem, results: F32) -> str:
    """The first result, shape (columns, rows), that is too far from the exact one, or nothing."""
    value, magnitude = (
        np.array([[float(getattr(one, part)) for one in column] for column in problem.exact])
        for part in ("value", "magnitude")
    )
    columns, rows = (np.arange(count) for count in results.shape)
    places = np.ix_(columns % problem.distinct_columns, rows % problem.distinct)
    near = np.abs(results - value[places]) <= TOLERANCE * magnitude[places]  # NaN is not
    if near.all():
        return ""
    column, row = np.argwhere(~near)[0]
    where = f"column {column}, " if len(columns) > 1 else ""
    return f"{where}row {row} is {float(results[column, row])!r}, not {float(value[places][column, row])!r}"
