"""Which measurements are made: engines, problems, and who is timed together. Nothing is timed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from codegen.kernels.registry import fastest, registered
from codegen.kernels.spec import KernelSpec
from codegen.products.report import collect
from codegen.products.report.data import NAMES, Data
from codegen.products.report.series import SERIES
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.speed.bench import session
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.frozen import ARTICLE
from codegen.speed.bench.limits import Limit, Unit
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.bench.result import Limits, Measurement
from codegen.speed.bench.usual import products
from tests.report.runs import measurement

ROUNDS = 9

HERE = ("wasmtime", "node", "deno", "bun", "native")

SLOW_IN_NODE, FAST_IN_NODE = (
    "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast",
    "gemv_q4_0_q8_0_16x1__relaxed-dot32_u1",
)


class Session(NamedTuple):
    specs: tuple[KernelSpec, ...]
    engines: tuple[str, ...]
    problem: Problem
    rounds: int
    limits: tuple[Unit, ...]


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
        limits: Sequence[Limit],
    ) -> tuple[list[Measurement], list[Limits]]:
        units = tuple(limit.unit for limit in limits)
        asked.append(Session(tuple(specs), tuple(host.name for host in hosts), problem, rounds, units))
        for _ in range(rounds):
            each()
        found = [
            measurement(
                s.name, h.name, _ns(s.name, h.name), problem.n, problem.level,
                columns=problem.columns, rows=problem.rows, work=problem.work,
            )
            for s in specs
            for h in hosts
        ]  # fmt: skip
        return found, [Limits(host.name, host.version, problem.level, {}) for host in hosts]

    monkeypatch.setattr(session, "run", run)
    return asked


def _ns(kernel: str, engine: str) -> float:
    """Node is faster with another gemv than wasmtime; of all other kernels, those with long names are slow."""
    if kernel == (FAST_IN_NODE if engine == "node" else SLOW_IN_NODE):
        return 10.0
    return 100.0 + len(kernel)


def measured(sessions: list[Session], *engines: str) -> tuple[Data, dict[str, list[Session]]]:
    """What is collected, and the sessions of each run."""
    done: list[None] = []
    hosts = [Engine(name) for name in engines]
    found = collect.collect(hosts, ROUNDS, lambda: done.append(None))  # type: ignore[arg-type]
    assert len(done) == collect.total(hosts, ROUNDS)  # type: ignore[arg-type]
    left = iter(sessions)
    return found, {
        series.name: [next(left) for _ in series.sessions(hosts)]  # type: ignore[arg-type]
        for series in SERIES
    }


def test_every_run_of_the_data_is_measured(sessions: list[Session]) -> None:
    found, _ = measured(sessions, *HERE)
    assert {series.name for series in SERIES} == set(NAMES)
    assert all(run.measurements for run in found.runs().values())


def test_every_kernel_but_those_that_only_import_memory_runs_in_every_engine(sessions: list[Session]) -> None:
    found, by_run = measured(sessions, *HERE)
    (only,) = by_run["kernels"]
    contract = KernelSpec(Isa.SCALAR).contract
    ours = {spec for spec in registered() if spec.memory is Memory.EXPORT and spec.contract == contract}
    assert set(only.specs) == {ARTICLE, *ours}
    assert only.engines == ("wasmtime", "node", "bun", "native")
    assert (only.problem.n, only.problem.level) == (4096, "l1")
    assert len(found.kernels.measurements) == len(only.specs) * 4


def test_lengths_double_and_native_is_timed_where_its_call_does_not_drown_it(sessions: list[Session]) -> None:
    found, by_run = measured(sessions, *HERE)
    assert [one.problem.n for one in by_run["lengths"]] == [256, 512, 1024, 2048, 4096, 8192, 16384]
    for one in by_run["lengths"]:
        native = one.problem.n >= 4096
        assert one.engines == (("wasmtime", "node", "native") if native else ("wasmtime", "node"))
        assert one.problem.level == "l1"
    assert {one.n for one in found.lengths.measurements} == {one.problem.n for one in by_run["lengths"]}


def test_levels_are_measured_one_engine_after_the_other(sessions: list[Session]) -> None:
    _, by_run = measured(sessions, "wasmtime", "node", "native")
    places = [(one.problem.level, *one.engines) for one in by_run["levels"]]
    assert places == [
        (level, name) for level in ("l1", "l2", "l3", "memory") for name in ("wasmtime", "node")
    ]


def test_few_kernels_are_timed_where_there_are_many_problems(sessions: list[Session]) -> None:
    _, by_run = measured(sessions, "wasmtime", "node", "native")
    for name in ("lengths", "levels", "elements", "rows", "columns"):
        assert all(len(one.specs) <= 6 for one in by_run[name])
    for name in ("elements", "rows", "columns"):
        assert all(one.rounds < ROUNDS for one in by_run[name])
        assert all(one.limits == (Unit.MEMORY,) for one in by_run[name])


def test_products_of_matrices_are_timed_beside_scalar_and_dot_products(sessions: list[Session]) -> None:
    _, by_run = measured(sessions, *HERE)
    one, many = by_run["matrix"]
    assert one.engines == many.engines == HERE
    assert one.specs == many.specs
    assert set(one.specs) >= {
        spec
        for spec in registered()
        if spec.op in products() and spec.op != "vec_dot" and spec.memory is Memory.EXPORT
    }
    assert {
        KernelSpec(Isa.SCALAR),
        fastest()["vec_dot_q4_0_q8_0", Isa.SIMD128],
        fastest()["vec_dot_q4_0_q8_0", Isa.RELAXED],
    } <= set(one.specs)
    assert (one.problem.columns, many.problem.columns) == (1, 32)


def test_growth_is_that_of_the_kernels_that_were_fastest_in_each_engine(sessions: list[Session]) -> None:
    _, by_run = measured(sessions, "wasmtime", "node", "native")
    for one in by_run["rows"]:
        names = {spec.name for spec in one.specs}
        alone = one.problem.columns == 1
        assert (names >= {SLOW_IN_NODE, FAST_IN_NODE}) is alone
        ops = {spec.op for spec in one.specs}
        assert ops == {"gemv" if alone else "gemm", "mul_mat"}
        assert all(spec.isa is Isa.RELAXED for spec in one.specs)
    assert {spec.op for one in by_run["columns"] for spec in one.specs} == {"gemv", "gemm", "mul_mat"}


def test_growth_goes_from_one_tile_out_of_cache_and_past_whole_panels(sessions: list[Session]) -> None:
    _, by_run = measured(sessions, "wasmtime")
    rows = [one.problem.rows for one in by_run["rows"] if one.problem.columns == 1]
    assert (rows[0], rows[-1]) == (4, 32000)
    assert {31, 32, 33} <= {one.problem.columns for one in by_run["columns"]}
    assert {one.problem.n for one in by_run["elements"]} == {256 << i for i in range(7)}


def test_quantisers_and_repackers_have_problems_of_their_own(sessions: list[Session]) -> None:
    _, by_run = measured(sessions, "wasmtime")
    ops = {one.problem.work: {spec.op for spec in one.specs} for one in by_run["operands"]}
    assert ops == {Work.QUANTISE: {"quantize_row", "pack_activations"}, Work.REPACK: {"repack"}}


def test_engines_that_are_not_here_are_left_out(sessions: list[Session]) -> None:
    found, _ = measured(sessions, "wasmtime")
    assert {one.engines for one in sessions} == {("wasmtime",)}
    assert found.levels.measurements


def test_without_the_engines_of_a_run_it_has_nothing(sessions: list[Session]) -> None:
    found, _ = measured(sessions, "bun")
    assert found.kernels.measurements
    assert not found.rows.measurements
