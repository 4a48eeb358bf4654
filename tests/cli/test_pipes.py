"""Standard output and error as programs meet them: piped, closed early, full, closed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import arguments, assert_one_line, codegen, environment
from tests.gguf_files import write_model

pytestmark = pytest.mark.slow

ONE = ["--kernel", "vec_dot_q4_0_q8_0__scalar_u1"]
ALL_WAT = ["--emit", "wat", "--out", "-"]

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX pipes")


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["verify", *ONE],
        ["run", "m.gguf"],
        ["--emit", "wat,wasm"],
    ],
    ids=lambda words: words[0],
)
def test_a_pipe_gets_no_progress_and_no_colour(words: list[str], tmp_path: Path) -> None:
    write_model(tmp_path / "m.gguf", {"a": (2, 32)})
    done = codegen(*words, cwd=tmp_path, TERM="xterm-256color")
    assert done.stderr == ""
    assert done.stdout.replace("\n", "").isprintable()


@posix
@pytest.mark.parametrize(
    "words", [["list"], ["list", "--json"], ["verify", *ONE], ["check", "--out", "generated"]], ids=" ".join
)
def test_a_reader_that_left_before_the_first_word_is_no_fault(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "generated").mkdir()
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            arguments(*words),
            cwd=tmp_path,
            env=environment(),
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(write)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert done.returncode == (1 if words[0] == "check" else 0)


@posix
def test_a_reader_that_leaves_after_the_first_line_is_no_fault(tmp_path: Path) -> None:
    child = subprocess.Popen(
        arguments(*ALL_WAT), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout and child.stderr
    assert child.stdout.readline().startswith(b";; vec_dot")
    child.stdout.close()
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "words", [["list"], ["list", "--json"], ALL_WAT, ["--emit", "wat", *ONE]], ids=" ".join
)
def test_a_full_disk_behind_standard_output_is_told_in_one_line(words: list[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            arguments(*words), cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert_one_line(done.stderr, "No space left on device")
    assert done.returncode == 2


@posix
@pytest.mark.parametrize("words", [["list"], ALL_WAT], ids=" ".join)
def test_a_closed_standard_output_gives_no_traceback(words: list[str], tmp_path: Path) -> None:
    closed = f"import os; os.close(1); os.execv({sys.executable!r}, {arguments(*words)!r})"
    done = subprocess.run(
        [sys.executable, "-c", closed], cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("folder", ["é", "日本"])
def test_a_terminal_that_knows_only_ascii_gets_escapes(folder: str, tmp_path: Path) -> None:
    done = codegen(
        "--emit", "wat", *ONE, "--out", folder, cwd=tmp_path, PYTHONUTF8="0", PYTHONIOENCODING="ascii"
    )
    assert ascii(folder)[1:-1] in done.stdout
