"""What people read: cells, documents, spreadsheets and warnings."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from codegen.base.output import print_tables
from codegen.speed.bench import article, table
from codegen.speed.bench.problem import Work
from codegen.speed.bench.table import BASELINE, COLUMNS
from tests.bench.results import FAST, NATIVE, WHOLE, made, measured


def cells(row: int) -> dict[str, str]:
    return dict(zip(COLUMNS, table.rows(WHOLE, WHOLE.measurements)[row], strict=True))


def test_cells_of_a_kernel() -> None:
    assert cells(1) == {
        "kernel": FAST,
        "engine": "wasmtime",
        "sha256": "abababababab",
        "ns": "250.0",
        "quartiles": "248.7 to 251.3",
        "outliers": "0",
        "ns/block": "1.95",
        "x scalar": "8.00",
        "95%": "8.00 to 8.00",
        "floor": "200.0",
        "of limit": "80%",
        "limited by": "vector operations",
    }


def test_native_code_that_does_the_same_is_a_column_of_its_problem() -> None:
    fast, other = (
        measured(FAST, ns, peer=NATIVE, columns=columns) for ns, columns in ((100.0, 4), (50.0, 8))
    )
    plain = measured(BASELINE, 800.0, peer="absent", columns=4)
    native = [
        measured(NATIVE, 150.0, "native", sha256=None, columns=4),
        measured("absent", 1.0, "native", columns=2),
    ]
    result = made(plain, fast, other, *native)
    names = table.columns(result, result.measurements)
    assert names == (*COLUMNS[:9], "x native", *COLUMNS[9:])
    rows = [dict(zip(names, row, strict=True)) for row in table.rows(result, result.measurements)]
    assert [row["x native"] for row in rows] == ["", "1.50", "", "", ""]
    assert [row["x scalar"] for row in rows] == ["1.00", "8.00", "", "", ""]
    assert table.columns(result, [plain]) == COLUMNS


def test_each_format_of_weights_has_a_table_a_baseline_and_native_code_of_its_own() -> None:
    names = [name.replace("q4_0", "q8_0", 1) for name in (BASELINE, FAST, NATIVE)]
    plain, fast = (
        measured(name, ns, weights="q8_0", peer=names[2])
        for name, ns in zip(names[:2], (900.0, 300.0), strict=True)
    )
    native = measured(names[2], 150.0, "native", sha256=None, weights="q8_0")
    result = made(measured(BASELINE, 2000.0), plain, fast, native)
    of_q4_0, of_q8_0 = table.tables(result)
    assert of_q4_0.title == "dot products of 4,096, 10 rows in L1, median of 10 rounds"
    assert of_q8_0.title == "dot products of 4,096, 10 rows of q8_0 in L1, median of 10 rounds"
    cells = dict(zip(of_q8_0.columns, of_q8_0.rows[1], strict=True))
    assert (cells["x scalar"], cells["x native"]) == ("3.00", "0.50")
    lines = csv.DictReader(io.StringIO(table.comma_separated(result)))
    assert [line["weights"] for line in lines] == ["q4_0", "q8_0", "q8_0", "q8_0"]


def test_rows_that_are_quantised_have_a_baseline_of_their_own() -> None:
    plain, fast = (
        measured(f"quantize_row_q8_0__{name}", ns, work=Work.QUANTISE)
        for name, ns in (("scalar_u1", 90.0), ("relaxed_u4", 30.0))
    )
    result = made(measured(BASELINE, 1.0), plain, fast)
    assert [row[COLUMNS.index("x scalar")] for row in table.rows(result, [plain, fast])] == ["1.00", "3.00"]


def test_what_is_wrong_has_no_figures() -> None:
    wrong = cells(3)
    assert wrong.pop("ns") == "WRONG"
    assert [wrong.pop(name) for name in ("kernel", "engine")] == [FAST, "node"]
    wrong.pop("sha256")
    assert set(wrong.values()) == {""}


def test_ratios_are_against_scalar_in_the_same_engine() -> None:
    assert cells(2)["x scalar"] == "1.00"
    assert cells(4)["x scalar"] == ""  # there is no scalar one in native
    other = made(measured(BASELINE, 1500.0, "node"), measured(FAST, 500.0, "node"), measured(BASELINE, 1.0))
    assert [row[COLUMNS.index("x scalar")] for row in table.rows(other, other.measurements)] == [
        "1.00",
        "3.00",
        "1.00",
    ]


def test_a_wrong_baseline_is_none() -> None:
    result = made(measured(BASELINE, 0, samples=(), wrong="it is"), measured(FAST, 250.0))
    assert table.rows(result, result.measurements)[1][COLUMNS.index("x scalar")] == ""


def test_markdown_has_as_many_cells_in_every_row() -> None:
    text = table.markdown(WHOLE)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == len(WHOLE.measurements) + 2
    assert {line.count(" | ") for line in rows} == {len(COLUMNS) - 1}
    assert all(set(cell) <= set("-:") for cell in rows[1].strip("| ").split(" | "))
    assert text.isascii()
    assert text.endswith("\n")


def test_csv_has_a_line_a_measurement_and_reads_back() -> None:
    lines = list(csv.DictReader(io.StringIO(table.comma_separated(WHOLE))))
    assert len(lines) == len(WHOLE.measurements)
    for line, one in zip(lines, WHOLE.measurements, strict=True):
        assert None not in line
        assert None not in line.values()
        assert (line["kernel"], line["engine"], line["level"]) == (one.kernel, one.engine, one.level)
        assert (int(line["n"]), int(line["rows"])) == (one.n, one.rows)
        assert (line["wrong"] or None) == one.wrong
        if one.samples:
            assert float(line["median_ns"]) == one.summary.median
            assert float(line["high_ns"]) == one.summary.high
        else:
            assert line["median_ns"] == line["outliers"] == ""
    assert lines[2]["version"] == "node 24, V8"  # a comma inside
    assert float(lines[1]["floor_ns"]) == 200


def test_each_problem_has_a_table_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    long = [replace(one, n=8192, rows=1, level="memory") for one in WHOLE.measurements]
    result = made(*WHOLE.measurements, *long)
    print_tables(*table.tables(result))
    out = capsys.readouterr().out
    assert "dot products of 4,096, 10 rows in L1, median of 10 rounds\n" in out
    assert "dot products of 8,192, 1 row in memory, median of 10 rounds\n" in out
    assert out.count(NATIVE) == 2


def test_facts_name_every_engine_once_and_the_limits_of_those_that_have_them() -> None:
    facts = table.facts(WHOLE)
    assert facts == [
        "wasmtime: wasmtime 50",
        "node: node 24, V8",
        "native: libggml-python 0.2",
        "wasmtime did at most, per ns, weights in L1: 9.5 vector operations, 110.0 bytes read",
    ]


# --- warnings


def test_a_wrong_value_is_told() -> None:
    assert table.warnings(WHOLE) == ["node: relaxed_u4: row 3 is 0x0, not 0x1"]


def test_noise_is_told_once_with_its_worst() -> None:
    result = made(measured(BASELINE, 2000.0, spread=0.2), measured(FAST, 250.0, spread=0.3))
    (told,) = table.warnings(result)
    assert told.startswith("noisy machine: the quartiles of 2 of 2 lie more than 10% apart")
    assert f"worst: {FAST} in wasmtime" in told


def test_a_quiet_machine_is_not_called_noisy() -> None:
    assert table.warnings(made(measured(BASELINE, 2000.0, spread=0.05), measured(FAST, 250.0))) == []


def test_two_that_cannot_be_told_apart_are_named_fastest_first() -> None:
    near, far = measured("near", 251.0, spread=0.05), measured("far", 400.0)
    backwards = measured(FAST, 250.0, spread=0.05)
    backwards = replace(backwards, samples=backwards.samples[::-1])
    (told,) = table.warnings(made(far, near, backwards))
    assert told.startswith(f"cannot tell apart in wasmtime, n = 4096, L1: {FAST} and near (ratio 0.9")


def test_those_of_different_engines_are_not_compared() -> None:
    assert table.warnings(made(measured(FAST, 250.0), measured(FAST, 250.0, "node"))) == []


def test_few_rounds_are_told_instead() -> None:
    one = measured(FAST, 250.0)
    few = [replace(one, kernel=name, samples=one.samples[:5]) for name in ("a", "b")]
    result = made(*few, rounds=5)
    assert table.warnings(result) == ["no ratio is sure after 5 rounds: ask for --rounds 6 or more"]


# --- the published table


def test_the_published_table_has_both_ratios() -> None:
    result = made(
        measured(BASELINE, 2000.0),
        measured("vec_dot_q4_0_q8_0__article", 1000.0),
        measured(FAST, 250.0),
        measured(NATIVE, 200.0, "native", sha256=None),
    )
    rows = {row[0]: row[1:] for row in article.rows(result)}
    assert rows["scalar"] == ("3820", "1.00", "2000", "1.00", "1.00 to 1.00")
    assert rows["hand-written SIMD (the article's)"][:4] == ("890", "4.29", "1000", "2.00")
    assert rows["ours, SIMD"] == ("", "", "not here", "", "")
    assert rows["ours, relaxed SIMD"][:4] == ("", "", "250", "8.00")
    assert rows["native AVX2 (GGML)"][:4] == ("420", "9.10", "200", "10.00")
    assert {len(row) for row in article.rows(result)} == {len(article.COLUMNS)}
