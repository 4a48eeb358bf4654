"""The last column of costs.md is for information: check never compares its numbers, bless keeps them where it must."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from codegen.kernels.registry import registered
from tests.cli.command import GENERATED, Call

pytestmark = pytest.mark.slow

ONE, TWO = (spec.name for spec in registered()[-2:])

x86_64 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="wasmtime compiles x86-64 on x86-64 machines only"
)


@pytest.fixture
def goldens(tmp_path: Path) -> Path:
    """The committed goldens, to spoil, in the folder `goldens` of the folder that `call` runs in."""
    return shutil.copytree(GENERATED, tmp_path / "goldens")


@pytest.fixture
def no_capstone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "capstone", None)


def cells(folder: Path, name: str) -> list[str]:
    """The cells of a kernel's row."""
    [row] = [
        line for line in (folder / "costs.md").read_text().splitlines() if line.startswith(f"| {name} |")
    ]
    return row.strip("| ").split(" | ")


def rewrite(folder: Path, change: Callable[[str], str]) -> None:
    """Changes costs.md; a change that changes nothing would test nothing."""
    text = (folder / "costs.md").read_text()
    assert change(text) != text
    (folder / "costs.md").write_text(change(text))


def with_cells(name: str, change: Callable[[list[str]], list[str]]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        [row] = re.findall(rf"^\| {name} \|.*$", text, re.MULTILINE)
        return text.replace(row, f"| {' | '.join(change(row.strip('| ').split(' | ')))} |")

    return changed


def check(call: Call) -> int:
    return call("check", "-o", "goldens").returncode


@pytest.mark.parametrize(
    "change",
    [
        with_cells(ONE, lambda row: [*row[:-1], "123456.75"]),
        with_cells(ONE, lambda row: [*row[:-1], "-"]),
        lambda text: re.sub(r"wasmtime \d+\.\d+\.\d+", "wasmtime 99.0.1", text),
    ],
    ids=["another number", "no number", "another wasmtime"],
)
def test_check_passes_where_only_the_machine_column_differs(
    goldens: Path, call: Call, change: Callable[[str], str]
) -> None:
    rewrite(goldens, change)
    assert check(call) == 0


@pytest.mark.parametrize("column", range(6))
def test_check_fails_where_any_other_column_differs(goldens: Path, call: Call, column: int) -> None:
    rewrite(goldens, with_cells(ONE, lambda row: [*row[:column], f"{row[column]}1", *row[column + 1 :]]))
    assert check(call) == 1


@pytest.mark.parametrize(
    "change",
    [
        with_cells(ONE, lambda row: row[:-1]),
        with_cells(ONE, lambda row: [*row, "1.00"]),
        with_cells(ONE, lambda row: [*row[:-1], "many"]),
        with_cells(ONE, lambda row: [*row[:-1], "12.5"]),
        with_cells(ONE, lambda row: [*row[:-1], "12.500 "]),
        with_cells(ONE, lambda row: [*row[:-1], ""]),
        lambda text: text.replace(f"| {ONE} |", f"| {ONE} "),
        lambda text: text.replace(" x86-64 instructions |", ""),
        lambda text: re.sub(r"wasmtime \d+\.\d+\.\d+", "wasmtime", text),
        lambda text: re.sub(rf"^\| {ONE} \|.*\n", "", text, flags=re.MULTILINE),
        lambda text: re.sub(rf"^(\| {ONE} \|.*\n)", r"\1\1", text, flags=re.MULTILINE),
        lambda text: text + "\n",
    ],
    ids=[
        "no cell",
        "a cell more",
        "no number",
        "one decimal",
        "three decimals",
        "empty",
        "a bar less",
        "no column",
        "no version",
        "no row",
        "a row twice",
        "a line more",
    ],
)
def test_check_fails_where_the_table_is_malformed(
    goldens: Path, call: Call, change: Callable[[str], str]
) -> None:
    rewrite(goldens, change)
    assert check(call) == 1


@pytest.mark.usefixtures("no_capstone")
def test_check_needs_no_capstone(goldens: Path, call: Call) -> None:
    assert check(call) == 0
    rewrite(goldens, with_cells(ONE, lambda row: [row[0], "1.00", *row[2:]]))
    assert check(call) == 1


@x86_64
def test_bless_writes_the_number_and_the_version(goldens: Path, call: Call) -> None:
    (goldens / "costs.md").unlink()
    call("bless", "-o", "goldens")
    numbers = {spec: float(cells(goldens, spec.name)[-1]) for spec in registered()}
    assert min(numbers.values()) > 5
    assert min(number for spec, number in numbers.items() if spec.op == "vec_dot") > 20
    assert f"wasmtime {version('wasmtime')} compiles" in (goldens / "costs.md").read_text()
    assert check(call) == 0


@pytest.mark.usefixtures("no_capstone")
def test_bless_without_capstone_keeps_the_numbers_of_kernels_that_are_the_same(
    goldens: Path, call: Call
) -> None:
    rewrite(goldens, lambda text: re.sub(r"wasmtime \d+\.\d+\.\d+", "wasmtime 99.0.1", text))
    rewrite(goldens, with_cells(ONE, lambda row: [row[0], "1.00", *row[2:-1], "77.25"]))
    manifest = (goldens / "manifest.json").read_text()
    start = manifest.index("sha256", manifest.index(f'"{TWO}"'))
    (goldens / "manifest.json").write_text(manifest[:start] + manifest[start:].replace('": "', '": "0', 1))
    opcodes = cells(GENERATED, ONE)[1]
    done = call("bless", "-o", "goldens")
    assert done.returncode == 0
    assert "costs.md keeps" in done.stdout
    assert "capstone: not installed" in done.stdout
    assert "wasmtime 99.0.1 compiles" in (goldens / "costs.md").read_text()
    assert cells(goldens, ONE)[1] == opcodes
    assert cells(goldens, ONE)[-1] == "77.25"
    assert cells(goldens, TWO)[-1] == "-"  # of another kernel than the one that is there now
    assert check(call) == 0


@pytest.mark.usefixtures("no_capstone")
def test_bless_without_capstone_or_numbers_writes_dashes(goldens: Path, call: Call) -> None:
    (goldens / "costs.md").unlink()
    call("bless", "-o", "goldens")
    assert {cells(goldens, spec.name)[-1] for spec in registered()} == {"-"}
    assert check(call) == 0
