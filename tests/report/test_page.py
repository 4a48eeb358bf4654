"""The page: links that lead somewhere, sentences from the data, and the committed report."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib
import pytest

from codegen.products.report import speed, variants
from codegen.products.report.data import Data
from codegen.products.report.goals import GOALS
from codegen.products.report.pictures import PICTURES
from codegen.products.report.write import PAGE, write
from tests.cli.command import ROOT, contents
from tests.report.runs import RELAXED, SCALAR, data, measurement, run

pytestmark = pytest.mark.slow

REPORT = ROOT / "docs" / "report"
FILES = {picture.file for picture in PICTURES}

PARTIAL = {
    "all": data(),
    "one engine": data(engines=("wasmtime",)),
    "no wasmtime": data(engines=("node", "native")),
    "native only": data(engines=("native",)),
    "one length": data(lengths=(4096,)),
    "one level": data(levels=("l2",)),
    "no scalar": data(wrong={(SCALAR, "wasmtime"): "wrong", (SCALAR, "node"): "wrong"}),
    "nothing": data(engines=()),
    "no products of matrices": replace(data(), matrix=run([]), operands=run([])),
    "no scalar beside matrices": replace(
        data(), matrix=run([one for one in data().matrix.measurements if one.kernel != SCALAR])
    ),
    "no growth": replace(data(), elements=run([]), rows=run([]), columns=run([])),
    "one kernel": replace(data(), kernels=run([measurement(SCALAR, "wasmtime", 2000)])),
}


def links(page: str) -> list[str]:
    return [link for link in re.findall(r"\]\(([^)]+)\)", page) if "//" not in link]


@pytest.mark.parametrize("name", PARTIAL)
def test_whatever_was_measured_makes_a_page_whose_links_lead_somewhere(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "report"
    PARTIAL[name].save(folder / "data")
    write(PARTIAL[name], folder)
    for name_of_page in ("performance.md", "tuning.md"):
        (tmp_path / "docs" / name_of_page).touch()
    page = (folder / PAGE).read_text()
    assert links(page)
    for link in links(page):
        assert (folder / link).is_file(), link
    shown = {link for link in links(page) if link.endswith(".svg")}
    assert shown == {path.name for path in folder.glob("*.svg")}
    assert not re.search(r"\bnan\b|\binf\b|None", page)
    if name == "all":
        assert shown == FILES


def test_a_picture_with_nothing_to_show_is_removed_with_its_section(tmp_path: Path) -> None:
    write(data(), tmp_path)
    write(data(levels=()), tmp_path)
    assert {path.name for path in tmp_path.glob("*.svg")} == FILES - {"workingset.svg"}
    assert "workingset.svg" not in (tmp_path / PAGE).read_text()


def test_sentences_have_the_numbers_of_the_data(tmp_path: Path) -> None:
    write(data(), tmp_path)
    page = (tmp_path / PAGE).read_text()
    for said in (
        "In wasmtime, `relaxed_u4` is 8.0 (",
        " and 4.0 (",
        "native GGML is 10.0 (",
        "`relaxed_u4` reaches 80% of the speed that its vector operations allow (200 of 250 ns)",
        "`relaxed_u4` in wasmtime takes 2.0 ns in rows of 256 and 2.0 ns in rows of 4,096",
        "9.2 GB of weights a second from L1 and 4.6 GB of weights a second from memory, 23% of what",
        "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz, x86_64",
        "2026-01-02T03:04:05+00:00",
        "node 24.19.0 (V8 13.6, x64)",
    ):
        assert said in page, said


def test_a_wrong_kernel_is_told_by_name(tmp_path: Path) -> None:
    write(data(wrong={(RELAXED, "node"): "computes something else"}), tmp_path)
    page = (tmp_path / PAGE).read_text()
    assert f"* Left out: `{RELAXED}` in node, rows of 4,096 in L1: computes something else" in page
    assert "Left out: `" + RELAXED + "` in wasmtime" not in page


def test_a_second_writing_changes_nothing(tmp_path: Path) -> None:
    assert {path.name for path in write(data(), tmp_path)} == {*FILES, PAGE}
    assert write(data(), tmp_path) == []


def claimed_ranges(bullet: str) -> list[tuple[float, float]]:
    """The ranges that a point of the README's first list gives, in its order."""
    found = re.search(rf"\* \*\*{bullet}\*\*:(.+?)\n\* ", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found
    return [(float(low), float(high)) for low, high in re.findall(r"([\d.]+)\s+to\s+([\d.]+)", found[1])]


def assert_within(asked: Sequence[tuple[str, str]], bullet: str) -> None:
    """What the data says of each goal in an engine lies in the range that the README gives for it."""
    goals, measured = {goal.what: goal for goal in GOALS}, Data.load(REPORT / "data")
    for (what, engine), (low, high) in zip(asked, claimed_ranges(bullet), strict=True):
        ratio = goals[what].ask(measured, engine)
        assert ratio
        assert low <= round(ratio.value, 1) <= high, what


def test_the_readmes_ranges_of_matrices_have_what_the_data_says() -> None:
    gemv, gemm = "gemv relaxed over native gemv", "gemm relaxed over native gemm, 32 columns"
    asked = [(what, engine) for engine in ("wasmtime", "node") for what in (gemv, gemm)]
    assert_within(asked, "Matrices about as fast as native code")


def test_runs_come_back_from_files_as_they_were(tmp_path: Path) -> None:
    data().save(tmp_path)
    assert Data.load(tmp_path) == data()


def test_the_committed_report_is_what_the_committed_data_draws(tmp_path: Path) -> None:
    committed = contents(REPORT)
    write(Data.load(REPORT / "data"), tmp_path)
    drawn = contents(tmp_path)
    assert {name for name in committed if not name.startswith("data/")} == set(drawn)
    assert drawn[PAGE] == committed[PAGE], "make report, or codegen report --from docs/report/data"
    # As pyproject.toml pins it, where it was drawn: others may round a coordinate otherwise.
    if matplotlib.__version__.startswith("3.11.") and sys.platform == "linux":
        assert drawn == {name: committed[name] for name in drawn}


def test_the_readme_shows_the_main_picture_and_its_ranges_have_what_the_data_says() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "](docs/report/main.svg)" in readme
    assert "](docs/report/README.md)" in readme
    shown = speed.bars(Data.load(REPORT / "data").kernels)["wasmtime"]
    bars = {bar.variant: bar for bar in shown}
    relaxed = bars[variants.RELAXED]
    said = (
        bars[variants.SIMD].ratio.value,
        relaxed.ratio.value,
        relaxed.ratio.value / bars[variants.PUBLISHED].ratio.value,
        bars[variants.NATIVE].one.summary.median / relaxed.one.summary.median,
    )
    for ratio, (low, high) in zip(said, claimed_ranges("Fast"), strict=True):
        assert low <= round(ratio, 1) <= high
