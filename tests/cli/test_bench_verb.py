"""bench from its words to its exit status; what it measures is tests/bench's."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from codegen import KernelSpec
from codegen.engines import javascript
from codegen.engines.javascript import Program
from codegen.kernels.registry import registered
from codegen.speed.bench import article, contestant, native, session
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Result
from codegen.speed.bench.table import BASELINE
from tests.cli.command import Call, assert_refused, codegen, contents

FAST = "vec_dot_q4_0_q8_0__relaxed_u4"
QUICK = ["bench", "--rounds", "2", "--n", "64", "--engine", "wasmtime", "--kernel", FAST]
TOLD = re.compile(r"(no ratio is sure|noisy machine|cannot tell apart|left out|n = \d+ does not fit).*")
"""What bench may say on standard error beside its result."""


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "SLICE_S", 1e-4)


@pytest.fixture
def no_bun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        javascript,
        "programs",
        lambda: [Program("bun", missing="not found: do this"), Program("node", ("x",))],
    )


BAD = {
    "--n": ["31", "48", "0", "-32", "", "64..32", "1...", "32..", "..32", "32...64", "32,,64", "32,", "1048608",
            "32..9999999", "9" * 5000, "3٢", "032", "32 ", "32..48", "64-128"],
    "--size": ["", "L1", "l4", "l1,", "l1,,l2", "ram", "l1 l2", "all"],
    "--engine": ["", "all", "V8", "wasmtime,", "wasmtime,,native", "wasmtime native", "wasmtime\nnode", "x" * 4000],
    "--op": ["", "matvec", "gemm,gemv", "all"],
    "--weights": ["", "q8_1", "Q4_0", "q4_0,", "all,x"],
    "--rows": ["0", "-1", "", "1,", "1..4", "16777217"],
    "--columns": ["0", "-1", "", "4097", "x"],
    "--rounds": ["0", "-1", "10001", "1e3", ""],
    "--format": ["", "xml", "JSON", "./table"],
    "-o": ["out", "-", "build/"],
}  # fmt: skip


@pytest.mark.parametrize(("option", "value"), [(option, value) for option in BAD for value in BAD[option]])
def test_bad_values_are_refused_in_one_line(option: str, value: str, call: Call, tmp_path: Path) -> None:
    done = call("bench", f"{option}={value}" if option != "-o" else f"-o{value}")
    assert_refused(done)
    assert len(done.stderr) < 12_000
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("4096", [4096]),
        ("256,1024", [256, 1024]),
        ("256..2048", [256, 512, 1024, 2048]),
        ("96..416", [96, 192, 384]),
        ("64,32..128,64", [64, 32, 128]),
        ("32..32", [32]),
        ("1048576", [1 << 20]),
    ],
)
def test_lists_of_n(text: str, numbers: list[int], call: Call) -> None:
    done = call(*QUICK, "--rounds", "1", "--n", text, "--size", "l2", "--json")
    assert list(dict.fromkeys(one.n for one in Result.from_json(done.stdout).measurements)) == numbers


def test_the_default_is_every_kernel_at_4096_in_l1(call: Call) -> None:
    result = Result.from_json(call("bench", "--rounds", "1", "--engine", "wasmtime", "--json").stdout)
    assert {(one.n, one.level) for one in result.measurements} == {(4096, "l1")}
    wanted = [spec.name for spec in registered() if spec.contract == "vec_dot_q4_0_q8_0"]
    assert sorted(one.kernel for one in result.measurements) == sorted(wanted)
    assert all(one.samples for one in result.measurements)


def test_scalar_is_timed_beside_what_was_asked_for(call: Call) -> None:
    result = Result.from_json(call(*QUICK, "--json").stdout)
    assert [one.kernel for one in result.measurements] == [BASELINE, FAST]


def test_every_format_has_its_result_alone_on_standard_output(call: Call) -> None:
    for words in (["-o", "json"], ["--format", "json"], ["--json"], ["--json", "-o", "csv"]):
        assert len(json.loads(call(*QUICK, *words).stdout)["measurements"]) == 2
    lines = list(csv.DictReader(io.StringIO(call(*QUICK, "-o", "csv").stdout)))
    assert [line["kernel"] for line in lines] == [BASELINE, FAST]
    document = call(*QUICK, "-o", "md").stdout
    assert document.count("\n| vec_dot") == 2
    table = call(*QUICK, "--size", "l1,l2").stdout
    assert re.findall(r"rows in (\w+), median of 2 rounds", table) == ["L1", "L2"]
    assert table.count(FAST) == 2


def test_a_pipe_gets_the_result_and_one_line_for_each_doubt(tmp_path: Path) -> None:
    done = codegen(*QUICK, cwd=tmp_path, TERM="xterm-256color")
    assert done.stdout.startswith("dot products of 64, ")
    assert done.stdout.replace("\n", "").isprintable()
    assert "no ratio is sure after 2 rounds" in done.stderr
    assert all(TOLD.fullmatch(line) for line in done.stderr.splitlines())


# --- engines that are not here


@pytest.mark.usefixtures("no_bun")
def test_an_engine_that_is_not_here_is_left_out_by_name(call: Call) -> None:
    done = call(*QUICK, "--engine", "bun,wasmtime,bun")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "left out: engine bun: not found: do this"
    assert done.stderr.count("bun") == 1
    assert FAST in done.stdout


@pytest.mark.usefixtures("no_bun")
def test_no_engine_at_all_is_a_wrong_call(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "find_spec", lambda _: None)
    native.load.cache_clear()
    try:
        assert_refused(call(*QUICK, "--engine", "bun,native"), "bun: not found", native.INSTALL)
    finally:
        native.load.cache_clear()


@pytest.mark.usefixtures("no_bun")
def test_an_unknown_engine_is_told_with_the_known_ones(call: Call) -> None:
    assert_refused(call(*QUICK, "--engine", "wasmtime,v8"), "'v8'", "wasmtime, bun, node, native")


def test_an_engine_that_fails_to_start_ends_in_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(javascript, "programs", lambda: [Program("node", ("/no/such/node",))])
    assert_refused(call(*QUICK, "--engine", "wasmtime,node"), "does not start")


# --- wrong values


def test_a_wrong_kernel_has_no_speed_and_the_status_of_a_failed_check(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = session.kernel_entry

    def entry(spec: KernelSpec, problem: Problem) -> Entry:
        right = real(spec, problem)
        if spec.name != FAST:
            return right
        assert right.output
        (line,) = right.output.expected
        return replace(right, output=replace(right.output, expected=(line[:-1] + bytes([line[-1] ^ 1]),)))

    monkeypatch.setattr(session, "kernel_entry", entry)
    done = call(*QUICK)
    assert done.returncode == 1
    (row,) = (line for line in done.stdout.splitlines() if line.startswith(FAST))
    assert row.split()[2:] == ["WRONG"]
    assert f"wasmtime: {FAST}: row 63 is 0x" in done.stderr
    result = Result.from_json(call(*QUICK, "--json").stdout)
    assert [bool(one.samples) for one in result.measurements] == [True, False]


# --- levels and the published table


def test_rows_too_long_for_a_level_are_told_and_measured_once(call: Call) -> None:
    done = call(*QUICK, "--n", "1048576", "--size", "l1,l2,l3", "--rounds", "1", "--json")
    levels = [one.level for one in Result.from_json(done.stdout).measurements]
    assert "l1" not in levels
    assert len(levels) == len(set(levels)) * 2
    assert "n = 1048576 does not fit in l1: measured in l" in done.stderr


def test_what_does_not_fit_in_memory_is_refused_before_anything_is_timed(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "free_memory", lambda: 100 << 20)
    monkeypatch.setattr(session, "_time", lambda _: pytest.fail("it was timed"))
    assert_refused(
        call(*QUICK, "--n", "32,1048576", "--size", "l1,memory"), " rows in memory: ", "fewer rows, kernels"
    )


def test_the_published_table(call: Call) -> None:
    done = call("bench", "--article", "--rounds", "1", "--engine", "wasmtime")
    assert done.stdout.startswith("a dot product of 4,096, published and on ")
    for label, *_ in article.entries():
        assert label in done.stdout
    assert done.stdout.count("not here") == 1  # native GGML
    result = Result.from_json(
        call("bench", "--article", "--rounds", "1", "--engine", "wasmtime", "--json").stdout
    )
    assert [one.kernel for one in result.measurements] == [spec.name for spec in article.specs()]


@pytest.mark.parametrize(
    "words",
    [
        ("--n", "32"),
        ("--size", "l2"),
        ("--isa", "relaxed"),
        ("--unroll", "2"),
        ("--kernel", FAST),
        ("--op", "vec_dot"),
        ("--weights", "q8_0"),
        ("--rows", "2"),
        ("--columns", "1"),
    ],
)
def test_the_published_table_has_its_own_kernels_n_and_size(words: tuple[str, str], call: Call) -> None:
    assert_refused(call("bench", "--article", *words), words[0])
