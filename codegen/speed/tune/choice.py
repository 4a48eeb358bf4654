"""Which of the kernels that a search proved is the one to use."""

from __future__ import annotations

from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa
from codegen.speed.bench.statistics import speedup
from codegen.speed.tune.search import AT_MOST, MATTERS, Search, Timing, slower
from codegen.speed.tune.space import complexity


def best(search: Search) -> dict[Isa, KernelSpec]:
    """The best of each ISA: the fastest, or the simplest of those that cannot be told from it.

    Only candidates that passed full verification are looked at, and of those the ones that came furthest.
    """
    proved = {s: t for s, t in search.timings.items() if s in search.proved}
    found = {}
    for isa in Isa:
        group = {spec: timing for spec, timing in proved.items() if spec.isa is isa}
        last = max((timing.stage for timing in group.values()), default=0)
        group = {spec: timing for spec, timing in group.items() if timing.stage == last}
        if group:
            fastest = max(group.values(), key=lambda timing: timing.ratio.value)
            found[isa] = min((s for s, t in group.items() if not _slower(t, fastest)), key=complexity)
    return found


def _slower(one: Timing, fastest: Timing) -> bool:
    """Whether a kernel is slower than matters; of an interrupted search, whose batches differ, by the baseline."""
    if one.batch != fastest.batch:
        return slower(one.ratio, fastest.ratio)
    ratio = speedup(one.measurement.samples, fastest.measurement.samples)
    return ratio.low > MATTERS or ratio.value > AT_MOST
