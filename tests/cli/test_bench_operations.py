"""bench of other operations than dot products: their problems, what they are compared with, and what goes together."""

from __future__ import annotations

import csv
import io
import subprocess

import pytest

from codegen import KernelSpec
from codegen.base.errors import InputError
from codegen.speed.bench import contestant, native
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.bench.result import Result
from codegen.speed.bench.table import BASELINE
from tests.cli.command import Call, assert_refused

FAST = "vec_dot_q4_0_q8_0__relaxed_u4"
OF_BYTES = ("vec_dot_q8_0_q8_0__scalar_u1", "vec_dot_q8_0_q8_0__relaxed_u4")


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "SLICE_S", 1e-4)


def problems(done: subprocess.CompletedProcess[str]) -> list[Problem]:
    return list(dict.fromkeys(one.problem for one in Result.from_json(done.stdout).measurements))


GEMM, GEMV = "gemm_q4_0_q8_0_8x4__relaxed_u1", "gemv_q4_0_q8_0_8x1__relaxed_u1"
BRIEF = ["bench", "--rounds", "1", "--n", "64", "--engine", "wasmtime", "--json"]


def test_products_stand_in_one_table_against_the_scalar_dot_product(call: Call) -> None:
    words = (*BRIEF, "--op", "matmul", "--rows", "20,3", "--columns", "1,5")
    done = call(*words, "--kernel", "*__relaxed*_u1*", "--kernel", "mul_mat*", "--kernel", FAST)
    assert problems(done) == [Problem(64, rows, "l1", columns) for columns in (1, 5) for rows in (20, 3)]
    result = Result.from_json(done.stdout)
    assert all(one.samples for one in result.measurements)
    ops = {KernelSpec.parse(one.kernel).op for one in result.measurements}
    assert ops == {"vec_dot", "gemv", "gemm", "mul_mat"}
    assert {one.kernel for one in result.measurements} >= {BASELINE, FAST}
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("op", "plainest", "work", "level", "columns"),
    [
        ("quantize_row", "quantize_row_q8_0__scalar_u1", Work.QUANTISE, "l1", 1),
        ("pack_activations", "quantize_row_q8_0__scalar_u1", Work.QUANTISE, "l1", 1),
        ("repack", "repack_q4_0__scalar_u1", Work.REPACK, "l2", 1),
        ("gemv", BASELINE, Work.PRODUCTS, "l2", 1),
        ("gemm", BASELINE, Work.PRODUCTS, "l2", 32),
    ],
)
def test_each_operation_has_its_own_problem_and_baseline(
    op: str, plainest: str, work: Work, level: str, columns: int, call: Call
) -> None:
    done = call(*BRIEF, "--n", "1024", "--op", op, "--isa", "simd128", "--isa", "scalar")
    (problem,) = problems(done)
    assert (problem.work, problem.level, problem.columns) == (work, level, columns)
    kernels = [one.kernel for one in Result.from_json(done.stdout).measurements]
    assert kernels[0] == plainest
    assert {KernelSpec.parse(one).op for one in kernels[1:]} == {op}


def test_full_names_say_their_operation_and_share_a_problem(call: Call) -> None:
    done = call(*BRIEF, "--kernel", GEMM, "--kernel", GEMV, "--size", "l1")
    (problem,) = problems(done)
    assert (problem.columns, problem.rows % 16) == (1, 0)
    assert [one.kernel for one in Result.from_json(done.stdout).measurements] == [BASELINE, GEMM, GEMV]
    done = call(*BRIEF, "--kernel", GEMM, "--rows", "16")
    assert problems(done) == [Problem(64, 16, "l1", 32)]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--op", "quantize_row", "--columns", "2"), "--columns"),
        (("--rows", "4", "--size", "l1"), "--rows"),
        (("--kernel", GEMM, "--kernel", "quantize_row_q8_0__scalar_u1"), "different work"),
        (("--op", "gemv", "--kernel", GEMM), "gemv"),
        (("--op", "matmul", "--kernel", "quantize_row*"), "of vec_dot, gemv, "),
        (("--kernel", "*relaxed*"), "different work"),
        (("--op", "quantize_row", "--weights", "q8_0"), "--weights: quantize_row has none"),
        (("--kernel", FAST, "--weights", "q8_0,q5_0"), "--weights q8_0,q5_0: none of the kernels"),
        (("--op", "gemv", "--weights", "q8_0"), "--weights q8_0"),
        (("--weights", "f32"), "'f32'"),
        (("--n", "1048576", "--rows", "16777216"), "fewer rows"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...], named: str, call: Call) -> None:
    assert_refused(call("bench", *words), named)


def test_kernels_of_several_weights_have_a_problem_and_a_baseline_each(call: Call) -> None:
    words = (*BRIEF, "--kernel", FAST, "--kernel", OF_BYTES[1], "--rows", "9")
    done = call(*words)
    assert done.returncode == 0
    assert problems(done) == [Problem(64, 9, "l1", weights=weights) for weights in ("q4_0", "q8_0")]
    result = Result.from_json(done.stdout)
    assert [one.kernel for one in result.measurements] == [BASELINE, FAST, *OF_BYTES]
    assert all(one.samples for one in result.measurements)
    only = Result.from_json(call(*words, "--weights", "q8_0").stdout)
    assert [one.kernel for one in only.measurements] == list(OF_BYTES)


@pytest.mark.parametrize(
    ("words", "weights"), [((), {"q4_0"}), (("--weights", "q8_0"), {"q8_0"}), (("--weights", "all"), None)]
)
def test_weights_are_q4_0_where_nothing_is_named(
    words: tuple[str, ...], weights: set[str] | None, call: Call
) -> None:
    kernels = call(*BRIEF, "--isa", "relaxed", "--unroll", "4", *words)
    each = Result.from_json(kernels.stdout).measurements
    assert all(one.weights == KernelSpec.parse(one.kernel).x and one.samples for one in each)
    found = {one.weights for one in each}
    assert found == weights if weights else found >= {"q4_0", "q8_0"}


def test_a_function_that_native_ggml_lacks_is_left_out_by_name(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "has", lambda name: "q8_0_q8_0" not in name)
    try:
        native.load()
    except InputError as error:
        pytest.skip(str(error))
    done = call(*BRIEF, "--engine", "wasmtime,native", "--kernel", FAST, "--kernel", OF_BYTES[1])
    found = [one.kernel for one in Result.from_json(done.stdout).measurements if one.engine == "native"]
    assert found == ["ggml_vec_dot_q4_0_q8_0"]
    assert "left out: ggml_vec_dot_q8_0_q8_0 in native, whose library lacks it\n" in done.stderr
    assert done.stderr.count("left out") == 1


def test_tables_tell_columns_and_work(call: Call) -> None:
    words = ("--rounds", "1", "--n", "64", "--engine", "wasmtime", "--rows", "8")
    done = call("bench", *words, "--columns", "4", "--kernel", GEMM)
    assert done.stdout.startswith("dot products of 64, 8 rows in L1, 4 columns, median of 1 rounds\n")
    assert call("bench", *words, "--op", "repack").stdout.startswith(
        "repacked rows of 64, 8 rows in L1, median"
    )
    (first, *_) = csv.DictReader(
        io.StringIO(call("bench", *words, "--columns", "4", "--kernel", GEMM, "-o", "csv").stdout)
    )
    assert (first["work"], first["columns"], first["peer"]) == ("dot products", "4", "ggml_vec_dot_q4_0_q8_0")
