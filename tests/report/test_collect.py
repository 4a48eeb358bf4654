"""Which measurements are made: engines, problems, and who is timed together. Nothing is timed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from codegen.bench import session
from codegen.bench.contestant import Host
from codegen.bench.problem import Problem
from codegen.bench.result import Limits, Measurement
from codegen.options import Memory
from codegen.registry import REGISTERED
from codegen.report import collect
from codegen.report.data import Data
from codegen.spec import KernelSpec
from tests.report.runs import ROUNDS, measurement

Session = tuple[tuple[KernelSpec, ...], tuple[str, ...], int, str]


class Engine:
    """A host by name only."""

    def __init__(self, name: str) -> None:
        self.name = self.version = name


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[Session]:
    asked: list[Session] = []

    def run(
        specs: Sequence[KernelSpec],
        hosts: Sequence[Host],
        problem: Problem,
        rounds: int,
        each: Callable[[], None],
    ) -> tuple[list[Measurement], list[Limits]]:
        asked.append((tuple(specs), tuple(host.name for host in hosts), problem.n, problem.level))
        for _ in range(rounds):
            each()
        found = [measurement(s.name, h.name, 100.0, problem.n, problem.level) for s in specs for h in hosts]
        return found, [Limits(host.name, host.version, problem.level, {}) for host in hosts]

    monkeypatch.setattr(session, "run", run)
    return asked


def measured(*engines: str) -> tuple[Data, int]:
    """What is collected, and how many rounds that took."""
    done: list[None] = []
    hosts = [Engine(name) for name in engines]
    found = collect.collect(hosts, ROUNDS, lambda: done.append(None))  # type: ignore[arg-type]
    assert len(done) == collect.total(hosts, ROUNDS)  # type: ignore[arg-type]
    return found, len(done)


def test_every_kernel_but_those_that_only_import_memory_runs_in_every_engine(sessions: list[Session]) -> None:
    found, _ = measured("wasmtime", "node", "bun", "native")
    specs, engines, n, level = sessions[0]
    assert set(specs) == {
        spec for spec in REGISTERED if spec.memory is Memory.EXPORT and spec.op == "vec_dot"
    }
    assert (engines, n, level) == (("wasmtime", "node", "bun", "native"), 4096, "l1")
    assert len(found.kernels.measurements) == len(specs) * 4


def test_lengths_double_and_native_is_timed_where_its_call_does_not_drown_it(sessions: list[Session]) -> None:
    found, _ = measured("wasmtime", "node", "bun", "native")
    lengths = sessions[1:8]
    assert [n for _, _, n, _ in lengths] == [256, 512, 1024, 2048, 4096, 8192, 16384]
    for _, engines, n, level in lengths:
        assert engines == (("wasmtime", "node", "native") if n >= 4096 else ("wasmtime", "node"))
        assert level == "l1"
    assert {one.n for one in found.lengths.measurements} == {n for _, _, n, _ in lengths}


def test_levels_are_measured_one_engine_after_the_other(sessions: list[Session]) -> None:
    measured("wasmtime", "node", "native")
    places = [(level, *engines) for _, engines, _, level in sessions[8:]]
    assert places == [
        (level, name) for level in ("l1", "l2", "l3", "memory") for name in ("wasmtime", "node")
    ]


def test_few_kernels_are_timed_where_operands_are_large(sessions: list[Session]) -> None:
    measured("wasmtime")
    assert all(len(specs) == 4 for specs, *_ in sessions[1:])


def test_engines_that_are_not_here_are_left_out(sessions: list[Session]) -> None:
    found, _ = measured("wasmtime")
    assert {engines for _, engines, *_ in sessions} == {("wasmtime",)}
    assert found.levels.measurements
