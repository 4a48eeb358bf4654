"""Who is timed: something that computes the rows of a problem, slice by slice, in some engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from codegen.bench.problem import Problem
from codegen.errors import CodegenError

SLICE_S = 0.02
"""Time a contestant runs in a round: long against the clock and the call, short against the machine's moods."""


class WrongResultError(CodegenError):
    """A contestant computed something else than it must: it has no speed."""


@dataclass(frozen=True)
class Entry:
    """A module to time.

    Attributes:
        name: what it is called in results.
        isa: the feature that the engine must have for it.
        wasm: a module that exports `memory`, `rows` (templates/lib/rows.wat.j2) and perhaps `heap_base`.
        expected: f32 bits of the distinct rows' results, or None where they mean nothing.
    """

    name: str
    isa: str
    wasm: bytes
    expected: tuple[int, ...] | None = None


class Contestant(Protocol):
    """One entry in one engine, warm."""

    @property
    def name(self) -> str:
        """The entry's."""

    def sample(self) -> float:
        """Nanoseconds a row, over a slice of SLICE_S of the thread's CPU time.

        Raises:
            WrongResultError: a result is wrong.
        """


class Host(Protocol):
    """An engine that can time entries, or something that brings contestants of its own."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in results."""

    @property
    def version(self) -> str:
        """Name and version of what runs."""

    def open(self, entries: list[Entry], problem: Problem) -> AbstractContextManager[list[Contestant]]:
        """Loads and warms up entries; those that it lacks a feature for are left out."""


@dataclass
class Calibrated:
    """How many repetitions fill a slice."""

    repetitions: int = 1

    def measure(self, run: Callable[[int], float], rows: int) -> float:
        """Nanoseconds a row of `run`, which takes repetitions and tells the seconds they took."""
        while (seconds := run(self.repetitions)) < SLICE_S / 2:
            self.repetitions *= 2
        return seconds / (self.repetitions * rows) * 1e9
