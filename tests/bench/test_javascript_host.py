"""An engine in a process of its own: its answers, its early end, and that it is gone afterwards."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from codegen.engines.javascript import Program
from codegen.engines.process import start
from codegen.engines.report import EngineError
from codegen.speed.bench import javascript_host
from codegen.speed.bench.javascript_host import JavaScriptHost
from codegen.speed.bench.problem import Problem
from tests.bench.toy_rows import toy
from tests.cli.command import environment

PROBLEM = Problem(32, 8, "l1")
READY = """print('{"engine": "toy 1", "loaded": ["toy"]}', flush=True)"""


def python(code: str) -> JavaScriptHost:
    """An engine that is a few lines of Python."""
    return JavaScriptHost(Program("toy", (sys.executable, "-c", code)))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
    processes = []

    def started_too(*words: Any, **more: Any) -> subprocess.Popen[str]:
        processes.append(start(*words, **more))
        return processes[-1]

    monkeypatch.setattr(javascript_host, "start", started_too)
    return processes


def assert_gone(processes: list[subprocess.Popen[str]]) -> None:
    (process,) = processes
    assert process.poll() is not None
    assert process.stdin and process.stdin.closed
    assert process.stdout and process.stdout.closed


def test_each_answer_is_about_the_module_that_was_asked(
    node: JavaScriptHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(javascript_host, "SLICE_S", 0.002)
    count = "(br_if $wait (local.tee $n (i32.sub (local.get $n) (i32.const 1))))"
    slow = f"(local.set $n (i32.const 2000)) (loop $wait {count})"
    entries = [toy(PROBLEM, name="quick"), toy(PROBLEM, slow, name="slow")]
    with node.open(entries, PROBLEM) as contestants:
        assert [one.name for one in contestants] == ["quick", "slow"]
        quick, slow_one = contestants
        for _ in range(3):
            assert slow_one.sample() > 10 * quick.sample()
    assert re.match(r"node \d+\.\d+", node.version)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("error", [None, KeyError, KeyboardInterrupt])
def test_the_process_is_gone_afterwards(
    error: type[BaseException] | None, fails: bool, node: JavaScriptHost, started: list[subprocess.Popen[str]]
) -> None:
    host = python(f"{READY}; import time; time.sleep(60)") if fails else node
    try:
        with host.open([toy(PROBLEM)], PROBLEM):
            assert started[0].poll() is None
            if error:
                raise error
    except (KeyError, KeyboardInterrupt):
        assert error
    assert_gone(started)


def test_no_folder_is_left_behind(
    node: JavaScriptHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with node.open([toy(PROBLEM)], PROBLEM):
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


TRACE = "src.js:1\n\x1b[31mRangeError: too much\x1b[0m\n    at x\n\nNode.js v0"

ENDS = {
    "import sys; sys.exit(3)": "toy: ended early: no message",
    "import sys; sys.exit('no such flag')": "toy: ended early: no such flag",
    "raise ValueError('bad')": "toy: ended early: ValueError: bad",
    f"import sys; sys.exit({TRACE!r})": "toy: ended early: RangeError: too much",
    "print('hello')": "toy: answers 'hello'",
    "print('[1, 2]')": "toy: answers '\\[1, 2\\]'",
    "print('{}')": "toy: answers '{}'",
    "print()": "toy: answers ''",
    "print('\\x1b[2J' * 1000)": "toy: answers ",
}


@pytest.mark.parametrize("code", ENDS)
def test_an_engine_that_does_not_start_well_is_told_in_one_line(
    code: str, started: list[subprocess.Popen[str]]
) -> None:
    with pytest.raises(EngineError, match=ENDS[code]) as error, python(code).open([toy(PROBLEM)], PROBLEM):
        pass
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300
    assert_gone(started)


@pytest.mark.parametrize("answer", ["", "input(); print('oops')", "input(); print('{\"ns\": 1}')"])
def test_an_engine_that_fails_when_asked_is_told_in_one_line(
    answer: str, started: list[subprocess.Popen[str]]
) -> None:
    host = python(f"{READY}\n{answer}")
    with pytest.raises(EngineError, match=r"^engine toy: "), host.open([toy(PROBLEM)], PROBLEM) as (one,):
        if not answer:
            started[0].wait()
        one.sample()
    assert host.version == "toy 1"
    assert_gone(started)


def test_a_program_that_is_not_there_is_told_in_one_line() -> None:
    host = JavaScriptHost(Program("toy", ("/no/such/engine",)))
    with pytest.raises(EngineError, match="does not start"), host.open([toy(PROBLEM)], PROBLEM):
        pass


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="how to turn SIMD off in V8 there")
def test_what_needs_a_feature_that_the_engine_lacks_is_left_out(node: JavaScriptHost) -> None:
    older = JavaScriptHost(Program("old", (*node._program.command, "--no-enable-sse4-1")))
    entries = [toy(PROBLEM, name=isa, isa=isa) for isa in ("relaxed", "scalar", "simd128")]
    with older.open(entries, PROBLEM) as contestants:
        assert [one.name for one in contestants] == ["scalar"]
        assert contestants[0].sample() > 0
    with node.open(entries, PROBLEM) as contestants:
        assert [one.name for one in contestants] == ["relaxed", "scalar", "simd128"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_engine_ends_when_its_parent_is_killed(node: JavaScriptHost, tmp_path: Path) -> None:
    code = f"""
import os, sys
from codegen.speed.bench import javascript_host
from codegen.speed.bench.javascript_host import JavaScriptHost
from codegen.engines.javascript import Program
from codegen.engines.process import start
from tests.bench.toy_rows import toy
from tests.bench.test_javascript_host import PROBLEM
def told(*words, **more):
    process = start(*words, **more)
    print(process.pid, flush=True)
    return process
javascript_host.start = told
with JavaScriptHost(Program("node", ({str(node._program.command[0])!r},))).open([toy(PROBLEM)], PROBLEM):
    os.kill(os.getpid(), 9)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == -9, done.stderr
    end = time.monotonic() + 20
    while alive(int(done.stdout)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not alive(int(done.stdout))


def alive(process: int) -> bool:
    """A zombie that nobody waits for is not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
