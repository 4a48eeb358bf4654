"""How long a token's matrix products take: round by round, all ways in turn, the matrices in their whole."""

from __future__ import annotations

import time
from collections.abc import Sequence

from codegen.models.run.batches import Group
from codegen.models.run.paths import Path

LEAST_S = 1e-3
"""Of what is timed at once: long against a call, tens of microseconds. A real model's groups take longer."""

_MOST_S = 20 * LEAST_S
"""On the wall: what shows less in that is next to nothing, as small rows of native code are beside their calls."""


def rounds(
    paths: Sequence[Path], groups: Sequence[Group], count: int
) -> dict[tuple[str, Group], list[float]]:
    """Seconds of each group by each path, `count` samples of each.

    In a round each path does all groups, one after the other, as a token does: a cache has of a matrix what the others
    left of it. Which path is first changes from round to round. A sample of 0 is a time that
    cannot be told from nothing.
    """
    passes = {(path.name, group): _passes(path, group) for path in paths for group in groups}
    samples: dict[tuple[str, Group], list[float]] = {one: [] for one in passes}
    for number in range(count):
        first = number % len(paths)
        for path in (*paths[first:], *paths[:first]):
            for group in groups:
                key = path.name, group
                samples[key].append(path.seconds(group, passes[key]) / passes[key])
    return samples


def _passes(path: Path, group: Group) -> int:
    """How many are long enough to be timed; what has been done so often is also warm."""
    passes, start = 1, time.perf_counter()
    while path.seconds(group, passes) < LEAST_S and time.perf_counter() - start < _MOST_S:
        passes *= 2
    return passes
