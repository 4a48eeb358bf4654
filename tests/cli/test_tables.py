"""Tables in terminals of different widths: names are shortened, columns left out, and no number is ever cut."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen.base.output import Table
from tests.cli.command import arguments, codegen, environment
from tests.gguf_files import write_model

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")

ONE, OTHER = "vec_dot_q4_0_q8_0__relaxed-dot32_u8_overflow", "vec_dot_q4_0_q8_0__simd128_u4"

CALLS: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "verify": ("verify", "--kernel", ONE, "--kernel", OTHER),
    "engines": ("verify", "--engine", "wasmtime", "--engine", "wasmtime-strict", "--kernel", ONE),
    "bench": ("bench", "--kernel", ONE, "--engine", "wasmtime,native", "--rounds", "2"),
    "run": ("run", "model.gguf", "--rounds", "2"),
}

COLUMNS = {
    "list": ["kernel", "isa", "strategy", "memory"],
    "verify": ["kernel", "blocks", "worst ulp"],
    "engines": ["engine", "kernels", "cases", "opcodes", "seconds"],
    "bench": ["kernel", "engine", "ns", "x scalar"],
    "run": ["tensor", "shape", "worst ulp", "us", "share"],
}


def in_terminal(width: int, folder: Path, *words: str) -> list[str]:
    """The lines that `codegen WORDS` prints into a terminal so wide."""
    import pty

    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        arguments(*words),
        cwd=folder,
        env=environment(TERM="xterm", COLUMNS=str(width), NO_COLOR="1"),
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    text = b"".join(_chunks(ours)).decode()
    assert child.wait() == 0, text
    return [line.rstrip() for line in text.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()]


def _chunks(terminal: int) -> Iterator[bytes]:
    try:
        while chunk := os.read(terminal, 1 << 16):
            yield chunk
    except OSError:  # the other end is closed
        os.close(terminal)


@pytest.mark.parametrize("verb", CALLS)
def test_a_table_fits_a_terminal_of_80_columns(verb: str, tmp_path: Path) -> None:
    write_model(tmp_path / "model.gguf", {"blk.0.a_rather_long_name.attn_q.weight": (64, 64)})
    lines = in_terminal(80, tmp_path, *CALLS[verb])
    (start,) = [i for i, line in enumerate(lines) if line.startswith(f"{COLUMNS[verb][0]} ")]
    assert [head for head in COLUMNS[verb] if head not in lines[start]] == []
    table = lines[start : next((i for i, line in enumerate(lines) if i > start and "  " not in line), None)]
    assert len(table) > 1
    assert max(map(len, table)) <= 80


ROWS = [
    (f"{name}_of_a_contract__{isa}_u{i}_a2_option", "engine", *("1234567.89",) * 3)
    for i, (name, isa) in enumerate((("vec_dot", "relaxed"), ("mul_mat", "simd128-strategy")))
]
TABLE = Table("title", ("kernel", "engine", "ns", "x scalar", "floor"), ROWS, text=2, extra=("floor",))


def drawn(width: int | None, *, wide: bool) -> list[str]:
    from rich.console import Console

    console = Console(width=1000)
    with console.capture() as captured:
        console.print(TABLE.drawn(width, wide))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize("width", [20, 60, 80, 100, 120])
def test_numbers_are_whole_at_any_width_and_names_are_shortened_first(width: int) -> None:
    lines = drawn(width, wide=False)[2:]
    for line, row in zip(lines, ROWS, strict=True):
        name, engine, *numbers = line.split()
        assert numbers == ["1234567.89"] * 2
        assert engine == row[1]
        start, _, end = name.partition("...")
        assert row[0].startswith(start)
        assert row[0].endswith(end)
    if width >= 60:
        assert max(map(len, lines)) <= width
    if width >= 100:
        assert [line.split()[0] for line in lines] == [row[0] for row in ROWS]


@pytest.mark.parametrize("width", [20, 80, None])
def test_wide_has_every_column_and_whole_names(width: int | None) -> None:
    _, head, *lines = drawn(width, wide=True)
    assert head.split() == ["kernel", "engine", "ns", "x", "scalar", "floor"]
    assert [tuple(line.split()) for line in lines] == ROWS


def test_a_pipe_gets_whole_names_and_wide_all_columns(tmp_path: Path) -> None:
    words = ("verify", "--kernel", ONE)
    assert codegen(*words, cwd=tmp_path).stdout.splitlines()[2].split()[:2] == [ONE, "pass"]
    head = codegen(*words, "--wide", cwd=tmp_path).stdout.splitlines()[1]
    assert all(column in head for column in ("worst ulp", "bytes", "opcodes/32"))
