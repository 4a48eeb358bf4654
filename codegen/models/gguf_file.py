"""A GGUF model as the Q4_0 matrices in it.

All but the weights is checked before anything is handed out.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import TracebackType

from codegen.base.errors import GGUFError, nearest
from codegen.formats import Q4_0
from codegen.models import gguf_split
from codegen.models.gguf_header import Header, Tensor, quoted
from codegen.models.gguf_scan import Scan
from codegen.models.gguf_source import Source, shown
from codegen.models.gguf_split import Parts

_REQUANTISE = "examples/requantise.py IN.gguf OUT.gguf makes a Q4_0 file of it"


@dataclass(frozen=True)
class Matrix:
    """A Q4_0 tensor as rows of blocks; the outer dimensions of 3 or 4 are multiplied into rows."""

    name: str
    rows: int
    columns: int
    stacked: int  # how many matrices those rows are: more than one of experts, for example
    source: Source
    start: int  # of the first row in the source; row by row, columns / 32 blocks of 18 bytes

    def read(self, first: int = 0, rows: int | None = None) -> bytes:
        """Its rows of blocks, or some of them.

        Args:
            first: the first row.
            rows: how many; None is all from `first` on.

        Raises:
            GGUFError: the file has become shorter since it was opened, or is closed.
        """
        step = Q4_0.blocks(self.columns) * Q4_0.bytes
        return self.source.read(
            self.start + first * step, (self.rows - first if rows is None else rows) * step
        )


@dataclass(frozen=True)
class LeftOut:
    """A tensor that is no Q4_0 matrix."""

    name: str
    type: str
    reason: str


class GGUFFile:
    """The tensors of a model: `matrices` are its Q4_0 ones, `left_out` the others.

    Of a model that is split, the parts that lie beside the file are in it; `parts` says which
    those are. A context manager: weights can be read until the end of the `with` block.
    """

    def __init__(
        self,
        path: Path,
        matrices: tuple[Matrix, ...],
        left_out: tuple[LeftOut, ...],
        parts: Parts,
        sources: ExitStack,
    ) -> None:
        self.path = path
        self.matrices = matrices
        self.left_out = left_out
        self.parts = parts
        self._sources = sources

    @classmethod
    def open(cls, path: Path, *, need_q4_0: bool = True) -> GGUFFile:
        """Opens the file and its other parts, and checks all but the weights.

        Args:
            path: the file.
            need_q4_0: refuse a model that has no Q4_0 tensor.

        Raises:
            GGUFError: a file cannot be read or is not sound, parts do not belong together, or
                there is no Q4_0 tensor.
        """
        with ExitStack() as sources:
            found, parts = _read(path, sources)
            matrices: list[Matrix] = []
            left_out: list[LeftOut] = []
            for source, header in found:
                for tensor in header.tensors:
                    if tensor.type == "Q4_0":
                        matrices.append(_matrix(tensor, source))
                    else:
                        reason = "not Q4_0" if tensor.known else "a type that gguf does not know"
                        left_out.append(LeftOut(tensor.name, tensor.type, reason))
            if need_q4_0 and not matrices:
                raise GGUFError(_no_q4_0(path, left_out, parts))
            return cls(path, tuple(matrices), tuple(left_out), parts, sources.pop_all())

    def matrix(self, name: str) -> Matrix:
        """The Q4_0 matrix of this name; GGUFError where the file has none."""
        for matrix in self.matrices:
            if matrix.name == name:
                return matrix
        for other in self.left_out:
            if other.name == name:
                raise GGUFError(f"{shown(self.path)}: tensor {quoted(name)} is {other.type}; {_REQUANTISE}")
        known = ", ".join(quoted(m.name) for m in self.matrices[:3]) or "none"
        more = f" and {len(self.matrices) - 3} more" if len(self.matrices) > 3 else ""
        where = "" if self.parts.complete else f" in {self.parts}"
        near = nearest(name, (matrix.name for matrix in self.matrices))
        raise GGUFError(
            f"{shown(self.path)}: no tensor {quoted(name)}{where}; its Q4_0 tensors are {known}{more}{near}"
        )

    def __enter__(self) -> GGUFFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._sources.close()


def _read(path: Path, sources: ExitStack) -> tuple[list[tuple[Source, Header]], Parts]:
    """The file and the parts beside it, in the order of their numbers."""

    def opened(one: Path) -> tuple[Source, Header]:
        source = Source(one)
        sources.callback(source.close)
        return source, Scan(source).header()

    given = opened(path)
    split = given[1].split
    if split is None:
        return [given], Parts()
    others = {number: opened(other) for number, other in gguf_split.beside(path, split)}
    found = sorted({split.number: given, **others}.items())
    gguf_split.check([(number, source.path, header) for number, (source, header) in found], split)
    return [part for _, part in found], Parts(tuple(number for number, _ in found), split.count)


def _matrix(tensor: Tensor, source: Source) -> Matrix:
    columns, *outer = tensor.dims
    return Matrix(tensor.name, prod(outer), columns, prod(outer[1:]), source, tensor.start)


def _no_q4_0(path: Path, left_out: list[LeftOut], parts: Parts) -> str:
    counts = Counter(t.type for t in left_out).most_common(8)
    types = ", ".join(f"{n} of type {name}" for name, n in counts) or "none at all"
    if parts.complete:
        return f"{shown(path)}: no Q4_0 tensor ({types}); {_REQUANTISE}"
    return f"{shown(path)}: {parts}, with no Q4_0 tensor ({types}); {parts.mend}"
