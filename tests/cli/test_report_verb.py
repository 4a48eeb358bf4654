"""`codegen report --from`: draws what is there, and says in one line what is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.products.report.data import NAMES
from tests.cli.command import Call, assert_refused, contents, environment
from tests.report.runs import RELAXED, data

pytestmark = pytest.mark.slow


def test_draws_from_data_and_says_what_it_wrote(call: Call, tmp_path: Path) -> None:
    data().save(tmp_path / "kept")
    done = call("report", "--from", "kept", "--out", "page")
    assert (done.returncode, done.stderr) == (0, "")
    files = {line.removeprefix("wrote ") for line in done.stdout.splitlines()}
    assert files == {f"page/{name}" for name in contents(tmp_path / "page")}
    assert {"page/README.md", "page/main.svg", "page/data/kernels.json"} <= files


def test_draws_in_place_and_again_nothing(call: Call, tmp_path: Path) -> None:
    data().save(tmp_path / "docs" / "report" / "data")
    assert "wrote docs/report/main.svg" in call("report", "--from", "docs/report/data").stdout
    first = contents(tmp_path)
    done = call("report", "--from", "docs/report/data")
    assert (done.returncode, done.stdout) == (0, "docs/report is what the data draws\n")
    assert contents(tmp_path) == first


def test_a_wrong_kernel_is_a_failed_check(call: Call, tmp_path: Path) -> None:
    data(wrong={(RELAXED, "node"): "computes something else"}).save(tmp_path / "kept")
    assert call("report", "--from", "kept", "--out", "page").returncode == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_not_there_is_named(name: str, call: Call, tmp_path: Path) -> None:
    data().save(tmp_path / "kept")
    (tmp_path / "kept" / f"{name}.json").unlink()
    assert_refused(call("report", "--from", "kept", "--out", "page"), f"kept/{name}.json", "codegen report")
    assert not (tmp_path / "page").exists()


def spoilt(name: str) -> str:
    """A run with one thing wrong."""
    run = json.loads(data().kernels.to_json())
    one = run["measurements"][0]
    changes = {
        "no samples": lambda: one.pop("samples"),
        "words": lambda: one.update(samples=["a", "b", "c"]),
        "zero": lambda: one.update(samples=[0.0, 1.0, 2.0]),
        "NaN": lambda: one.update(samples=[float("nan")] * 3),
        "too few samples": lambda: one.update(samples=[1.0]),
        "level": lambda: one.update(level="l9"),
        "length": lambda: one.update(n=0),
        "unit": lambda: one.update(floors={"magic": 1.0}),
        "no rounds": lambda: run.pop("rounds"),
    }
    changes[name]()
    return json.dumps(run)


TEXTS = {"empty": "", "not JSON": "{", "a list": "[]", "no run": "{}", "deep": "[" * 100_000} | {
    name: spoilt(name)
    for name in (
        "no samples",
        "words",
        "zero",
        "NaN",
        "too few samples",
        "level",
        "length",
        "unit",
        "no rounds",
    )
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_that_is_no_run_is_named(name: str, call: Call, tmp_path: Path) -> None:
    data().save(tmp_path / "kept")
    (tmp_path / "kept" / "kernels.json").write_text(TEXTS[name])
    assert_refused(call("report", "--from", "kept", "--out", "page"), "kept/kernels.json: not a run of bench")
    assert not (tmp_path / "page").exists()


def test_a_kernel_that_nobody_knows_is_named(call: Call, tmp_path: Path) -> None:
    data().save(tmp_path / "kept")
    path = tmp_path / "kept" / "kernels.json"
    path.write_text(path.read_text().replace(RELAXED, "vec_dot_q4_0_q8_0__avx2_u1"))
    assert_refused(call("report", "--from", "kept", "--out", "page"), "'avx2'")


def test_without_matplotlib_it_says_what_to_install_before_anything_else(tmp_path: Path) -> None:
    blocked = (
        "import sys; sys.modules['matplotlib'] = None; from codegen.__main__ import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", blocked, "report", "--from", "missing"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert_refused(done, "matplotlib", "pip install")
