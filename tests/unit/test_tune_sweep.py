"""A sweep of several operations: the problem of each, and quantisers of records that something reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen import KernelSpec
from codegen.kernels import shipped, tuning
from codegen.speed.bench import machine, session
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.tune import proof
from codegen.speed.tune.search import Watch
from codegen.speed.tune.sweep import Order, Outcome, sweep
from tests.tunings import FakeSession

GEMV = "gemv_q4_0_q8_0"
PAIRS = KernelSpec.parse(f"{GEMV}_8x1__relaxed_u1_broadcast")
WIDE = KernelSpec.parse(f"{GEMV}_8x1__simd128_u1")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeSession:
    made = FakeSession({PAIRS: 40, WIDE: 60})
    monkeypatch.setattr(session, "run", made)
    monkeypatch.setattr(proof, "failures", lambda _: {})
    monkeypatch.setattr(shipped, "root", lambda: tmp_path / "none")
    return made


def swept(folder: Path, *ops: str, patterns: tuple[str, ...] = ()) -> Outcome:
    return sweep(Order("wasmtime", folder, patterns, ops=ops), Watch())


def test_quantisers_come_last_and_make_what_the_best_kernels_read(fake: FakeSession, tmp_path: Path) -> None:
    found = swept(tmp_path, "pack_activations", "gemv", "mul_mat").swept
    assert list(found) == [
        GEMV, "mul_mat_q4_0", "pack_activations_q8_0-sums-compact", "pack_activations_q8_0-wide-compact",
        "pack_activations_q8_0-pairs-broadcast",
    ]  # fmt: skip
    assert set(found[GEMV].best.values()) >= {PAIRS, WIDE}
    made = {spec.record for name in found if name.startswith("pack") for spec in found[name].best.values()}
    assert made == {spec.record for spec in found[GEMV].best.values()}
    again = tuning.load(tmp_path / f"wasmtime-{tuning.architecture()}.json")
    assert dict(again.contracts) == found


def test_without_best_kernels_and_where_they_are_named_all_are_tried(
    fake: FakeSession, tmp_path: Path
) -> None:
    assert len(swept(tmp_path / "none", "pack_activations").swept) == 6
    swept(tmp_path, "gemv")
    assert list(swept(tmp_path, patterns=("pack_activations*-wide_u4_broadcast",)).swept) == [
        "pack_activations_q8_0-wide-broadcast"
    ]


def test_each_contract_is_timed_on_weights_of_its_own_against_their_baseline(
    fake: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed: set[tuple[str, str]] = set()

    def run(specs, hosts, problem, *more, limits):  # type: ignore[no-untyped-def]
        assert {spec.x for spec in specs} == {problem.weights}
        timed.add((specs[0].name, problem.weights))
        return fake(specs, hosts, problem, *more, limits)

    monkeypatch.setattr(session, "run", run)
    found = swept(tmp_path, patterns=("vec_dot_q[48]_0_*__relaxed_u[12]",)).swept
    assert list(found) == ["vec_dot_q4_0_q8_0", "vec_dot_q8_0_q8_0"]
    assert timed == {(f"vec_dot_{weights}_q8_0__scalar_u1", weights) for weights in ("q4_0", "q8_0")}


def test_each_operation_is_timed_on_its_usual_problem(
    fake: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems: dict[str, Problem] = {}

    def run(specs, hosts, problem, *more, limits):  # type: ignore[no-untyped-def]
        problems[specs[-1].op] = problem
        return fake(specs, hosts, problem, *more, limits)

    monkeypatch.setattr(session, "run", run)
    # In the 32 KiB of many processors a row of 4096 numbers and its blocks would not be at home.
    monkeypatch.setattr(machine, "cache_bytes", lambda: {1: 48 << 10, 2: 2 << 20, 3: 32 << 20})
    found = swept(tmp_path, "gemm", "gemv", "quantize_row", "repack").swept
    assert {op: (one.level, one.columns, one.work) for op, one in problems.items()} == {
        "gemm": ("l2", 32, Work.PRODUCTS),
        "gemv": ("l2", 1, Work.PRODUCTS),
        "quantize_row": ("l1", 1, Work.QUANTISE),
        "repack": ("l2", 1, Work.REPACK),
    }
    assert {name: (one.n, one.level, one.columns) for name, one in found.items()} == {
        "gemm_q4_0_q8_0": (4096, "l2", 32),
        "gemv_q4_0_q8_0": (4096, "l2", 1),
        "quantize_row_q8_0": (4096, "l1", 1),
        "repack_q4_0": (4096, "l2", 1),
    }
