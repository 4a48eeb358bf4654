"""GGML's own code on the same matrices, where it is installed: row by row, and repacked as llama.cpp would have it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from codegen.formats import Q8_0
from codegen.formats.quantise import quantize_q8_0
from codegen.models.run.batches import Group, Part, row_bytes
from codegen.models.run.paths import F32, F32_BYTES, Columns, Path
from codegen.oracle.dot import Expected
from codegen.speed.bench import ggml_layouts, native, native_functions
from codegen.speed.bench.clock import clock
from codegen.speed.bench.machine import cache_bytes

U8 = npt.NDArray[np.uint8]

_CHECKED = 64
"""Rows of a matrix whose dot products are checked: each is a call."""

_LEAST_SHARE = 0.25
"""Of what calls cost: a product that seems to take less beside it cannot be told from nothing.

Where a call and the clock take 2.5 us, differences of two empty calls reach a tenth of it.
"""

Call = tuple[Any, tuple[int, ...], tuple[int, ...]]
"""A function, its arguments, and arguments with which it has nothing to do: what calls cost is taken off."""


@contextmanager
def paths() -> Iterator[list[Path]]:
    """What this machine's GGML can do.

    Native code runs in a thread of its own: codegen.speed.bench.native_host.Apart says why.

    Raises:
        InputError: it is not installed.
    """
    repacks = native.has(native_functions.GEMV) and native.has(native_functions.GEMM)
    with ThreadPoolExecutor(1, "native") as thread:
        found: list[Path] = [_DotPath(thread)]
        if repacks:
            found.append(_RepackedPath(thread))
        yield found


class _DotPath:
    """Many rows a call, as one long row: calls cost more than a row does."""

    name, label = f"native {native_functions.VEC_DOT}", "native vec_dot"
    ordered = False

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread
        self._dot = native_functions.function(native_functions.VEC_DOT, *_types("i p z p z p z i"))
        self.columns = 0
        self._calls: dict[Group, list[Call]] = {}
        self._kept: list[np.ndarray] = []
        self.y: dict[int, U8] = {}
        self.weights: dict[Part, U8] = {}
        self.s = np.zeros((1, 1), np.float32)

    def place(self, groups: Sequence[Group], values: Columns) -> None:
        """See Path."""
        parts = [part for group in groups for part in group.parts]
        self._kept = []
        self.columns = len(next(iter(values.values())))
        self.y = {n: _bytes(quantize_q8_0(y)).reshape(self.columns, -1) for n, y in values.items()}
        self.s = np.zeros((self.columns, max(part.rows for part in parts)), np.float32)
        self.weights = {part: self._weights(part) for part in parts}
        self._calls = {group: [call for part in group.parts for call in self._all(part)] for group in groups}

    def products(self, part: Part) -> F32:
        """See Path."""
        return self._thread.submit(self._products, part).result()

    def bound(self, expected: Expected, blocks: int) -> Fraction:
        """GGML adds in an order of its own, which is not held to our bound."""
        return Fraction(native_functions.TOLERANCE) * expected.magnitude

    def seconds(self, group: Group, passes: int) -> float:
        """See Path."""
        return self._thread.submit(self._seconds, self._calls[group], passes).result()

    def _seconds(self, calls: list[Call], passes: int) -> float:
        now, products, costs = clock(), 0.0, 0.0
        for _ in range(passes):
            start = now()
            for function, arguments, _ in calls:
                function(*arguments)
            middle = now()
            for function, _, nothing in calls:
                function(*nothing)
            cost = now() - middle
            products += middle - start - cost
            costs += cost
        return products if products > _LEAST_SHARE * costs else 0.0

    def _weights(self, part: Part) -> U8:
        return np.frombuffer(part.data, np.uint8)

    def _all(self, part: Part) -> list[Call]:
        return self._dots(part, self._rows_a_call(part), part.rows)

    def _rows_a_call(self, part: Part) -> int:
        room = cache_bytes()[1] // 2  # of the first cache, for copies of the activations
        column: int = self.y[part.n].shape[1]
        return max(1, min(part.rows, room // column))

    def _dots(self, part: Part, rows_a_call: int, rows: int) -> list[Call]:
        """Calls for the first `rows` rows, results one after the other."""
        step, x = row_bytes(part.n), np.frombuffer(part.data, np.uint8)
        y = np.tile(self.y[part.n], rows_a_call)
        self._kept += [x, y]
        calls: list[Call] = []
        for column in range(self.columns):
            at_y = y.ctypes.data + column * y.shape[1]
            for first in range(0, rows, rows_a_call):
                n = part.n * min(rows_a_call, rows - first)
                to, at_x = self._to(column, first // rows_a_call), x.ctypes.data + first * step
                rest = (to, 0, at_x, 0, at_y, 0, 1)
                calls.append((self._dot, (n, *rest), (0, *rest)))
        return calls

    def _to(self, column: int, row: int) -> int:
        start: int = self.s.ctypes.data
        return start + F32_BYTES * (column * self.s.shape[1] + row)

    def _products(self, part: Part) -> F32:
        rows = min(part.rows, _CHECKED)
        for function, arguments, _ in self._dots(part, 1, rows):
            function(*arguments)
        return self.s[:, :rows].copy()


class _RepackedPath(_DotPath):
    """Weights interleaved by eights: gemm for columns in fours, gemv for others.

    A matrix whose rows are not whole groups is done row by row, as llama.cpp does it.
    """

    name, label = "native ggml_gemv/gemm_q4_0_8x8_q8_0", "native repacked"

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        super().__init__(thread)
        types = _types("i p z p p i i")
        self._gemv, self._gemm = (
            native_functions.function(name, *types) for name in (native_functions.GEMV, native_functions.GEMM)
        )

    def _weights(self, part: Part) -> U8:
        if part.rows % ggml_layouts.ROWS:
            return super()._weights(part)
        return ggml_layouts.weights(np.frombuffer(part.data, np.uint8), Q8_0.blocks(part.n))

    def _all(self, part: Part) -> list[Call]:
        if part.rows % ggml_layouts.ROWS:
            return super()._all(part)
        x, y = self.weights[part].ctypes.data, self.y[part.n]
        in_fours = self.columns // ggml_layouts.COLUMNS * ggml_layouts.COLUMNS
        calls: list[Call] = []
        if in_fours:
            fours = ggml_layouts.activations(np.ascontiguousarray(y[:in_fours]), Q8_0.blocks(part.n))
            self._kept.append(fours)
            calls.append(self._call(self._gemm, part, x, 0, fours.ctypes.data, in_fours))
        for column in range(in_fours, self.columns):
            calls.append(self._call(self._gemv, part, x, column, y[column].ctypes.data, 1))
        return calls

    def _call(self, function: Any, part: Part, x: int, first: int, y: int, columns: int) -> Call:
        arguments = (part.n, self._to(first, 0), self.s.shape[1], x, y, columns)
        return function, (*arguments, part.rows), (*arguments, 0)

    def _products(self, part: Part) -> F32:
        if part.rows % ggml_layouts.ROWS:
            return super()._products(part)
        for function, arguments, _ in self._all(part):
            function(*arguments)
        return self.s[:, : part.rows].copy()


def _bytes(data: bytes) -> U8:
    return np.frombuffer(data, np.uint8)


def _types(letters: str) -> tuple[Any, ...]:
    known = {"i": ctypes.c_int, "p": ctypes.c_void_p, "z": ctypes.c_size_t}
    return tuple(known[letter] for letter in letters.split())
