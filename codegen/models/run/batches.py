"""A model's matrices as a memory of 32 bits can take them: in batches, a matrix that is too large in row ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from codegen.formats import Q4_0
from codegen.models.gguf_file import GGUFFile, Matrix

MOST_BYTES = 512 << 20
"""Of weights and results in a path's memory at once: more than caches hold, and repacking needs it twice."""

_GRAIN = 8
"""Rows that all layouts keep together: ranges start at multiples of it."""

_LOOKED_UP = {"token_types.weight", "position_embd.weight", "per_layer_token_embd.weight"}
"""Embeddings that nothing is multiplied with, by GGUF's names of tensors."""

_EMBEDDING, _OUTPUT = "token_embd.weight", "output.weight"


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of a matrix, most often all of them.

    Attributes:
        matrix: of which.
        first: the first row, a multiple of 8.
        rows: how many.
        counted: whether a token's time has it in it.
    """

    matrix: Matrix
    first: int
    rows: int
    counted: bool

    @property
    def n(self) -> int:
        """Elements of a row."""
        return self.matrix.columns

    @cached_property
    def data(self) -> bytes:
        """Its rows of blocks: read once, so that all ways multiply the same weights."""
        return self.matrix.read(self.first, self.rows)

    def range(self, first: int, rows: int) -> memoryview:
        """Some of its rows of blocks."""
        step = row_bytes(self.n)
        return memoryview(self.data)[first * step : (first + rows) * step]


@dataclass(frozen=True, eq=False)
class Group:
    """Parts of one shape, which stand one after the other in a path's memory and are timed together.

    Each of them alone is soon done, and all of them are no more in a first cache than a token's matrices are.
    """

    parts: tuple[Part, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and elements of each."""
        return self.parts[0].rows, self.parts[0].n

    @property
    def counted(self) -> bool:
        """Whether a token's time has them in it."""
        return self.parts[0].counted


def row_bytes(n: int) -> int:
    """Of n elements as Q4_0 blocks."""
    return Q4_0.blocks(n) * Q4_0.bytes


def counted(matrix: Matrix, file: GGUFFile) -> bool:
    """Whether a token is multiplied with this matrix, once.

    An embedding is looked up; but that of tokens is the output's matrix, too, in a model that has no other. Of stacked
    matrices (experts), a token uses some: which, and how many, is not said here.
    """
    if matrix.stacked > 1 or matrix.name in _LOOKED_UP:
        return False
    names = {one.name for one in file.matrices} | {one.name for one in file.left_out}
    return matrix.name != _EMBEDDING or _OUTPUT not in names


def batches(matrices: Sequence[tuple[Matrix, bool]], columns: int) -> Iterator[list[Group]]:
    """All rows of all matrices.

    Args:
        matrices: each with whether it is counted.
        columns: of activations.
    """
    batch: list[Part] = []
    size = 0
    for part in _parts(matrices, columns):
        need = part.rows * _cost(part.n, columns)
        if batch and size + need > MOST_BYTES:
            yield _groups(batch)
            batch, size = [], 0
        batch.append(part)
        size += need
    if batch:
        yield _groups(batch)


def _parts(matrices: Sequence[tuple[Matrix, bool]], columns: int) -> Iterator[Part]:
    for matrix, is_counted in matrices:
        most = max(_GRAIN, MOST_BYTES // _cost(matrix.columns, columns) // _GRAIN * _GRAIN)
        for first in range(0, matrix.rows, most):
            yield Part(matrix, first, min(most, matrix.rows - first), is_counted)


def _cost(n: int, columns: int) -> int:
    return row_bytes(n) + 4 * columns


def _groups(parts: list[Part]) -> list[Group]:
    def key(part: Part) -> tuple[bool, int, int]:
        return part.counted, part.n, part.rows

    return [Group(tuple(each)) for _, each in groupby(sorted(parts, key=key), key)]
