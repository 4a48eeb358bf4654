from __future__ import annotations

import numpy as np
import pytest

from codegen import Kernel, KernelSpec
from codegen.base.errors import InputError
from codegen.formats import FORMATS, Q4_0, Q8_0, dequantize
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels.dot.plan import dot_plan
from codegen.oracle.dot import decode
from codegen.speed.bench import machine
from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.operations import vec_dot as bench
from codegen.verify.dot.judge import bound, mismatch

CACHES = {1: 48 << 10, 2: 2 << 20, 3: 64 << 20}
KERNELS = (
    *(f"q4_0_q8_0__{name}" for name in ("scalar_u1", "simd128-extmul_u1", "simd128_u4", "relaxed_u4")),
    *(
        "q4_0_q8_0__relaxed-dot32_u2",
        "q8_0_q8_0__scalar_u1",
        "q8_0_q8_0__relaxed_u4",
        "q5_0_q8_0__simd128_u4",
    ),
)


@pytest.fixture(autouse=True)
def known_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "cache_bytes", lambda: CACHES)


@pytest.mark.parametrize("n", [32, 96, 4096, 1 << 20])
def test_a_row_is_its_blocks(n: int) -> None:
    problem = Problem(n, 3, "l1")
    assert problem.x_step == n // 32 * Q4_0.bytes
    assert len(problem.y) == n // 32 * Q8_0.bytes
    assert len(problem.x) == problem.bytes == 3 * problem.x_step


@pytest.mark.parametrize("weights", ["q4_0", "q5_0", "q8_0"])
def test_rows_are_blocks_of_their_format_with_every_code_it_holds(weights: str) -> None:
    problem, block = Problem(4096, 6, "l1", columns=2, weights=weights), FORMATS[weights]
    assert problem.x_step == 128 * block.bytes
    assert len(problem.x) == 6 * problem.x_step
    parts = decode(problem.x, block)
    lowest, highest = (bound - block.codes.zero for bound in block.codes.raw)
    assert set(np.unique(parts.values)) == set(range(lowest, highest + 1))
    rows = dequantize(problem.x, block).reshape(6, 4096).astype(np.float64)
    columns = dequantize(problem.y, Q8_0).reshape(2, 4096).astype(np.float64)
    exact = [[float(one.value) for one in column] for column in problem.exact]
    assert np.array(exact) == pytest.approx(columns @ rows.T, rel=1e-9)


@pytest.mark.parametrize(("level", "rows"), [("l1", 10), ("l2", 454), ("l3", 14538), ("memory", 116306)])
def test_as_many_rows_as_live_at_a_level(level: str, rows: int) -> None:
    assert Problem.at(4096, level) == Problem(4096, rows, level)
    larger = Problem.at(4096, level, weights="q8_0")
    assert larger.rows < rows
    assert larger == Problem(4096, larger.rows, level, weights="q8_0")


@pytest.mark.parametrize("n", [32, 4096, 16384, 32768, 1 << 20])
@pytest.mark.parametrize("level", LEVELS)
def test_weights_results_and_activations_fit_in_the_level_a_problem_names(n: int, level: str) -> None:
    problem = Problem.at(n, level)
    assert problem.rows >= 1
    assert LEVELS.index(problem.level) >= LEVELS.index(level)
    if problem.level != "memory":
        whole = problem.footprint
        assert whole == problem.bytes + 4 * problem.rows + len(problem.y)
        assert whole <= CACHES[int(problem.level[1])]
        if problem.level != "l1":
            assert whole > CACHES[int(problem.level[1]) - 1]


def test_a_row_too_long_for_a_level_is_the_next_ones_problem() -> None:
    assert Problem.at(1 << 20, "l1") == Problem.at(1 << 20, "l2") == Problem(1 << 20, 1, "l2")
    assert Problem.at(16384, "l1").level == "l1"
    assert Problem.at(32768, "l1").level == "l2"


@pytest.mark.parametrize("rows", [1, 5, 64, 100, 200])
def test_rows_are_distinct_until_they_repeat(rows: int) -> None:
    problem = Problem(64, rows, "l1")
    each = [bytes(row) for row in problem.x.reshape(rows, problem.x_step)]
    assert len(set(each)) == problem.distinct == min(rows, 64)
    assert all(row == each[i % problem.distinct] for i, row in enumerate(each))


@pytest.mark.parametrize(("n", "distinct"), [(32, 64), (4096, 64), (8192, 32), (1 << 20, 2)])
def test_long_rows_repeat_earlier_since_exact_results_take_long(n: int, distinct: int) -> None:
    assert Problem(n, 100, "memory").distinct == distinct


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n", [32, 160, 1024])
def test_bits_are_those_of_the_kernel_and_within_the_bound_of_exact_results(kernel: str, n: int) -> None:
    spec = KernelSpec.parse(f"vec_dot_{kernel}")
    problem = Problem(n, 70, "l1", weights=spec.x)
    results = Kernel.load(spec).rows(problem.x, problem.y, problem.rows, n)
    (bits,), (exact,) = bench.bits(spec, problem), problem.exact
    assert len(bits) == len(exact) == problem.distinct
    assert [int(b) for b in results.view(np.uint32)] == [bits[i % 64] for i in range(70)]
    for value, expected in zip(bits, exact, strict=True):
        result = float(value.view(np.float32))
        assert mismatch(result, expected, bound(dot_plan(spec), n // 32, expected.magnitude)) is None


def test_no_activation_is_what_native_ggml_gets_wrong() -> None:
    values = decode(Problem(1 << 16, 8, "l1").y, Q8_0).values
    assert values.min() == -127
    assert values.max() == 127


def test_the_same_problem_every_time() -> None:
    assert bytes(Problem(256, 9, "l1").x) == bytes(Problem(256, 9, "l1").x)


@pytest.mark.parametrize(
    ("columns", "multiple", "rows"), [(1, 16, 448), (32, 1, 431), (32, 16, 416), (1, 1, 454)]
)
def test_rows_leave_room_for_their_results_and_come_in_whole_tiles(
    columns: int, multiple: int, rows: int
) -> None:
    problem = Problem.at(4096, "l2", columns, multiple=multiple)
    assert (problem.rows, problem.level) == (rows, "l2")
    whole = problem.footprint
    assert whole == problem.bytes + 4 * problem.units + columns * problem.y_step
    assert CACHES[1] < whole <= CACHES[2]


def test_fewer_rows_than_a_tile_are_what_there_is() -> None:
    assert Problem.at(4096, "l1", multiple=16).rows == 10


@pytest.mark.parametrize(
    ("rows", "level"), [(21, "l1"), (22, "l2"), (910, "l2"), (911, "l3"), (30_000, "memory")]
)
def test_rows_that_are_told_live_where_they_fit(rows: int, level: str) -> None:
    assert Problem.of(4096, rows) == Problem(4096, rows, level)
    assert Problem.of(4096, rows, weights="q5_0").weights == "q5_0"


def test_rows_that_fit_nowhere_are_refused() -> None:
    with pytest.raises(InputError, match="fewer rows"):
        Problem.of(1 << 20, 10_000)


def test_results_count_where_they_are_more_than_the_rows() -> None:
    with pytest.raises(InputError, match=r"^n = 32, rows = 16777216, columns = 4096: more than a memory"):
        Problem.of(32, 1 << 24, 4096)
    assert Problem(64, 10, "l1", work=Work.REPACK).footprint == 2 * Problem(64, 10, "l1").bytes


def test_each_column_has_activations_and_results_of_its_own() -> None:
    spec = KernelSpec.parse("vec_dot_q4_0_q8_0__relaxed_u4")
    problem = Problem(160, 70, "l1", columns=3)
    each = [bytes(column) for column in problem.y.reshape(3, problem.y_step)]
    assert len(set(each)) == 3
    bits = bench.bits(spec, problem)
    for column, wanted in zip(each, bits, strict=True):
        results = Kernel.load(spec).rows(problem.pattern, column, problem.distinct, 160)
        assert list(results.view(np.uint32)) == list(wanted)
    assert len(np.unique(bits)) > 180


def test_activations_are_their_values_quantised() -> None:
    problem = Problem(96, 5, "l1", columns=100)
    assert problem.values.shape == (problem.distinct_columns, 96) == (64, 96)
    assert problem.y.tobytes() == quantize_q8_0(problem.values)


def test_rows_to_quantise_are_the_values() -> None:
    problem = Problem(96, 100, "l1", work=Work.QUANTISE)
    assert problem.x_step == 4 * 96
    assert problem.x.view(np.float32).reshape(100, 96)[64:] == pytest.approx(problem.values[:36])
    assert len({row.tobytes() for row in problem.values}) == 64
    assert problem.y.tobytes() == quantize_q8_0(problem.values)
