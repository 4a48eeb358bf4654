"""The clock for what is timed in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

Clock = Callable[[], float]
"""Seconds since some moment."""

_COARSE_S = 1e-3
"""A step of a clock that is too long to time a slice with: Windows tells CPU time in steps of 15.6 ms."""


def finest(cpu: Clock, wall: Clock) -> Clock:
    """`cpu`, or where its steps are long, `wall`."""
    start = cpu()
    while not (step := cpu() - start):
        pass
    return cpu if step < _COARSE_S else wall


@cache
def clock() -> Clock:
    """This thread's CPU time, which stands still while other programs have the core; else the wall's."""
    return finest(getattr(time, "thread_time", time.perf_counter), time.perf_counter)
