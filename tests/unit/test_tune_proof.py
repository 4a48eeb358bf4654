"""Full verification: in wasmtime for real, in other engines as they report it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from codegen import engines
from codegen.engines.engine import Engine
from codegen.engines.report import EngineError
from codegen.speed.tune import proof
from codegen.verify.report import Report
from tests.tunings import RELAXED, SCALAR, spec

Change = Callable[[list[dict[str, Any]]], object]
FAILURE = {"case": "count-b1", "got": "1.0", "expected": "2.0", "phase": "hot"}


@pytest.fixture(autouse=True)
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kernel is right in wasmtime."""
    monkeypatch.setattr(proof, "verify_kernel", lambda one: Report(one.name, None))  # type: ignore[arg-type]


def engine(name: str, change: Change = lambda kernels: None) -> Engine:
    """An engine that computes 0 throughout, but for what `change` does to its report."""

    def launch(job_file: Path, timeout: float) -> str:
        job = json.loads(job_file.read_text())
        fine = {"failure": None, "skipped": None}
        kernels = []
        for one in job["kernels"]:
            count = len(job["vectors"][one["interface"]]["cases"])
            ran = {"cases": count, "passed": count, "results": ["0"] * count}
            kernels.append({"name": one["name"], **fine, **ran})
        opcodes = [
            {"name": one["name"], **fine, "cases": 1, "passed": 1, "results": []}
            for one in job["opcodes"]["cases"]
        ]
        change(kernels)
        return json.dumps({"engine": name, "kernels": kernels, "opcodes": opcodes})

    return Engine(name, launch)


def there_are(found: Sequence[Engine], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(engines, "discover", lambda: list(found))


def test_what_is_right_everywhere_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    there_are([engine("node"), Engine("bun", missing="not here"), engine("deno")], monkeypatch)
    assert proof.failures([SCALAR, RELAXED]) == {}


def test_a_kernel_that_verify_refuses_is_not_run_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    there_are([engine("node", lambda kernels: names.extend(one["name"] for one in kernels))], monkeypatch)
    wrong = {RELAXED.name: ["first", "second"]}
    monkeypatch.setattr(
        proof, "verify_kernel", lambda one: Report(one.name, None, failures=wrong.get(one.name, []))
    )  # type: ignore[arg-type]
    assert proof.failures([SCALAR, RELAXED]) == {RELAXED: "first"}
    assert names == [SCALAR.name]


def test_a_kernel_that_an_engine_gets_wrong_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    there_are(
        [engine("node"), engine("node-noavx", lambda kernels: kernels[1].update(failure=FAILURE))],
        monkeypatch,
    )
    (failed,) = proof.failures([SCALAR, RELAXED]).items()
    assert failed == (RELAXED, "node-noavx: count-b1 (hot): got 1.0, expected 2.0")


def test_a_kernel_of_other_bits_in_one_engine_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = engine("bun", lambda kernels: kernels[0]["results"].__setitem__(0, "1"))
    there_are([engine("node"), engine("deno"), odd], monkeypatch)
    (failed,) = proof.failures([SCALAR, RELAXED]).items()
    assert failed[0] == SCALAR
    assert failed[1].startswith("bun: other bits in ")


def test_a_feature_that_an_engine_lacks_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = {"cases": 0, "passed": 0, "results": [], "skipped": "no relaxed SIMD"}
    there_are([engine("wasmtime-strict", lambda kernels: kernels[1].update(lacking))], monkeypatch)
    assert proof.failures([SCALAR, RELAXED]) == {}


def test_an_engine_that_crashes_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there_are([engine("node", lambda kernels: kernels.clear())], monkeypatch)
    with pytest.raises(EngineError, match="engine node"):
        proof.failures([spec("scalar_u2")])


def test_browsers_and_emulators_are_left_to_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    there_are(
        [engine(name, lambda kernels: kernels.clear()) for name in ("chromium", "node-aarch64")], monkeypatch
    )
    assert proof.failures([SCALAR]) == {}
