"""A sweep from the space to the file: for each contract a search, its best, and what an older file still knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from codegen.base.errors import InputError
from codegen.base.output import require_writable
from codegen.kernels import shipped, tuning
from codegen.kernels.registry import UNTUNED
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tuning import Candidate, ContractTuning, Tuning, rivals_of
from codegen.spec.strategies import Isa
from codegen.speed.bench import hosts
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.machine import processor
from codegen.speed.bench.usual import usual, weights_of
from codegen.speed.tune import proof, space
from codegen.speed.tune.choice import best
from codegen.speed.tune.search import FINAL_ROUNDS, Search, Watch


@dataclass(frozen=True)
class Order:
    """What to sweep.

    Attributes:
        engine: one of tuning.FILES.
        folder: where the file lies or shall lie.
        patterns, isas, unrolls, ops: which kernels; see space.candidates.
        n: elements of a row.
        level: where rows live; None is where each operation's usually do.
        rounds: how often finalists are timed.
    """

    engine: str
    folder: Path
    patterns: Sequence[str] = ()
    isas: Sequence[Isa] = ()
    unrolls: Sequence[int] = ()
    ops: Sequence[str] = ()
    n: int = 4096
    level: str | None = None
    rounds: int = FINAL_ROUNDS


@dataclass
class Outcome:
    """What came of it.

    Attributes:
        swept: the sweeps, by contract.
        path: the file, once there is one.
        tuning: what the file holds now.
        before: the kernels that were used before, one a contract and ISA.
        complete: whether it was not interrupted.
        remarks: what the caller should know, one line each.
    """

    swept: dict[str, ContractTuning] = field(default_factory=dict)
    path: Path | None = None
    tuning: Tuning | None = None
    before: tuple[KernelSpec, ...] = ()
    complete: bool = True
    remarks: list[str] = field(default_factory=list)

    @property
    def unsettled(self) -> list[str]:
        """Contract and ISA of kernels that might be best, none of which passed."""
        return [
            f"{name}, {isa}"
            for name, contract in self.swept.items()
            for isa in dict.fromkeys(c.spec.isa for c in contract.candidates)
            if isa not in contract.best
        ]


def sweep(order: Order, watch: Watch) -> Outcome:
    """Searches, and writes the file after each contract; of an interrupted search what it has.

    Raises:
        InputError: the engine is not here, or the file cannot be written.
        SpecError: nothing is left to try.
        EngineError: the engine failed.
    """
    contracts = space.candidates(order.patterns, order.isas, order.unrolls, order.ops)
    (host,), _ = hosts.select([order.engine])
    name = f"{tuning.FILES[order.engine]}-{tuning.architecture()}.json"
    require_writable(order.folder / name)
    outcome = Outcome()
    old = _found(order.folder / name, outcome.remarks)
    outcome.before = _defaults(old or _found(shipped.root() / name, []))
    for contract, specs in contracts.items():
        if not (order.patterns or _read(specs[0], old)):
            continue
        problem = usual(specs[0].op, weights_of(specs[0])).at(order.n, order.level)
        search = Search(specs, host, problem, proof.failures, outcome.before, order.rounds, watch)
        try:
            search.run()
        except KeyboardInterrupt:
            outcome.complete = False
            if not search.timings:
                if outcome.path:
                    break
                raise
        swept = _result(search, complete=outcome.complete)
        outcome.swept[contract] = swept
        known = dict(old.contracts) if old else {}
        old = _file(order.engine, host, {**known, contract: swept.over(known.get(contract))})
        outcome.tuning, outcome.path = old, old.save(order.folder)
        if not outcome.complete:
            break
    return outcome


def _read(spec: KernelSpec, found: Tuning | None) -> bool:
    """Whether the records that a kernel makes, if it does, are those of a best kernel, where some are known."""
    read = {one.record for one in found.best if one.tile and one.y} if found else set()
    return rivals_of(spec) == spec.contract or not read or spec.record in read


def _found(path: Path, remarks: list[str]) -> Tuning | None:
    """The file, if it is there and sound."""
    try:
        return tuning.load(path) if path.exists() else None
    except InputError as error:
        remarks.append(f"written anew: {error}")
        return None


def _defaults(found: Tuning | None) -> tuple[KernelSpec, ...]:
    """What is used now, one kernel a contract and ISA."""
    specs = (*UNTUNED.values(), *(found.best if found else ()))
    return tuple({(rivals_of(spec), spec.isa): spec for spec in specs}.values())


def _file(engine: str, host: Host, contracts: dict[str, ContractTuning]) -> Tuning:
    return Tuning(tuning.FILES[engine], host.version, tuning.architecture(), processor(), contracts)


def _result(search: Search, *, complete: bool) -> ContractTuning:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    tried = tuple(_candidate(search, s) for s in search.specs if s in search.timings or s in search.failed)
    problem = search.problem
    return ContractTuning(
        now,
        problem.n,
        problem.level,
        search.rounds,
        complete,
        tuning.ranked(tried),
        best(search),
        problem.columns,
    )


def _candidate(search: Search, spec: KernelSpec) -> Candidate:
    timing, failed = search.timings.get(spec), search.failed.get(spec)
    if timing is None:
        return Candidate(spec, stage=1, failed=failed)
    ratio, median = timing.ratio, timing.measurement.summary.median
    low, high = (round(ratio.low, 4), round(ratio.high, 4)) if ratio.interval else (None, None)
    return Candidate(spec, timing.stage, round(median, 2), round(ratio.value, 4), low, high, failed)
