"""Products of matrices in the report: goals, tables, and pictures of what they gain and how they grow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from codegen.products.report import goals, growth, matrix, operands, products, speed, variants
from codegen.products.report.data import Data
from codegen.products.report.pictures import PICTURES
from codegen.spec.strategies import Isa
from codegen.speed import charts
from codegen.speed.bench.limits import Unit
from codegen.speed.bench.native_functions import GEMM, GEMV
from codegen.speed.bench.result import Measurement
from tests.report.runs import SCALAR, data, growing, measurement, run, texts
from tests.report.runs import products as measured

MATRIX = next(picture for picture in PICTURES if picture.file == "matrix.svg")
MAIN = PICTURES[0]
TIMES = "\N{MULTIPLICATION SIGN}"

GEMV_RELAXED = "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast_rolled"


def cells(table: str) -> list[list[str]]:
    """A Markdown table's lines, without its head."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def goal(shown: Data, what: str, engine: str) -> list[str]:
    _, table = goals.parts(shown)
    (found,) = [row[2:] for row in cells(table) if row[:2] == [what, engine]]
    return found


def test_goals_have_the_ratios_of_the_data() -> None:
    for what, goal_of_node, value, reached in (
        ("gemv relaxed over vec_dot relaxed", "2", "2.00", "yes"),  # 250 over 125
        ("gemv relaxed over scalar", "", "16.00", ""),
        ("gemv SIMD over scalar", "", "7.14", ""),
        ("gemv relaxed, of its limit", "0.9", "0.64", "no"),  # 80 of 125
        ("gemm relaxed, 32 columns, of its limit", "", "1.00", ""),  # 80 of 80
        ("gemm relaxed over gemv relaxed, 32 columns", "1.5", "1.56", "yes"),  # 125 over 0.8 * 100
        ("gemv relaxed over native gemv", "1.1", "1.20", "yes"),  # 150 over 125
        ("gemm relaxed over native gemm, 32 columns", "0.8", "1.62", "yes"),  # 130 over 80
        ("quantize_row SIMD over scalar", "4", "5.00", "yes"),
    ):
        found = goal(data(), what, "node")
        assert (found[0], found[1], found[3]) == (goal_of_node, value, reached), what


def test_a_goal_that_lies_within_the_interval_is_not_sure() -> None:
    noisy = tuple(
        replace(one, samples=(80.0, 130.0, 120.0, 180.0, 125.0, 125.0)) if one.kernel == GEMV_RELAXED else one
        for one in measured(("node",))
    )
    *_, said = goal(replace(data(), matrix=run(noisy)), "gemv relaxed over vec_dot relaxed", "node")
    assert said.endswith("not sure")


def test_goals_that_were_not_measured_are_left_out() -> None:
    alone = replace(data(engines=("node",)), operands=run([]))
    _, table = goals.parts(alone)
    told = {row[0] for row in cells(table)}
    assert "gemv relaxed over scalar" in told
    assert not any("native" in what or "quantize" in what for what in told)
    assert goals.parts(replace(alone, matrix=run([]))) == []


@pytest.mark.parametrize("columns", [1, 32])
def test_what_is_compared_was_timed_with_as_many_columns(columns: int) -> None:
    result = run([one for count in (1, 32) for one in measured(("node", "native"), columns=count)])
    for kind, one in products.found(result, "node").items():
        if kind.columns == columns:
            base = products.baseline(result, one, "node")
            assert base
            assert (one.columns, base.columns) == (columns, columns)


def test_the_fastest_of_a_kind_is_neither_the_published_nor_another_scalar_kernel() -> None:
    more = {
        "vec_dot_q4_0_q8_0__scalar-swar_u1": 10.0,
        "vec_dot_q4_0_q8_0__article": 10.0,
        "vec_dot_q4_0_q8_0__relaxed-dot32_u8": 100.0,
    }
    result = run([*measured(("node",)), *(measurement(k, "node", ns, level="l2") for k, ns in more.items())])
    found = {isa: products.fastest(result, "node", "vec_dot", isa, 1) for isa in Isa}
    names = {isa: one.kernel for isa, one in found.items() if one}
    assert names[Isa.SCALAR] == SCALAR
    assert names[Isa.SIMD128] == "vec_dot_q4_0_q8_0__simd128_u4"
    assert names[Isa.RELAXED] == "vec_dot_q4_0_q8_0__relaxed-dot32_u8"


def test_a_table_an_engine_has_a_row_a_kind() -> None:
    parts = matrix.tables(data())
    wasmtime = parts[parts.index("**wasmtime 50.0.1** (Cranelift)") + 1]
    rows = {row[0]: row[1:] for row in cells(wasmtime)}
    assert set(rows) == {kind.label for kind in products.KINDS}
    assert rows["gemv, relaxed"] == [
        "`16x1 relaxed_u1_broadcast_rolled`", "125.0", "16.00", "16.00 to 16.00", "2.00", "64%", "1.20",
    ]  # fmt: skip
    assert rows["mul_mat, relaxed"][5] == "73%"
    assert rows["mul_mat x 32, relaxed"][5] == "91%"
    assert rows["native gemv"][2] == "13.33"


def test_the_picture_has_a_bar_a_kind_and_engine() -> None:
    drawn = MATRIX.svg(data())
    assert drawn
    found = texts(drawn)
    assert {kind.label for kind in products.KINDS} <= set(found)
    assert found.count("16.0") == found.count("25.0") == 2


def test_the_main_picture_has_matrices_beside_dot_products() -> None:
    drawn = MAIN.svg(data())
    assert drawn
    found = texts(drawn)
    for label in ("gemv, SIMD", "gemv, relaxed", "gemm x 32, relaxed"):
        assert found.count(label) == 2
    assert found.count("native gemv") == found.count("native gemm x 32") == 1
    assert found.count(f"25.0{TIMES}") == 2
    only_dots = texts(MAIN.svg(replace(data(), matrix=run([]))) or b"")
    assert "gemv, relaxed" not in only_dots
    assert "ours, relaxed SIMD" in only_dots


def test_bars_of_matrices_are_against_scalar_code_of_their_own_run() -> None:
    slow = [replace(one, samples=(8000.0,) * 6) for one in measured(("node",)) if one.kernel == SCALAR]
    others = [one for one in measured(("node",)) if one.kernel != SCALAR]
    found = speed.matrix_bars(run([*slow, *others]), "node", native=False)
    assert {bar.label: round(bar.ratio.value) for bar in found} == {"gemv, SIMD": 29, "gemv, relaxed": 64}


def lines(figure: Figure | None, panel: int = 0) -> dict[str, tuple[list[float], list[float]]]:
    """By colour and marker of a panel's lines, where their points are."""
    assert figure
    return {
        f"{line.get_color()} {line.get_marker()}": (list(line.get_xdata()), list(line.get_ydata()))  # type: ignore[arg-type]
        for line in figure.axes[panel].lines
    }


def test_growth_is_drawn_where_the_numbers_are() -> None:
    with charts.style():
        rows, columns, elements = (
            lines(draw(data())) for draw in (growth.draw_rows, growth.draw_columns, growth.draw_elements)
        )
    assert rows["#0072b2 o"] == ([4, 4096], pytest.approx([125, 125]))
    assert rows["#d55e00 s"] == ([4, 4096], pytest.approx([80, 80]))
    assert columns["#009e73 D"] == ([1, 15, 512], pytest.approx([110, 88, 88]))
    assert columns[f"{variants.NATIVE.colour} v"][0] == [1, 15]  # native gemv; of 512, gemm
    assert columns["#7f7f7f ^"][0] == [512]
    assert elements["#0072b2 o"] == ([256, 1024, 4096], pytest.approx([125 / 128] * 3))


def test_growth_shows_each_engines_own_best_kernel() -> None:
    def faster_in_node(one: Measurement) -> Measurement:
        dot32 = "relaxed-dot32" in one.kernel and one.engine == "node"
        return replace(one, samples=(50.0,) * 6) if dot32 else one

    both = [faster_in_node(one) for rows in (4, 4096) for one in growing(("wasmtime", "node"), rows=rows)]
    (table,) = growth.table_rows(replace(data(), rows=run(both)))
    found = {row[1]: row[2] for row in cells(table) if row[0] == "gemv x 1"}
    assert found == {
        "wasmtime": "`16x1 relaxed_u1_broadcast_rolled`",
        "node": "`16x1 relaxed-dot32_u1`",
    }


def test_a_kernel_that_was_wrong_on_a_problem_is_no_line_of_those_left() -> None:
    wrong = [
        replace(one, samples=()) if (one.rows, one.kernel) == (4, GEMV_RELAXED) else one
        for rows in (4, 4096)
        for one in growing(("node",), rows=rows)
    ]
    (table,) = growth.table_rows(replace(data(), rows=run(wrong)))
    assert [row[2] for row in cells(table) if row[0] == "gemv x 1"] == ["`16x1 relaxed-dot32_u1`"]


def test_tables_of_growth_tell_how_much_a_line_rises() -> None:
    slower = [
        replace(one, samples=tuple(2 * ns for ns in one.samples)) if one.rows == 4096 else one
        for rows in (4, 64, 4096)
        for one in growing(("node", "native"), rows=rows)
        if not (one.engine == "native" and rows == 4)
    ]
    (table,) = growth.table_rows(replace(data(), rows=run(slower)))
    rows = {row[0]: row[3:] for row in cells(table)}
    assert rows["gemv x 1"] == ["125.00", "250.00", "2.00"]
    assert rows["native gemv"] == ["", "300.00", "2.00"]


def test_the_text_tells_how_long_the_most_weights_take_to_arrive() -> None:
    most = [
        replace(one, floors={Unit.MEMORY: 99.0 if one.rows == 32000 else 1.0})
        for rows in (4, 32000)
        for one in growing(("node",), rows=rows)
    ]
    said = growth.says_rows(replace(data(), rows=run(most)))
    assert "32,000 rows are 74 MB of weights, which take node 99 ns a row only to read" in said


def test_operands_are_told_by_block_and_against_scalar_code_of_the_same_work() -> None:
    rows = {row[0]: row[1:] for row in cells(operands.table(data()))}
    assert rows["`quantize_row_q8_0__simd128_u4`"] == ["9.4 (5.0)"] * 2
    assert rows["`repack_q4_0__simd128_u1`"] == ["2.3 (3.0)"] * 2
    assert operands.table(replace(data(), operands=run([]))) == ""


def test_native_kinds_are_what_native_ggml_calls_them() -> None:
    result = run(measured(("native",), columns=32))
    kinds = {kind.op: kind for kind in products.KINDS}
    one = kinds[GEMM].find(result, "node")
    assert one
    assert one.kernel == GEMM
    assert kinds[GEMV].find(result, "node") is None
