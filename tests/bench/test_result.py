from __future__ import annotations

import json

import pytest

from codegen.speed.bench.limits import Unit
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.bench.result import Result
from codegen.speed.bench.table import BASELINE
from tests.bench.results import FAST, NATIVE, WHOLE, made, measured


def test_json_gives_the_result_again() -> None:
    assert Result.from_json(WHOLE.to_json()) == WHOLE


def test_columns_work_peer_and_weights_are_kept_and_older_files_are_of_dot_products_of_q4_0() -> None:
    one = measured(FAST, 250.0, columns=8, work=Work.REPACK, peer=NATIVE, weights="q8_0")
    text = made(one).to_json()
    assert Result.from_json(text).measurements == (one,)
    assert one.problem == Problem(4096, 10, "l1", 8, Work.REPACK, "q8_0")
    data = json.loads(text)
    for name in ("columns", "work", "peer", "weights"):
        del data["measurements"][0][name]
    (old,) = Result.from_json(json.dumps(data)).measurements
    assert old.problem == Problem(4096, 10, "l1")
    assert old.peer is None


def test_json_has_what_readers_would_compute() -> None:
    data = json.loads(WHOLE.to_json())
    assert (data["format"], data["version"], data["rounds"]) == ("ggml-wasm-bench", 1, 10)
    assert data["engines"] == {
        "wasmtime": "wasmtime 50",
        "node": "node 24, V8",
        "native": "libggml-python 0.2",
    }
    fast = data["measurements"][1]
    assert fast["median"] == pytest.approx(250)
    assert fast["limit"] == ["vector operations", 200.0]
    wrong = data["measurements"][3]
    assert "median" not in wrong
    assert wrong["samples"] == []


def test_only_what_is_right_is_found_and_only_where_it_ran() -> None:
    found = WHOLE.find(FAST, "wasmtime", 4096, "l1")
    assert found is WHOLE.measurements[1]
    assert WHOLE.find(FAST, "node", 4096, "l1") is None
    assert WHOLE.find(FAST, "wasmtime", 4096, "l2") is None
    assert WHOLE.find(FAST, "wasmtime", 32, "l1") is None
    assert [one.kernel for one in WHOLE.right] == [BASELINE, FAST, BASELINE, NATIVE]


def test_the_limit_is_the_highest_floor_and_the_fraction_is_of_the_median() -> None:
    one = measured(FAST, 250.0, floors={Unit.SCALAR: 90.0, Unit.VECTOR: 200.0, Unit.MEMORY: 150.0})
    assert one.limit == (Unit.VECTOR, 200.0)
    assert one.fraction_of_limit == pytest.approx(0.8)
    assert one.per_block == pytest.approx(250 / 128)


def test_without_floors_there_is_no_limit() -> None:
    one = measured(NATIVE, 240.0)
    assert one.limit is one.fraction_of_limit is None


def test_what_takes_less_time_is_more_times_as_fast() -> None:
    assert measured(FAST, 250.0).times_as_fast_as(measured(BASELINE, 2000.0)).value == pytest.approx(8)
