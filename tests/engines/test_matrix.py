"""Engines that break, and engines that do not agree."""

from __future__ import annotations

import json
import re
import sys
import time

import pytest

from codegen.engines import Engine, EngineReport, Failure, SubjectReport, run_matrix, select
from codegen.engines.engine import command_launcher
from codegen.engines.matrix import find_differences
from codegen.engines.process import run_command
from codegen.engines.report import EngineError
from tests.engines.toy_kernels import CASES, case, job, opcode, toy

JOB = job(toy("a"), toy("b"), cases=[case("one", [(3, -5)]), case("two", [(1, 1)])])


def reporting(name, *results, **more):
    """An engine whose runner just prints a report: for each kernel of JOB the results given."""
    kernels = [
        {"name": kernel, "cases": 2, "passed": 2, "failure": None, "skipped": None, "results": list(result)}
        for kernel, result in zip("ab", results, strict=True)
    ]
    text = json.dumps({"engine": f"{name} 1.0", "kernels": kernels, "opcodes": [], **more})
    return Engine(name, lambda _job_file, _timeout: text)


def python(code):
    return Engine("test", command_launcher([sys.executable, "-c", code]))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import os; os.abort()", r"ended by SIGABRT"),
        ("raise SystemExit('no wasm here')", r"exit status 1: no wasm here"),
        ("print('hello')", r"the runner printed no report but: hello"),
        ("", r"printed no report but: nothing"),
        ("print('{}')", r"printed no report but: \{\}"),
        ('print(\'{"engine": "x", "kernels": [], "opcodes": []}\')', r"not about the job's kernels"),
    ],
)
def test_an_engine_that_breaks_is_an_error_in_its_row(code, error):
    report = python(code).run(JOB)
    assert not report.ok
    assert re.search(error, report.error)


def test_an_engine_that_hangs_is_ended():
    start = time.monotonic()
    report = python("import time; time.sleep(60)").run(JOB, timeout=0.5)
    assert "not done after 0.5 s" in report.error
    assert time.monotonic() - start < 10


def test_a_runner_that_loses_results_is_an_error():
    report = reporting("short", ["c1700000"], ["c1700000", "3f800000"]).run(JOB)
    assert report.error == "a passed without a result for every case"


def test_engines_that_differ_are_found_with_the_first_case():
    same = [["c1700000", "3f800000"], ["c1700000", "3f800000"]]
    odd = [["c1700000", "3f800000"], ["c1700000", "3f800001"]]
    matrix = run_matrix(JOB, [reporting("x", *same), reporting("odd", *odd), reporting("y", *same)])
    assert all(report.ok for report in matrix.reports)
    assert not matrix.passed
    (difference,) = matrix.differences
    assert (difference.kernel, difference.case, difference.engines) == ("b", "two", ["odd"])
    assert "odd: b: two: got 3f800001, the other engines 3f800000" in matrix.failures()
    assert matrix.grid().rows[1] == ("b", "pass", "differs", "pass")
    digests = [engine["kernels"][1]["bits"] for engine in matrix.to_json()["engines"]]
    assert digests[0] == digests[2] != digests[1]


def test_skipped_and_missing_engines_do_not_differ():
    skipped = SubjectReport("a", skipped="the engine has no SIMD")
    reports = [
        EngineReport("x", kernels=[SubjectReport("a", 2, 2, results=["0", "1"]), skipped]),
        EngineReport("y", kernels=[skipped, skipped]),
        EngineReport("z", skipped="not found"),
        EngineReport("w", error="crashed"),
    ]
    assert find_differences(JOB, reports) == []


def test_the_matrix_of_real_engines():
    wrong = case("two", [(1, 1)], {"bits": "0x40000000"})
    seen = []
    engines = [
        *select(["wasmtime", "wasmtime-strict"]),
        Engine("absent", missing="not found: pip install absent"),
    ]
    good = run_matrix(job(toy("a"), toy("b", isa="relaxed")), engines, on_report=seen.append)
    assert good.passed
    assert good.calls == 3 * len(CASES)
    assert {report.name for report in seen} == {"wasmtime", "wasmtime-strict", "absent"}
    assert list(good.skipped()) == [
        "wasmtime-strict: skipped 1: the engine has no relaxed SIMD",
        "absent: skipped not found: pip install absent",
    ]
    assert json.loads(json.dumps(good.to_json()))["passed"] is True

    bad = run_matrix(job(toy("a"), cases=[case("one", [(3, -5)]), wrong]), engines)
    assert not bad.passed
    line = 'wasmtime: a: two (cold): got 0x3f800000 (1), expected {"bits": "0x40000000"}'
    assert line in bad.failures()
    assert bad.to_json()["engines"][0]["kernels"][0]["failure"]["case"] == "two"


def test_no_engine_at_all_proves_nothing():
    assert not run_matrix(JOB, [Engine("absent", missing="not found")]).passed


def test_only_an_opcode_is_excused_by_a_known_fault():
    wasmtime = select(["wasmtime"])[0]
    faulty = Engine("faulty", wasmtime.launch, faults={"i8x16.add": "adds wrongly", "a": "is wrong"})
    wrong = opcode("i8x16.add, all ones", "(i8x16.add $a $b)", [bytes(16), bytes(16)], bytes([1] * 16))
    report = faulty.run(job(toy("a", x="3"), opcodes=[wrong]))
    assert report.opcodes[0].skipped == "known fault: adds wrongly"
    assert isinstance(report.kernels[0].failure, Failure)
    assert not report.ok


def test_a_command_that_is_not_there_is_one_line():
    with pytest.raises(EngineError, match=r"^nowhere: does not start: No such file or directory$"):
        run_command(["nowhere"], timeout=5)


def test_an_interrupted_matrix_ends_its_engines():
    def interrupt(_report):
        raise KeyboardInterrupt

    slow = python("import time; time.sleep(60)")
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_matrix(JOB, [Engine("absent", missing="not found"), slow], on_report=interrupt)
    assert time.monotonic() - start < 10
