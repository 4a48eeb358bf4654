"""Contestants in a JavaScript engine: a process that times a module whenever a line asks it to."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from codegen.base.errors import shown
from codegen.engines.javascript import Program
from codegen.engines.process import start, stop
from codegen.engines.report import EngineError
from codegen.runtime.host import EngineOptions, engine
from codegen.speed.bench.contestant import SLICE_S, Contestant, WrongResultError
from codegen.speed.bench.entry import REPEAT, Entry
from codegen.speed.bench.problem import Problem
from codegen.wasm.wasmtime_library import wasmtime

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ERROR = re.compile(r"\w*Error\b|error:")

SCRIPT = Path(__file__).resolve().parents[2] / "engines" / "bench.mjs"


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
            asked, data = job_of(entries)
            asked["data"] = [base64.b64encode(one).decode("ascii") for one in data]
            job.write_text(json.dumps(asked), encoding="utf-8")
            with log.open("wb") as errors:
                command = [*self._program.command, SCRIPT, job]
                process = start(
                    command, self._program.env, subprocess.PIPE, stdin=subprocess.PIPE, stderr=errors.fileno()
                )
            line = _Line(self.name, process, log)
            try:
                self.version, loaded = line.read("engine", "loaded")
                yield [_Module(name, index, line) for index, name in enumerate(loaded)]
            finally:
                stop(process)
                line.close()


def job_of(entries: list[Entry]) -> tuple[dict[str, Any], list[bytes]]:
    """What timing.mjs needs, and the bytes that many entries may have, which it names by their places in that list."""
    places: dict[bytes, int] = {}

    def place(data: bytes) -> int:
        return places.setdefault(data, len(places))

    each = [
        {
            "name": entry.name,
            "isa": entry.isa,
            "memory": entry.memory,
            "wasm": place(entry.wasm),
            "buffers": [
                {
                    "name": one.name,
                    "bytes": one.bytes,
                    "pattern": None if one.pattern is None else place(one.pattern.tobytes()),
                }
                for one in entry.buffers
            ],
            "arguments": entry.arguments,
            "types": _types(entry),
            "units": entry.units,
            "output": entry.output
            and {**asdict(entry.output), "expected": [place(one) for one in entry.output.expected]},
        }
        for entry in entries
    ]
    return {"repeat": REPEAT, "slice_s": SLICE_S, "entries": each}, list(places)


def _types(entry: Entry) -> list[str]:
    """Of its arguments, which JavaScript cannot ask a module for: an i64 is a BigInt there."""
    module = wasmtime.Module(engine(EngineOptions()), entry.wasm)
    types = {one.name: one.type for one in module.exports}
    repeat = types[REPEAT]
    assert isinstance(repeat, wasmtime.FuncType)
    _, *found = map(str, repeat.params)
    return found


class _Line:
    """Questions and answers, a line of JSON each."""

    def __init__(self, name: str, process: subprocess.Popen[str], log: Path) -> None:
        assert process.stdin and process.stdout
        self._name, self._in, self._out, self._log = name, process.stdin, process.stdout, log

    def ask(self, index: int) -> tuple[Any, ...]:
        """Times a module; its nanoseconds a unit, and what is wrong with it."""
        with suppress(OSError):  # a pipe that is closed: then there is no answer either
            self._in.write(f"{index}\n")
            self._in.flush()
        return self.read("ns", "wrong")

    def read(self, *names: str) -> tuple[Any, ...]:
        """The next answer's values of these names."""
        text = self._out.readline()
        if not text:
            raise EngineError(f"engine {self._name}: ended early: {self._last_words()}")
        try:
            answer = json.loads(text)
            return tuple(answer[name] for name in names)
        except (ValueError, TypeError, KeyError):
            raise EngineError(f"engine {self._name}: answers {shown(text.strip())}; reinstall it") from None

    def close(self) -> None:
        """Closes the pipes of a process that has ended."""
        with suppress(OSError):  # what was written, and not read
            self._in.close()
        self._out.close()

    def _last_words(self) -> str:
        """The line that tells an error, which engines put above the trace, or else the last one."""
        text = _COLOURS.sub("", self._log.read_text(encoding="utf-8", errors="replace"))
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return next((line for line in lines if _ERROR.match(line)), (lines or ["no message"])[-1])


class _Module:
    def __init__(self, name: str, index: int, line: _Line) -> None:
        self.name, self._index, self._line = name, index, line

    def sample(self) -> float:
        """See Contestant."""
        nanoseconds, wrong = self._line.ask(self._index)
        if wrong:
            raise WrongResultError(wrong)
        return float(nanoseconds)
