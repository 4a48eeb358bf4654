"""A model that is split into several files.

Parts are found by their names, and proven by their headers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from codegen.base.errors import GGUFError
from codegen.models.gguf_header import Header, Split, quoted
from codegen.models.gguf_source import shown


@dataclass(frozen=True)
class Parts:
    """Which parts of a model have been read; a model in one file is part 1 of 1."""

    numbers: tuple[int, ...] = (1,)  # from 1 on, rising
    count: int = 1

    @property
    def complete(self) -> bool:
        """Whether these are the whole model."""
        return len(self.numbers) == self.count

    def __str__(self) -> str:
        if len(self.numbers) == 1:
            return f"part {self.numbers[0]} of {self.count}"
        return f"{len(self.numbers)} of {self.count} parts"

    @property
    def mend(self) -> str:
        """What makes an incomplete model whole."""
        missing = next(n for n in range(1, self.count + 1) if n not in self.numbers)
        return f"put all parts into one folder, with names that end like {_ending(missing, self.count)}"


def beside(path: Path, split: Split) -> Iterator[tuple[int, Path]]:
    """Numbers and paths of the other parts that lie beside one; none where its name is no part's."""
    prefix = path.name.removesuffix(_ending(split.number, split.count))
    if prefix == path.name:
        return
    for number in range(1, split.count + 1):
        other = path.with_name(prefix + _ending(number, split.count))
        if number != split.number and other.exists():
            yield number, other


def check(parts: Sequence[tuple[int, Path, Header]], split: Split) -> None:
    """Proves that parts belong together.

    Args:
        parts: their numbers by their names, with their headers.
        split: what the header of one of them says.

    Raises:
        GGUFError: a header says otherwise, a tensor is in two parts, or tensors are missing.
    """
    seen: dict[str, int] = {}
    for number, path, header in parts:
        if header.split != Split(number, split.count, split.tensors):
            _fail(path, f"part {number} of {split.count} by its name, and not by its header")
        for tensor in header.tensors:
            if tensor.name in seen:
                _fail(path, f"tensor {quoted(tensor.name)} is in part {seen[tensor.name]}, too")
            seen[tensor.name] = number
    if len(parts) == split.count and split.tensors not in (None, len(seen)):
        _fail(parts[0][1], f"its parts have {len(seen)} tensors, split.tensors.count is {split.tensors}")


def _ending(number: int, count: int) -> str:
    return f"-{number:05d}-of-{count:05d}.gguf"


def _fail(path: Path, what: str) -> NoReturn:
    raise GGUFError(f"{shown(path)}: {what}; download all parts again")
