"""A platform for which wasmtime's package has no library: what runs no kernel works, the rest says one line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from codegen.kernels.registry import registered
from tests.cli.command import GENERATED, ROOT, assert_refused, codegen

ONE = "vec_dot_q4_0_q8_0__relaxed_u4"


@pytest.fixture
def absent(tmp_path: Path) -> str:
    """The PYTHONPATH of a process where `import wasmtime` fails as it does on riscv64."""
    stand_in = tmp_path / "stand-in" / "wasmtime"
    stand_in.mkdir(parents=True)
    (stand_in / "__init__.py").write_text(
        'raise RuntimeError("unsupported architecture for wasmtime: riscv64")\n'
    )
    return os.pathsep.join((str(stand_in.parent), str(ROOT)))


def run(absent: str, folder: Path, *words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    return codegen(*words, cwd=folder, status=status, PYTHONPATH=absent)


def test_kernels_are_listed(absent: str, tmp_path: Path) -> None:
    listed = run(absent, tmp_path, "list").stdout
    assert all(spec.name in listed for spec in registered())


def test_wat_is_written_as_elsewhere(absent: str, tmp_path: Path) -> None:
    done = run(absent, tmp_path, "--emit", "wat", "--kernel", ONE, "--out", "-")
    assert done.stdout == (GENERATED / f"{ONE}.wat").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [("check", "--out", GENERATED), ("--emit", "wasm", "--kernel", ONE), ("--help",), ("bench", "--help")],
    ids=lambda words: words[0],
)
def test_other_verbs_that_run_nothing_work(words: tuple[str, ...], absent: str, tmp_path: Path) -> None:
    assert run(absent, tmp_path, *words).stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "--kernel", ONE),
        ("bench", "--engine", "wasmtime", "--rounds", "1"),
        ("tune", "--op", "vec_dot"),
        ("--emit", "asm", "--kernel", ONE),
    ],
    ids=lambda words: words[0],
)
def test_verbs_that_run_kernels_say_in_a_line_why_they_cannot(
    words: tuple[str, ...], absent: str, tmp_path: Path
) -> None:
    done = run(absent, tmp_path, *words, status=2)
    assert_refused(done, "wasmtime", "unsupported architecture for wasmtime: riscv64", "platform")
