"""A whole run: who is timed when, what is told of whom, and what does not fit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from codegen import KernelSpec
from codegen.base.errors import InputError
from codegen.kernels.registry import registered
from codegen.speed.bench import session
from codegen.speed.bench.contestant import Contestant, Host, WrongResultError
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.limits import LIMITS, Unit
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Result
from codegen.speed.bench.table import BASELINE, rows
from codegen.speed.bench.wasmtime_host import WasmtimeHost
from tests.bench.toy_rows import FAULTS, toy

pytestmark = pytest.mark.slow

PROBLEM = Problem(128, 100, "l1")
SCALAR, FAST = KernelSpec.parse(BASELINE), KernelSpec.parse("vec_dot_q4_0_q8_0__relaxed_u4")
MANIFEST = Path(__file__).resolve().parents[2] / "generated" / "manifest.json"


class Scripted:
    """A host whose contestants take the times they are told, and note when they are asked."""

    version = "scripted 1"

    def __init__(self, name: str, times: dict[str, Sequence[float]], wrong: str = "") -> None:
        self.name, self.times, self.wrong, self.asked = name, times, wrong, list[str]()

    @contextmanager
    def open(self, entries: list[Entry], problem: Problem) -> Iterator[list[Contestant]]:
        yield [_Scripted(self, entry.name) for entry in entries if entry.name in self.times]


class _Scripted:
    def __init__(self, host: Scripted, name: str) -> None:
        self.name, self._host, self._times = name, host, iter(host.times[name])

    def sample(self) -> float:
        self._host.asked.append(self.name)
        time = next(self._times)
        if self._host.wrong == self.name and self._host.asked.count(self.name) == 3:
            raise WrongResultError(f"{self.name}: row 1 is wrong")
        return time


LIMIT_TIMES = {limit.name: (4.0, 5.0, 6.0, 7.0, 100.0) for limit in LIMITS}
TIMES: dict[str, Sequence[float]] = {BASELINE: (80.0,) * 5, FAST.name: (20.0,) * 5, **LIMIT_TIMES}


def test_every_contestant_is_timed_once_a_round_in_changing_order() -> None:
    hosts = [Scripted("a", TIMES), Scripted("b", TIMES)]
    rounds = []
    asked: list[tuple[str, ...]] = []

    def each_round() -> None:
        rounds.append(len(hosts[0].asked))
        asked.append(tuple(hosts[0].asked[-len(TIMES) :]))

    session.run([SCALAR, FAST], hosts, PROBLEM, 5, each_round)
    assert rounds == [len(TIMES) * i for i in range(1, 6)]
    assert all(sorted(one) == sorted(TIMES) for one in asked)
    assert len(set(asked)) > 1


def test_measurements_and_floors_are_of_the_kernel_and_of_its_engine() -> None:
    slow = {**TIMES, **{name: [2 * t for t in times] for name, times in LIMIT_TIMES.items()}}
    measured, limits = session.run([SCALAR, FAST], [Scripted("a", TIMES), Scripted("b", slow)], PROBLEM, 5)
    assert [(one.engine, one.kernel) for one in measured] == [
        ("a", BASELINE), ("a", FAST.name), ("b", BASELINE), ("b", FAST.name),
    ]  # fmt: skip
    assert [one.samples for one in measured] == [(80.0,) * 5, (20.0,) * 5] * 2
    vector = len(next(limit for limit in LIMITS if limit.unit is Unit.VECTOR).operations)
    a, b = limits
    # The low quartile of the limit's times is 5: what the machine can do is not what it typically does.
    assert a.rates[Unit.VECTOR] == vector / 5
    assert b.rates[Unit.VECTOR] == vector / 10
    assert a.rates[Unit.MEMORY] == PROBLEM.x_step / 5
    assert measured[3].floors[Unit.VECTOR] == 2 * measured[1].floors[Unit.VECTOR]
    assert measured[1].floors[Unit.MEMORY] == 5
    assert Unit.MULTIPLY in measured[0].floors
    assert Unit.MULTIPLY not in measured[1].floors


def test_what_is_wrong_once_loses_its_samples_and_is_not_asked_again() -> None:
    host = Scripted("a", TIMES, wrong=FAST.name)
    measured, _ = session.run([SCALAR, FAST], [host], PROBLEM, 5)
    assert [(one.samples, one.wrong) for one in measured] == [
        ((80.0,) * 5, None),
        ((), f"{FAST.name}: row 1 is wrong"),
    ]
    assert host.asked.count(FAST.name) == 3


def test_what_an_engine_leaves_out_is_not_measured_there() -> None:
    times = {name: each for name, each in TIMES.items() if name != FAST.name}
    measured, _ = session.run([SCALAR, FAST], [Scripted("a", times)], PROBLEM, 5)
    assert [one.kernel for one in measured] == [BASELINE]


def test_only_the_limits_that_are_asked_for_are_measured() -> None:
    host = Scripted("a", TIMES)
    memory = [limit for limit in LIMITS if limit.unit is Unit.MEMORY]
    measured, limits = session.run([SCALAR, FAST], [host], PROBLEM, 5, limits=memory)
    assert set(host.asked) == {SCALAR.name, FAST.name, memory[0].name}
    assert set(limits[0].rates) == {Unit.MEMORY}
    assert all(set(one.floors) == {Unit.MEMORY} for one in measured)


def test_real_kernels_are_right_and_hashed_as_they_are_shipped(engine: Host) -> None:
    specs = [spec for spec in registered() if spec.contract == SCALAR.contract]
    measured, limits = session.run(specs, [engine], PROBLEM, 1)
    manifest = json.loads(MANIFEST.read_text())
    shipped = {one["name"]: one["sha256"] for one in manifest if one["name"].startswith(SCALAR.contract)}
    assert {one.kernel: one.sha256 for one in measured} == shipped
    assert all(len(one.samples) == 1 and not one.wrong for one in measured)
    assert set(limits[0].rates) == set(Unit)
    assert all(rate > 0 for rate in limits[0].rates.values())


@pytest.mark.parametrize("fault", ["the last row", "a trap"])
def test_a_wrong_kernel_is_wrong_in_the_table(
    fault: str, engine: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = session.kernel_entry

    def entry(spec: KernelSpec, problem: Problem) -> Entry:
        if spec is not FAST:
            return real(spec, problem)
        # The function whose loop is counted comes with the toy, which computes what it is told to.
        return replace(toy(problem, FAULTS[fault], FAST.name, FAST.isa))

    monkeypatch.setattr(session, "kernel_entry", entry)
    monkeypatch.setattr(session, "work", lambda *_: {})
    measured, limits = session.run([SCALAR, FAST], [engine], PROBLEM, 2)
    right, wrong = measured
    assert len(right.samples) == 2
    assert wrong.samples == ()
    assert wrong.wrong
    assert wrong.wrong.startswith(f"{FAST.name}: ")
    result = Result.of(2, measured, limits)
    assert [row[3] for row in rows(result, measured)][1] == "WRONG"


def test_weights_that_would_be_swapped_out_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(4096, 1 << 18, "memory")
    copies = 2 + len(LIMITS)
    monkeypatch.setattr(session, "free_memory", lambda: int(1.26 * copies * problem.footprint))
    session.check_room(2, [WasmtimeHost()], problem)
    more = ((3, [WasmtimeHost()], 7), (2, [WasmtimeHost(), Scripted("native", {})], 8))
    for kernels, hosts, needed in more:
        told = rf"^262144 rows in memory: {needed} copies of 577 MiB.* fewer rows, kernels"
        with pytest.raises(InputError, match=told):
            session.check_room(kernels, hosts, problem)
    session.check_room(6, [WasmtimeHost()], problem, limits=0)
    with pytest.raises(InputError, match="copies"):
        session.run([SCALAR, FAST, FAST], [WasmtimeHost()], problem, 1)
