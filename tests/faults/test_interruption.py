"""Signals in the middle of the work, and two runs at once: no file is ever half there, and the next run mends."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codegen import assemble, render_kernel
from codegen.kernels.registry import registered
from tests.cli.command import assert_one_line, codegen, contents, environment

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")

EMIT = ["--emit", "wat,wasm", "--isa", "relaxed", "--out", "out"]
KERNELS = [spec for spec in registered() if spec.isa == "relaxed"]
POLITE = [signal.SIGINT, signal.SIGTERM]

# Runs codegen, and stops for good in the middle of its third write, when the bytes are in the temporary file.
STOPS_WHILE_WRITING = """
import os, sys, time
from codegen.__main__ import main
writes = 0
def fsync(file):
    global writes
    writes += 1
    if writes == 3:
        print("writing", flush=True)
        time.sleep(60)
os.fsync = fsync
sys.exit(main(sys.argv[1:]))
"""

# Gets a signal where Python drops whatever is raised: in a destructor, as engines' objects have them.
IN_A_DESTRUCTOR = """
import os, signal, sys, time
from codegen.__main__ import main
class Closes:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)
def fsync(file, left=[Closes()]):
    left.clear()
    time.sleep(0.2)
os.fsync = fsync
sys.exit(main(sys.argv[1:]))
"""

# Says when it starts to work, since whoever interrupts an import gets Python's own words.
SAYS_WHEN_IT_STARTS = """
import sys
from codegen.kernels import registry
from codegen.__main__ import main
select = registry.select
def started(*choice):
    print("started", flush=True)
    return select(*choice)
registry.select = started
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def whole() -> dict[str, bytes]:
    """What a whole run writes."""
    texts = {spec.name: render_kernel(spec) for spec in KERNELS}
    wats = {f"{name}.wat": text.encode() for name, text in texts.items()}
    return wats | {f"{name}.wasm": assemble(text) for name, text in texts.items()}


def start(code: str, *words: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(child: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit status and standard error."""
    _, err = child.communicate(timeout=60)
    return child.returncode, err


def await_word(child: subprocess.Popen[str], word: str) -> None:
    assert child.stdout
    assert child.stdout.readline() == f"{word}\n"


def assert_mended_by_the_next_run(tmp_path: Path, whole: dict[str, bytes]) -> None:
    codegen(*EMIT, cwd=tmp_path)
    assert contents(tmp_path / "out") == whole


@pytest.mark.parametrize("number", [*POLITE, signal.SIGKILL], ids=lambda number: number.name)
def test_a_signal_in_the_middle_of_a_write(
    number: signal.Signals, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    child = start(STOPS_WHILE_WRITING, *EMIT, cwd=tmp_path)
    await_word(child, "writing")
    time.sleep(0.05)
    child.send_signal(number)
    status, err = finish(child)
    left = contents(tmp_path / "out")
    first = KERNELS[0].name
    if number is signal.SIGKILL:
        assert status == -signal.SIGKILL
        temporary = f".{KERNELS[1].name}.wat.{child.pid}.tmp"
        assert sorted(left) == sorted([temporary, f"{first}.wat", f"{first}.wasm"])
    else:
        assert status == 130
        assert_one_line(err, "interrupted")
        assert left == {name: whole[name] for name in (f"{first}.wat", f"{first}.wasm")}
    assert_mended_by_the_next_run(tmp_path, whole)


@pytest.mark.slow
@pytest.mark.parametrize("number", [*POLITE, signal.SIGKILL], ids=lambda number: number.name)
def test_signals_at_any_moment(number: signal.Signals, tmp_path: Path, whole: dict[str, bytes]) -> None:
    moments, out = random.Random(number), tmp_path / "out"
    for files in sorted(moments.sample(range(1, len(whole) - 4), 3)):
        child = start(SAYS_WHEN_IT_STARTS, *EMIT, cwd=tmp_path)
        await_word(child, "started")
        while child.poll() is None and (not out.is_dir() or len(list(out.iterdir())) < files):
            time.sleep(0.0005)
        child.send_signal(number)
        status, err = finish(child)
        assert status in (0, 130, -signal.SIGKILL)
        assert "Traceback" not in err
        for name, data in contents(out).items():
            assert name.endswith(".tmp") or data == whole[name]
    assert_mended_by_the_next_run(tmp_path, whole)


def test_interrupted_while_files_are_replaced_leaves_each_old_or_new(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in whole:
        (out / name).write_bytes(b"old")
    child = start(STOPS_WHILE_WRITING, *EMIT, cwd=tmp_path)
    await_word(child, "writing")
    child.kill()
    finish(child)
    for name, data in contents(out).items():
        assert name.endswith(".tmp") or data in (b"old", whole[name])
    assert_mended_by_the_next_run(tmp_path, whole)


def test_two_runs_at_once_into_one_folder(tmp_path: Path, whole: dict[str, bytes]) -> None:
    children = [start(SAYS_WHEN_IT_STARTS, *EMIT, cwd=tmp_path) for _ in range(2)]
    assert [finish(child) for child in children] == [(0, "")] * len(children)
    assert contents(tmp_path / "out") == whole


def test_a_signal_during_a_destructor_is_not_lost(tmp_path: Path, whole: dict[str, bytes]) -> None:
    status, err = finish(start(IN_A_DESTRUCTOR, *EMIT, cwd=tmp_path))
    assert status == 130
    assert_one_line(err, "interrupted")
    assert_mended_by_the_next_run(tmp_path, whole)


@pytest.mark.parametrize("number", POLITE, ids=lambda number: number.name)
@pytest.mark.parametrize(
    "words",
    [["bench", "--rounds", "10000", "--engine", "wasmtime"], ["verify", "--unroll", "16"]],
    ids=lambda words: words[0],
)
def test_an_interrupted_measurement_ends_in_one_line(
    words: list[str], number: signal.Signals, tmp_path: Path
) -> None:
    child = start(SAYS_WHEN_IT_STARTS, *words, cwd=tmp_path)
    await_word(child, "started")
    time.sleep(0.3)
    child.send_signal(number)
    status, err = finish(child)
    assert status == 130
    assert_one_line(err, "interrupted")
    assert contents(tmp_path) == {}


def children(parent: int) -> dict[int, str]:
    """Processes that another has started and that still run, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            state, its_parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            if int(its_parent) == parent and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_text()
    return found


def await_engine(child: subprocess.Popen[str]) -> int:
    """The process of the JavaScript engine that times modules."""
    while child.poll() is None:
        for process, command in children(child.pid).items():
            if "bench.mjs" in command:
                return process
        time.sleep(0.01)
    raise AssertionError(finish(child))


@pytest.mark.needs("node")
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("wait", [0, 1.5], ids=["starting", "timing"])
@pytest.mark.parametrize("number", POLITE, ids=lambda number: number.name)
def test_an_interrupted_bench_leaves_no_engine_behind(
    number: signal.Signals, wait: float, tmp_path: Path
) -> None:
    words = ["bench", "--rounds", "10000", "--engine", "wasmtime,node", "--isa", "scalar"]
    child = start(SAYS_WHEN_IT_STARTS, *words, cwd=tmp_path)
    await_word(child, "started")
    engine = await_engine(child)
    time.sleep(wait)
    child.send_signal(number)
    status, err = finish(child)
    assert status == 130
    assert_one_line(err, "interrupted")
    assert not Path(f"/proc/{engine}").exists()
    assert contents(tmp_path) == {}
