"""Who is timed: something that does the work of a problem, slice by slice, in some engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from codegen.base.errors import CodegenError
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.problem import Problem

SLICE_S = 0.02
"""Time a contestant runs in a round: long against the clock and the call, short against the machine's moods."""


_MOST_S = 500 * SLICE_S
"""Time on the wall after which what still shows no time never will."""


class WrongResultError(CodegenError):
    """A contestant trapped, or computed something else than it must: it has no speed."""


class NoTimeError(CodegenError):
    """The clock shows no time for what is timed."""


class Contestant(Protocol):
    """One entry in one engine, warm. Once it has been wrong, it stays so."""

    @property
    def name(self) -> str:
        """The entry's."""

    def sample(self) -> float:
        """Nanoseconds a product, or a row, over a slice of SLICE_S of the thread's CPU time.

        Raises:
            WrongResultError: a result is wrong, or was in an earlier slice or while it warmed up.
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

    def measure(self, run: Callable[[int], float], units: int) -> float:
        """Nanoseconds a unit of `run`, which takes repetitions and tells the seconds they took.

        Raises:
            NoTimeError: it tells next to none however long it runs, as differences of times can.
        """
        while True:
            start = time.perf_counter()
            seconds = run(self.repetitions)
            if seconds > 0 and seconds >= SLICE_S / 2:
                return seconds / (self.repetitions * units) * 1e9
            if time.perf_counter() - start > _MOST_S:
                raise NoTimeError(
                    "clock: shows no time for what runs ten seconds; quiet the machine and try again"
                )
            self.repetitions *= 2
