"""The search: everything is timed a little, what is slow drops out, and what is left is proved and timed well.

(Successive halving.) A batch is one run of bench, whose contestants take turns and whose values are checked bit for bit
at every sample. Each batch has the scalar baseline in it: batches are compared by ratios to their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa
from codegen.speed.bench import session
from codegen.speed.bench.contestant import Host, WrongResultError
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Measurement
from codegen.speed.bench.statistics import Ratio
from codegen.speed.bench.usual import baseline_of
from codegen.speed.tune.space import complexity

EARLY_ROUNDS = (3, 9)
"""Rounds of the stages before the last."""

FINAL_ROUNDS = 31

FINALISTS = 8
"""Of an ISA: scalar kernels would not stay in otherwise."""

MATTERS = 1.02
"""Times as fast that is worth a more complex kernel. An interval tells smaller differences apart, but the next run, or
the next machine of the same kind, tells them otherwise."""

AT_MOST = 1.05
"""Times as fast that is never given away, however little a noisy machine's intervals tell."""

_KEPT = 3
"""One in so many goes on to the next stage."""

_BATCH = 24
"""Kernels that run takes at once, each with memory of its own."""

Prove = Callable[[Sequence[KernelSpec]], dict[KernelSpec, str]]
"""Verifies kernels fully; why each of those that fail does."""


@dataclass(frozen=True)
class Timing:
    """The last timing of a candidate, and of the baseline in the same batch."""

    stage: int
    batch: int
    measurement: Measurement
    baseline: Measurement

    @cached_property
    def ratio(self) -> Ratio:
        """Times as fast as the baseline."""
        return self.measurement.times_as_fast_as(self.baseline)


@dataclass(frozen=True)
class Watch:
    """Who is told how far a search is: of what begins and how many steps it has, and of each step."""

    begin: Callable[[str, int], None] = lambda what, steps: None
    step: Callable[[], None] = lambda: None


@dataclass
class Search:
    """One search, and what it has found so far: an interruption leaves that in place.

    Attributes:
        specs: the candidates, of one contract.
        host: the engine.
        problem: what they compute.
        prove: the full verification.
        incumbents: kernels that are shipped now, which stay in to the end.
        rounds: of the last stage.
        watch: who is told.
        timings: the last timing of each candidate.
        failed: why a candidate can never be best.
        proved: those that passed full verification.
    """

    specs: Sequence[KernelSpec]
    host: Host
    problem: Problem
    prove: Prove
    incumbents: Collection[KernelSpec] = ()
    rounds: int = FINAL_ROUNDS
    watch: Watch = field(default_factory=Watch)
    timings: dict[KernelSpec, Timing] = field(default_factory=dict)
    failed: dict[KernelSpec, str] = field(default_factory=dict)
    proved: set[KernelSpec] = field(default_factory=set)
    _batches: int = 0

    def run(self) -> None:
        """Searches to the end.

        Raises:
            EngineError: the engine does not start, or ends early.
            WrongResultError: the baseline itself is wrong.
        """
        pool = list(self.specs)
        for stage, rounds in enumerate(EARLY_ROUNDS, 1):
            if stage > 1:
                pool = [spec for group in _by_isa(pool) for spec in self._survivors(group)]
            if stage == 1 or any(len(group) > FINALISTS for group in _by_isa(pool)):
                self._time(pool, stage, rounds, _BATCH)
        finalists = [spec for group in _by_isa(pool) for spec in self._finalists(group)]
        if finalists:
            self._time(finalists, len(EARLY_ROUNDS) + 1, self.rounds, len(finalists))

    def _time(self, specs: Sequence[KernelSpec], stage: int, rounds: int, size: int) -> None:
        base = baseline_of(self.specs[0])
        others = [spec for spec in specs if spec != base]
        batches = [others[start : start + size] for start in range(0, len(others), size)] or [[]]
        stages = len(EARLY_ROUNDS) + 1
        self.watch.begin(f"stage {stage} of {stages}, {len(specs)} kernels", rounds * len(batches))
        for batch in batches:
            self._batches += 1
            measured, _ = session.run(
                (base, *batch), [self.host], self.problem, rounds, self.watch.step, limits=()
            )
            found = {one.kernel: one for one in measured}
            slow = found.get(base.name)
            if slow is None or not slow.samples:
                raise WrongResultError(
                    f"{base.name}: computes something else than it must; run `codegen verify`"
                )
            for spec in (base, *batch) if base in specs else batch:
                self._record(spec, stage, found.get(spec.name), slow)

    def _record(self, spec: KernelSpec, stage: int, one: Measurement | None, slow: Measurement) -> None:
        if one and one.samples:
            self.timings[spec] = Timing(stage, self._batches, one, slow)
        else:
            lacking = f"{self.host.name} does not run it: it lacks {spec.isa}"
            self.failed[spec] = (one.wrong if one else None) or lacking

    def _survivors(self, group: Sequence[KernelSpec]) -> list[KernelSpec]:
        """The fastest of an ISA, and those that are shipped now."""
        ranked = self._ranked(group)
        most = max(FINALISTS, -(-len(ranked) // _KEPT))
        return [spec for place, spec in enumerate(ranked) if place < most or spec in self.incumbents]

    def _finalists(self, group: Sequence[KernelSpec]) -> list[KernelSpec]:
        """The fastest of an ISA that pass full verification: one that fails makes room for the next."""
        ranked = self._contenders(group)
        passed: list[KernelSpec] = []
        while ranked and len(passed) < FINALISTS:
            tried, ranked = ranked[: FINALISTS - len(passed)], ranked[FINALISTS - len(passed) :]
            self.watch.begin(f"verify {len(tried)} kernels of {tried[0].isa}", 1)
            self.failed |= self.prove(tried)
            self.watch.step()
            passed += [spec for spec in tried if spec not in self.failed]
            self.proved.update(passed)
        return passed

    def _contenders(self, group: Sequence[KernelSpec]) -> list[KernelSpec]:
        """Who comes to the end first: what is shipped, half of the places for the fastest, then what is as good.

        That is the simplest of those that may be no slower than matters: the best is chosen among such.
        """
        ranked = self._ranked(group)
        if not ranked:
            return []
        fast = self.timings[ranked[0]].ratio
        alike = [spec for spec in ranked if not slower(self.timings[spec].ratio, fast)]
        shipped = [spec for spec in ranked if spec in self.incumbents]
        fastest = ranked[: FINALISTS // 2]
        return list(dict.fromkeys((*shipped, *fastest, *sorted(alike, key=complexity), *ranked)))

    def _ranked(self, group: Sequence[KernelSpec]) -> list[KernelSpec]:
        right = [spec for spec in group if spec not in self.failed]
        return sorted(right, key=lambda spec: -self.timings[spec].ratio.value)


def slower(one: Ratio, fast: Ratio) -> bool:
    """Whether a kernel is slower than matters, by two ratios to the baseline that are of different batches."""
    return fast.low > MATTERS * one.high or fast.value > AT_MOST * one.value


def _by_isa(specs: Sequence[KernelSpec]) -> list[list[KernelSpec]]:
    groups = ([spec for spec in specs if spec.isa is isa] for isa in Isa)
    return [group for group in groups if group]
