"""A GGUF file as the Q4_0 matrices in it: checked before anything is handed out, and never copied."""

from __future__ import annotations

import mmap
import stat
from collections import Counter
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import TracebackType

from codegen.errors import GGUFError
from codegen.gguf_scan import Scan, quoted, shown

_REQUANTISE = "examples/requantise.py IN.gguf OUT.gguf makes a Q4_0 file of it"


@dataclass(frozen=True)
class Matrix:
    """A Q4_0 tensor as rows of blocks; the outer dimensions of 3 or 4 are multiplied into rows."""

    name: str
    rows: int
    columns: int
    data: memoryview  # read-only, the file itself: row by row, columns / 32 blocks of 18 bytes
    stacked: int = 1  # how many matrices those rows are: the outermost of 3 or 4 dimensions, as of experts


@dataclass(frozen=True)
class LeftOut:
    """A tensor that is no Q4_0 matrix."""

    name: str
    type: str
    reason: str


class GGUFFile:
    """The tensors of a GGUF file: `matrices` are its Q4_0 ones, `left_out` the others, in the file's order.

    A context manager: the matrices' data is the mapped file, and is released at the end of the `with` block.
    """

    def __init__(self, path: Path, matrices: tuple[Matrix, ...], left_out: tuple[LeftOut, ...]) -> None:
        self.path = path
        self.matrices = matrices
        self.left_out = left_out

    @classmethod
    def open(cls, path: Path, *, need_q4_0: bool = True) -> GGUFFile:
        """Map the file and check all of it but the weights, which may have any value.

        Args:
            path: the file.
            need_q4_0: refuse a file that has no Q4_0 tensor.

        Raises:
            GGUFError: the file cannot be read, is not sound, or has no Q4_0 tensor.
        """
        file = _map(path)
        view = memoryview(file)
        matrices: list[Matrix] = []
        left_out: list[LeftOut] = []
        for tensor in Scan(path, file).tensors():
            if tensor.type == "Q4_0":
                columns, *outer = tensor.dims
                data = view[tensor.start : tensor.end]
                matrices.append(Matrix(tensor.name, prod(outer), columns, data, prod(outer[1:])))
            else:
                reason = "not Q4_0" if tensor.known else "a type that gguf does not know"
                left_out.append(LeftOut(tensor.name, tensor.type, reason))
        if need_q4_0 and not matrices:
            counts = Counter(t.type for t in left_out).most_common(8)
            types = ", ".join(f"{n} of type {name}" for name, n in counts) or "none at all"
            raise GGUFError(f"{shown(path)}: no Q4_0 tensor ({types}); {_REQUANTISE}")
        return cls(path, tuple(matrices), tuple(left_out))

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
        raise GGUFError(f"{shown(self.path)}: no tensor {quoted(name)}; its Q4_0 tensors are {known}{more}")

    def __enter__(self) -> GGUFFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for matrix in self.matrices:
            matrix.data.release()  # an array over it that is still in use keeps the file mapped


def _map(path: Path) -> mmap.mmap:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe would block, a directory cannot be mapped
            raise GGUFError(f"{shown(path)}: not a regular file; give the path of a .gguf file")
        if status.st_size == 0:
            raise GGUFError(f"{shown(path)}: the file is empty; download or convert it again")
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise GGUFError(f"{shown(path)}: cannot be read ({reason}); check path and permissions") from error
