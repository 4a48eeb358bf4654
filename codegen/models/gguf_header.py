"""What the header of a GGUF file says."""

from __future__ import annotations

from dataclasses import dataclass

_NAME_SHOWN = 80


@dataclass(frozen=True)
class Tensor:
    """Where a tensor's data lies in the file; `end` equals `start` where `known` is false."""

    name: str
    dims: tuple[int, ...]  # as GGML orders them: the length of a row first
    type: str
    known: bool  # gguf knows the type, and so its size
    start: int
    end: int


@dataclass(frozen=True)
class Split:
    """Which part of a model a file is, as its header says."""

    number: int  # from 1 on: the header counts from 0, names and people from 1
    count: int
    tensors: int | None  # in all parts together, where the header says so


@dataclass(frozen=True)
class Header:
    """What is in a file; `split` is None where the file is a whole model."""

    tensors: tuple[Tensor, ...]
    split: Split | None


def quoted(name: str) -> str:
    """A name out of a file, for a message: no control character survives, and no megabyte."""
    short = name[:_NAME_SHOWN]
    while len(repr(short)) > _NAME_SHOWN + len("''"):  # escapes are up to ten times as long
        short = short[:-1]
    return repr(short if short == name else short + "...")
