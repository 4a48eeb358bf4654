"""What is timed: the dot products of a matrix's rows with one row of activations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from codegen.bench.machine import LEVELS, capacity, working_set
from codegen.errors import InputError
from codegen.formats import FORMATS
from codegen.inputs import random_halves, rng_of
from codegen.ops.vec_dot.cases import Case, case
from codegen.ops.vec_dot.model import F32, result, terms
from codegen.ops.vec_dot.plan import plan
from codegen.reference import Expected, dot_rows
from codegen.spec import KernelSpec

_RESULT_BYTES = 4

_DISTINCT_ROWS, _DISTINCT_ELEMENTS = 64, 1 << 18
"""Rows repeat after so many: exact results of a gigabyte of weights would take longer than any measurement."""

U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Problem:
    """`rows` dot products of `n` elements each, all with the same activations.

    Attributes:
        n: elements of a row, a multiple of 32.
        rows: rows of weights, at least 1.
        level: where the weights live, one of machine.LEVELS.
    """

    n: int
    rows: int
    level: str

    @classmethod
    def at(cls, n: int, level: str) -> Problem:
        """As many rows as the level's working set holds, beside the activations.

        Where a row and its activations are more than the level holds, it is the next one's problem, and says so.
        """
        x, y = (FORMATS[name].bytes * n // FORMATS[name].elements for name in ("q4_0", "q8_0"))
        for place in LEVELS[LEVELS.index(level) :]:
            if rows := max(0, min(working_set(place), capacity(place) - y)) // (x + _RESULT_BYTES):
                return cls(n, rows, place)
        raise InputError(f"n = {n}: more than a memory of 32 bits holds")

    @property
    def x_step(self) -> int:
        """Bytes of a row of weights."""
        return self.n // FORMATS["q4_0"].elements * FORMATS["q4_0"].bytes

    @property
    def bytes(self) -> int:
        """Bytes of all weights."""
        return self.rows * self.x_step

    @cached_property
    def pattern(self) -> U8:
        """The rows of weights that are distinct, one after the other; they repeat."""
        return np.frombuffer(self._case.x, np.uint8)

    @property
    def distinct(self) -> int:
        """How many rows are distinct."""
        return min(self.rows, _DISTINCT_ROWS, max(2, _DISTINCT_ELEMENTS // self.n))

    @cached_property
    def y(self) -> U8:
        """The activations."""
        blocks = self.n // FORMATS["q8_0"].elements
        return np.frombuffer(self._case.y, np.uint8)[: blocks * FORMATS["q8_0"].bytes]

    @property
    def x(self) -> U8:
        """All rows of weights."""
        return np.resize(self.pattern, self.bytes)

    def bits(self, spec: KernelSpec) -> tuple[int, ...]:
        """The f32 bits that a kernel must give for each distinct row."""
        numbers = plan(spec)
        results = np.array([result(numbers, each) for each in self._terms], np.float32)
        return tuple(int(bits) for bits in results.view(np.uint32))

    def exact(self) -> list[Expected]:
        """The exact result of each distinct row."""
        return list(dot_rows(self.pattern, self.y, self.distinct, self.n))

    @cached_property
    def _terms(self) -> list[F32]:
        y, rows = self.y.tobytes(), self.pattern.reshape(self.distinct, self.x_step)
        return [terms(row.tobytes(), y) for row in rows]

    @cached_property
    def _case(self) -> Case:
        # -128, which no quantiser makes, would be wrong in native GGML.
        name, blocks = f"bench-{self.n}", self.distinct * self.n // FORMATS["q4_0"].elements
        rng = rng_of(name)
        weights, activations = rng.integers(-8, 8, (blocks, 32)), rng.integers(-127, 128, (blocks, 32))
        scales = (random_halves(rng, blocks, "usual") for _ in "xy")
        return case(name, (), weights.astype(np.int16), activations.astype(np.int16), *scales)
