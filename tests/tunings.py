"""Sweeps that nobody measured: engines of any speed, for tests of the search, the choice and the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from codegen import KernelSpec
from codegen.kernels.tuning import Candidate, ContractTuning, Tuning, ranked
from codegen.spec.options import Scales
from codegen.spec.strategies import Isa
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.limits import Limit
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Limits, Measurement

CONTRACT = "vec_dot_q4_0_q8_0"
SCALAR = KernelSpec(Isa.SCALAR)
RELAXED = KernelSpec(Isa.RELAXED, unroll=4)
SIMD = KernelSpec(Isa.SIMD128, unroll=2, scales=Scales.OVERFLOW)


def spec(name: str) -> KernelSpec:
    """The kernel of the right half of a name."""
    return KernelSpec.parse(f"{CONTRACT}__{name}")


@dataclass
class FakeSession:
    """Takes the place of `session.run`.

    Attributes:
        ns: nanoseconds of each kernel; 100 for the others.
        noise: how far the samples of a round may be from that, as a fraction.
        own_noise: how far, besides, each sample may be.
        wrong: kernels that compute something else.
        lacking: ISAs that the engine does not have.
        before: called before each batch with its number, from 1: where a test interrupts.
        batches: the kernels and rounds of each call.
    """

    ns: Mapping[KernelSpec, float] = field(default_factory=dict)
    noise: float = 0.0
    own_noise: float = 0.002
    wrong: Sequence[KernelSpec] = ()
    lacking: Sequence[Isa] = ()
    before: Callable[[int], None] = lambda number: None
    batches: list[tuple[tuple[KernelSpec, ...], int]] = field(default_factory=list)

    def __call__(
        self,
        specs: Sequence[KernelSpec],
        hosts: Sequence[Host],
        problem: Problem,
        rounds: int,
        step: Callable[[], None],
        limits: Sequence[Limit],
    ) -> tuple[list[Measurement], list[Limits]]:
        assert not limits, "a sweep has no use for them, and they would be timed in every batch"
        self.batches.append((tuple(specs), rounds))
        self.before(len(self.batches))
        random = Random(len(self.batches))
        moods = [1 + self.noise * random.random() for _ in range(rounds)]
        found = []
        for one in specs:
            if one.isa in self.lacking:
                continue
            own = [mood * (1 + self.own_noise * random.random()) for mood in moods]
            samples = tuple(self.ns.get(one, 100.0) * each for each in own)
            wrong = f"{one.name}: row 0 is wrong" if one in self.wrong else None
            where = ("wasmtime", "0" * 64, problem.n, problem.rows, problem.level)
            found.append(Measurement(one.name, *where, () if wrong else samples, wrong=wrong))
        for _ in range(rounds):
            step()
        return found, []


def candidate(one: KernelSpec, x_scalar: float, stage: int = 3, failed: str | None = None) -> Candidate:
    """A candidate of that speed."""
    return Candidate(one, stage, 1000 / x_scalar, x_scalar, x_scalar - 0.1, x_scalar + 0.1, failed)


def sweep_of(
    *candidates: Candidate, best: Sequence[KernelSpec] = (), complete: bool = True
) -> ContractTuning:
    """A sweep that found them."""
    chosen = {one.isa: one for one in best}
    return ContractTuning("2026-01-01T00:00:00+00:00", 4096, "l1", 31, complete, ranked(candidates), chosen)


def tuning_of(swept: ContractTuning, engine: str = "wasmtime", arch: str = "x86_64") -> Tuning:
    """A file with one contract."""
    return Tuning(engine, f"{engine} 1.0", arch, "a processor", {CONTRACT: swept})


SWEPT = sweep_of(
    candidate(RELAXED, 9.0),
    candidate(SIMD, 6.0),
    candidate(spec("simd128-extmul_u1"), 2.0, stage=1),
    candidate(SCALAR, 1.0, stage=1),
    candidate(spec("relaxed_u8"), 9.5, failed="node-noavx: count-b1 (cold): got {\n}, expected {}"),
    Candidate(spec("relaxed_u2"), 1, failed="computes something else"),
    best=(SIMD, RELAXED),
)
