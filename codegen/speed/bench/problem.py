"""What is timed: products of a matrix's rows with columns of activations, or rows that are quantised or repacked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from codegen.base.errors import InputError
from codegen.formats import FORMATS, Q4_0, Q8_0, Format, blocks_of, encode
from codegen.formats.quantise import quantize_q8_0
from codegen.oracle.dot import Expected, dot_rows
from codegen.oracle.inputs import random_halves, rng_of
from codegen.speed.bench.machine import LEVELS, capacity, working_set

F32_BYTES = 4

_DISTINCT, _DISTINCT_ELEMENTS = 64, 1 << 18
"""Rows repeat after so many: exact results of a gigabyte of weights would take longer than any measurement."""

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]


class Work(StrEnum):
    """What is done with the rows, and what figures are told of: times are nanoseconds of one of these."""

    PRODUCTS = "dot products"
    """Of each row of weights with each column of activations."""
    QUANTISE = "quantised rows"
    """Rows of f32."""
    REPACK = "repacked rows"
    """Rows of weights."""


@dataclass(frozen=True)
class Problem:
    """Rows of `n` elements each, and what is done with them.

    Attributes:
        n: elements of a row and of a column, a multiple of 32.
        rows: at least 1.
        level: where the rows live, one of machine.LEVELS.
        columns: of activations, at least 1; 1 where there are none.
        work: what is done.
        weights: the format of the rows, by its name; it says nothing where rows are f32.
    """

    n: int
    rows: int
    level: str
    columns: int = 1
    work: Work = Work.PRODUCTS
    weights: str = Q4_0.name

    @classmethod
    def at(
        cls,
        n: int,
        level: str,
        columns: int = 1,
        work: Work = Work.PRODUCTS,
        weights: str = Q4_0.name,
        *,
        multiple: int = 1,
    ) -> Problem:
        """As many rows as the level's working set holds, beside the activations.

        Where a row and its activations are more than the level holds, it is the next one's problem, and says so.

        Args:
            n: elements of a row.
            level: one of machine.LEVELS.
            columns: of activations.
            work: what is done.
            weights: the format of the rows.
            multiple: what the number of rows is a multiple of, where there are as many.
        """
        one = cls(n, 1, level, columns, work, weights)
        for place in LEVELS[LEVELS.index(level) :]:
            room = max(0, min(working_set(place), capacity(place) - one.beside))
            if rows := room // (one.x_step + one.result_bytes):
                return replace(one, rows=rows // multiple * multiple or rows, level=place)
        raise InputError(f"n = {n}: more than a memory of 32 bits holds")

    @classmethod
    def of(
        cls,
        n: int,
        rows: int,
        columns: int = 1,
        work: Work = Work.PRODUCTS,
        weights: str = Q4_0.name,
    ) -> Problem:
        """As many rows as told, wherever they live."""
        asked = cls(n, rows, LEVELS[-1], columns, work, weights)
        level = next((one for one in LEVELS[:-1] if asked.bytes <= capacity(one)), LEVELS[-1])
        if asked.footprint > capacity(LEVELS[-1]):
            raise InputError(
                f"n = {n}, rows = {rows}, columns = {columns}: more than a memory of 32 bits holds; ask for fewer rows"
            )
        return replace(asked, level=level)

    @property
    def units(self) -> int:
        """Products, or rows: what times are told of."""
        return self.rows * self.columns

    @property
    def block(self) -> Format:
        """The format of the rows, where they are weights."""
        return FORMATS[self.weights]

    @property
    def x_step(self) -> int:
        """Bytes of a row."""
        if self.work is Work.QUANTISE:
            return F32_BYTES * self.n
        return self.block.blocks(self.n) * self.block.bytes

    @property
    def y_step(self) -> int:
        """Bytes of a row of n elements as Q8_0: of a column of activations, or of a quantised row."""
        return Q8_0.blocks(self.n) * Q8_0.bytes

    @property
    def result_bytes(self) -> int:
        """What a row becomes: an f32 a column, Q8_0 blocks, or as many bytes of weights."""
        made = {Work.PRODUCTS: F32_BYTES * self.columns, Work.QUANTISE: self.y_step}
        return made.get(self.work, self.x_step)

    @property
    def bytes(self) -> int:
        """Bytes of all rows."""
        return self.rows * self.x_step

    @property
    def beside(self) -> int:
        """Bytes of what there is beside rows: activations as Q8_0, for products."""
        return self.columns * self.y_step if self.work is Work.PRODUCTS else 0

    @property
    def footprint(self) -> int:
        """Bytes of all that one contestant has: rows, what becomes of them, and what is beside them."""
        return self.rows * (self.x_step + self.result_bytes) + self.beside

    @property
    def distinct(self) -> int:
        """How many rows are distinct."""
        return min(self.rows, self._most_distinct)

    @property
    def distinct_columns(self) -> int:
        """How many columns are distinct."""
        return min(self.columns, self._most_distinct)

    @property
    def _most_distinct(self) -> int:
        return min(_DISTINCT, max(2, _DISTINCT_ELEMENTS // self.n))

    @cached_property
    def pattern(self) -> U8:
        """The rows that are distinct, one after the other; they repeat."""
        if self.work is Work.QUANTISE:
            return _normal(f"bench-rows-{self.n}", self.distinct, self.n).reshape(-1).view(np.uint8)
        rng = rng_of(f"bench-{self.n}")
        block, blocks = self.block, self.distinct * self.block.blocks(self.n)
        codes = rng.integers(*block.codes.raw, (blocks, block.elements), endpoint=True)
        made = blocks_of(block, codes.astype(np.int16), random_halves(rng, blocks, "usual").astype(np.uint32))
        return np.frombuffer(encode(made), np.uint8)

    @property
    def x(self) -> U8:
        """All rows."""
        return np.resize(self.pattern, self.bytes)

    @cached_property
    def values(self) -> F32:
        """The columns of activations that are distinct, or the rows to quantise; shape (columns or rows, n)."""
        if self.work is Work.QUANTISE:
            return self.pattern.view(np.float32).reshape(self.distinct, self.n)
        return _normal(f"bench-columns-{self.n}", self.distinct_columns, self.n)

    @cached_property
    def y(self) -> U8:
        """`values` as Q8_0 blocks: quantised, so without the -128 that native GGML gets wrong."""
        return np.frombuffer(quantize_q8_0(self.values), np.uint8)

    @cached_property
    def exact(self) -> list[list[Expected]]:
        """The exact product of each distinct column, and in it of each distinct row."""
        columns = self.y.reshape(-1, self.y_step)
        return [dot_rows(self.pattern, column, self.distinct, self.n, self.block) for column in columns]


def _normal(name: str, rows: int, n: int) -> F32:
    """Normally distributed f32, of another size in each row."""
    rng = rng_of(name)
    return (rng.standard_normal((rows, n)) * rng.uniform(0.2, 4, (rows, 1))).astype("<f4")
