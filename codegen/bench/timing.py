"""How long a dot product takes: looped inside wasm, kernels interleaved, medians over rounds.

Machines are noisy, and slow down and speed up by themselves: only ratios of one run mean anything, so every
round times every kernel once and a kernel's figure is its median over rounds. The clock is the thread's CPU
time, which stands still while other programs have the core.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codegen.cases import random_case
from codegen.formats import FORMATS
from codegen.runtime import Kernel
from codegen.spec import KernelSpec

_SLICE_S = 0.02
"""Time a kernel runs in a round: long against the clock and the call, short against the machine's moods."""


@dataclass(frozen=True)
class Timing:
    """One kernel's time for one dot product, in nanoseconds."""

    kernel: str
    n: int
    median: float
    low: float
    high: float

    @property
    def per_block(self) -> float:
        """Nanoseconds per 32 weights."""
        return self.median / (self.n / 32)


class _Timed:
    """A kernel with its blocks in memory."""

    def __init__(self, spec: KernelSpec, n: int) -> None:
        case = random_case("bench", FORMATS[spec.x].blocks(n), "usual")
        self.placed = Kernel.load(spec).place(case.x, case.y, 1, n)
        self.calls = 1
        while self.run() < _SLICE_S:
            self.calls *= 2

    def run(self) -> float:
        """Seconds for `calls` dot products."""
        start = time.thread_time()
        self.placed.run(self.calls)
        return time.thread_time() - start


def time_kernels(
    specs: Sequence[KernelSpec], n: int, rounds: int, each_round: Callable[[], None] = lambda: None
) -> list[Timing]:
    """Times kernels in turn, `rounds` times over.

    Args:
        specs: what to time.
        n: elements of the dot product, a multiple of 32.
        rounds: how often each is timed.
        each_round: called after each round, for a progress bar.
    """
    timed = [_Timed(spec, n) for spec in specs]
    samples: list[list[float]] = [[] for _ in timed]
    for _ in range(rounds):
        for one, found in zip(timed, samples, strict=True):
            found.append(one.run() / one.calls * 1e9)
        each_round()
    return [
        Timing(spec.name, n, statistics.median(found), min(found), max(found))
        for spec, found in zip(specs, samples, strict=True)
    ]
