"""`--emit asm`: counts, and machine code beside WAT; refused in one line where it cannot be had."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, render_kernel
from codegen.products.machine_code import node_code
from tests.cli.command import Call, assert_refused, contents

SPEC = KernelSpec(Isa.RELAXED, unroll=2)
CHOICE = ("--emit", "asm", "--kernel", SPEC.name)

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the instructions looked for are x86-64's"
)


def rows(text: str) -> list[tuple[str, str]]:
    """Left and right of each row."""
    return [
        (left.strip(), right)
        for left, bar, right in (line.partition("|") for line in text.splitlines())
        if bar
    ]


def counted(text: str) -> dict[str, int]:
    """The counts of a turn, by name."""
    return {name: int(n) for name, n in re.findall(r"^;; (\w+) +(\d+) +\d+\.\d\d", text, re.MULTILINE)}


def wat_loop() -> list[str]:
    """The lines of the main loop, without the spaces in front."""
    lines = [line.strip() for line in render_kernel(SPEC).splitlines()]
    start = lines.index("(loop $unrolled")
    end = next(at for at, line in enumerate(lines) if line.startswith("(br_if $unrolled"))
    return lines[start : end + 1]


def test_asm_shows_the_whole_loop_of_the_wat_and_every_machine_instruction(call: Call) -> None:
    done = call(*CHOICE, "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    shown = rows(done.stdout)
    assert [right.split(None, 1)[1] for _, right in shown if right.strip()] == wat_loop()
    numbers = sorted(int(re.match(r"\d+", left)[0]) for left, _ in shown if left)  # type: ignore[index]
    assert numbers == list(range(1, counted(done.stdout)["instructions"] + 1))


def test_asm_puts_an_instruction_beside_the_line_that_it_comes_from(call: Call) -> None:
    shown = rows(call(*CHOICE, "-o", "-").stdout)
    dots = [right for left, right in shown if "vpmaddubsw" in left]
    assert len(dots) == 4 * SPEC.unroll
    assert all("relaxed_dot_i8x16_i7x16_s" in right for right in dots)


def test_asm_counts_what_it_shows(call: Call) -> None:
    text = call(*CHOICE, "-o", "-").stdout
    found = counted(text)
    lefts = [left for left, _ in rows(text) if left]
    assert found["multiplies"] == sum("mul" in left or "madd" in left for left in lefts)
    assert found["loads"] == sum(
        "[" in left and "lea" not in left and "ptr [rsp" not in left for left in lefts
    )
    assert found["spills"] == 0
    assert f";; instructions {found['instructions']:>7} {found['instructions'] / 2:>8.2f}" in text


def test_asm_names_the_kernel_and_the_compiler(call: Call) -> None:
    head = call(*CHOICE, "-o", "-").stdout.splitlines()[:3]
    assert head[0] == f";; {SPEC.name}"
    assert "2 blocks of 32 a turn" in head[2]
    assert re.search(r"x86-64 code by wasmtime \d+\.\d+\.\d+, for this CPU", head[2])


def test_asm_is_written_into_build(call: Call, tmp_path: Path) -> None:
    done = call("--emit", "asm,wat", "--kernel", SPEC.name)
    assert done.returncode == 0
    assert set(contents(tmp_path)) == {f"build/{SPEC.name}.asm", f"generated/{SPEC.name}.wat"}
    assert (tmp_path / "build" / f"{SPEC.name}.asm").read_text() == call(*CHOICE, "-o", "-").stdout


def test_asm_of_several_kernels_goes_to_standard_output_in_order(call: Call) -> None:
    text = call("--emit", "asm", "--kernel", "vec_dot_q4_0_*relaxed_u[12]", "-o", "-").stdout
    assert re.findall(r"^;; (vec_dot\S+)$", text, re.MULTILINE) == [
        KernelSpec(Isa.RELAXED, unroll=unroll).name for unroll in (1, 2)
    ]


@pytest.mark.parametrize("package", ["capstone", "elftools"])
def test_asm_without_a_package_is_refused_and_writes_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert_refused(
        call("--emit", "wat,asm", "--kernel", SPEC.name), package, "pip install capstone pyelftools"
    )
    assert_refused(call("--emit", "wat,asm", "--kernel", SPEC.name, "-o", "-"), package)
    assert contents(tmp_path) == {}


@pytest.mark.needs("node")
def test_asm_of_node_shows_v8s_code_and_the_wat(call: Call) -> None:
    done = call(*CHOICE, "--engine", "node", "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    shown = rows(done.stdout)
    assert [right.split(None, 1)[1] for _, right in shown if right.strip()] == wat_loop()
    assert re.search(r"x86-64 code by node \d+\.\d+\.\d+, V8 \S+, for this CPU", done.stdout)
    dots = [left for left, _ in shown if re.search("vpmaddubsw|vpdpbusd", left)]
    assert len(dots) == 4 * SPEC.unroll
    lines = render_kernel(SPEC).splitlines()
    origins = [int(line) for left, _ in shown for line in re.findall(r" \[(\d+)\]$", left)]
    assert len(origins) == 10  # a block has two scales and three vectors
    assert all(".load" in lines[line - 1] for line in origins)


@pytest.mark.needs("node")
def test_asm_of_node_is_that_of_the_kernel_where_the_module_has_another_function(call: Call) -> None:
    tile = "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast"
    done = call("--emit", "asm", "--kernel", tile, "--engine", "node", "-o", "-")
    dots = [left for left, _ in rows(done.stdout) if re.search("vpmaddubsw|vpdpbusd", left)]
    assert len(dots) == 4 * 8  # groups of rows, and words of a column's block


@pytest.mark.needs("node")
def test_a_node_that_prints_no_code_is_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_code, "_FLAGS", ("--no-liftoff",))
    assert_refused(
        call(*CHOICE, "--engine", "node", "-o", "-"), "node: prints no machine code", "disassembler"
    )
