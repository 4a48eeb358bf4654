"""Contestants in a JavaScript engine: a process that times a module whenever a line asks it to."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from codegen.bench.contestant import SLICE_S, Contestant, Entry, WrongResultError
from codegen.bench.problem import Problem
from codegen.engines.javascript import Program
from codegen.engines.process import start, stop
from codegen.engines.report import EngineError

SCRIPT = Path(__file__).resolve().parent.parent / "engines" / "bench.mjs"


class JavaScriptHost:
    """Node, deno or bun; `version` is known once it has run."""

    def __init__(self, program: Program) -> None:
        self.name, self.version, self._program = program.name, program.name, program

    @contextmanager
    def open(self, entries: list[Entry], problem: Problem) -> Iterator[list[Contestant]]:
        """Starts the engine with a job, which loads the entries and warms them up.

        Raises:
            EngineError: the engine does not start, or ends early.
        """
        with tempfile.TemporaryDirectory(prefix="codegen-") as folder:
            job, log = Path(folder) / "job.json", Path(folder) / "log"
            job.write_text(json.dumps(_job(entries, problem)), encoding="utf-8")
            with log.open("wb") as errors:
                command = [*self._program.command, SCRIPT, job]
                process = start(
                    command, self._program.env, subprocess.PIPE, stdin=subprocess.PIPE, stderr=errors.fileno()
                )
            try:
                line = _Line(self.name, process, log)
                ready = line.read()
                self.version = ready["engine"]
                yield [_Module(name, index, line) for index, name in enumerate(ready["loaded"])]
            finally:
                stop(process)


def _job(entries: list[Entry], problem: Problem) -> dict[str, Any]:
    """What bench.mjs reads; `pattern` repeats to `rows` rows."""
    return {
        "n": problem.n,
        "rows": problem.rows,
        "x_step": problem.x_step,
        "pattern": base64.b64encode(problem.pattern.tobytes()).decode("ascii"),
        "y": base64.b64encode(problem.y.tobytes()).decode("ascii"),
        "slice_s": SLICE_S,
        "entries": [
            {
                "name": entry.name,
                "isa": entry.isa,
                "wasm": base64.b64encode(entry.wasm).decode("ascii"),
                "expected": entry.expected,
            }
            for entry in entries
        ],
    }


class _Line:
    """Questions and answers, a line of JSON each."""

    def __init__(self, name: str, process: subprocess.Popen[str], log: Path) -> None:
        assert process.stdin and process.stdout
        self._name, self._in, self._out, self._log = name, process.stdin, process.stdout, log

    def ask(self, index: int) -> dict[str, Any]:
        """Times a module."""
        with suppress(BrokenPipeError):  # then there is no answer either
            self._in.write(f"{index}\n")
            self._in.flush()
        return self.read()

    def read(self) -> dict[str, Any]:
        """The next answer."""
        text = self._out.readline()
        if not text:
            last = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise EngineError(f"engine {self._name}: ended early: {''.join(last) or 'no message'}")
        answer: dict[str, Any] = json.loads(text)
        return answer


class _Module:
    def __init__(self, name: str, index: int, line: _Line) -> None:
        self.name, self._index, self._line = name, index, line

    def sample(self) -> float:
        """See Contestant."""
        answer = self._line.ask(self._index)
        if answer["wrong"]:
            raise WrongResultError(answer["wrong"])
        return float(answer["ns"])
