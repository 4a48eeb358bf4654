"""How the measurements of a report are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from codegen.products.report.data import Data
from codegen.products.report.series import SERIES, Series
from codegen.speed.bench import session
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.result import Limits, Measurement, Result


def total(hosts: Sequence[Host], rounds: int) -> int:
    """How many rounds `collect` takes in all, for a progress bar."""
    return sum(min(rounds, series.most_rounds) for series in SERIES for _ in series.sessions(hosts))


def collect(hosts: Sequence[Host], rounds: int, each_round: Callable[[], None] = lambda: None) -> Data:
    """Measures all that a report needs.

    Args:
        hosts: engines that are here.
        rounds: how often each contestant is timed, at least 1; some runs of many problems take fewer.
        each_round: called after each round.

    Raises:
        EngineError: an engine does not start, or ends early.
    """
    runs: dict[str, Result] = {}
    for series in SERIES:
        runs[series.name] = measure(series, hosts, rounds, runs, each_round)
    return Data(**runs)


def measure(
    series: Series,
    hosts: Sequence[Host],
    rounds: int,
    runs: Mapping[str, Result],
    each_round: Callable[[], None] = lambda: None,
) -> Result:
    """One run, after those before it; see `collect`."""
    measurements: list[Measurement] = []
    limits: list[Limits] = []
    rounds = min(rounds, series.most_rounds)
    for problem, group in series.sessions(hosts):
        specs = series.choose(problem, runs)
        measured, found = session.run(specs, group, problem, rounds, each_round, series.limits)
        measurements += measured
        limits += found
    return Result.of(rounds, measurements, limits)
