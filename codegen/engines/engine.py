"""An engine: a name and a way to run a job in it, or the reason why it is not here."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codegen.engines.process import run_command
from codegen.engines.report import EngineError, EngineReport
from codegen.verify.job import Job, cases_of, parts

RUNNER = Path(__file__).with_name("runner.mjs")

Launch = Callable[[Path, float], str]
"""Runs a job file within so many seconds and returns what the runner printed, or raises EngineError."""


def engines_folder() -> Path:
    """Where the installer puts what is not a Python package: `.engines` in the current project."""
    return Path(".engines").absolute()


@dataclass(frozen=True)
class Engine:
    """A WebAssembly engine, in one configuration.

    Attributes:
        name: Names the engine in tables and on the command line.
        launch: Runs a job in it; None where the engine is not here.
        missing: Why it is not here, and how to get it.
        memories: How many memories one process of it can hold; None where it has addresses for all that a job makes.
            A job that makes more runs in several processes, one after the other, so that none depends on when the
            engine's garbage collector frees a memory.
        faults: By the beginning of an opcode's name, what the engine is known to get wrong. Such a known answer
            that fails is told as skipped; a kernel has no such excuse.
    """

    name: str
    launch: Launch | None = None
    missing: str | None = None
    memories: int | None = None
    faults: Mapping[str, str] = field(default_factory=dict)

    def run(self, job: Job, timeout: float = 900) -> EngineReport:
        """Runs the job, each process of the engine for at most `timeout` seconds.

        An engine that is missing, crashes or hangs is told in the report, never raised.
        """
        if self.launch is None:
            return EngineReport(self.name, skipped=self.missing)
        start = time.monotonic()
        report = EngineReport(self.name)
        try:
            for part in parts(job, self.memories) if self.memories else [job]:
                report.extend(self._launched(self.launch, part, timeout))
            _check_complete(job, report)
            self._excuse(report)
        except EngineError as error:
            report = EngineReport(self.name, error=str(error))
        report.seconds = time.monotonic() - start
        return report

    def _launched(self, launch: Launch, job: Job, timeout: float) -> EngineReport:
        """The report of one process."""
        with tempfile.TemporaryDirectory(prefix="codegen-") as folder:
            job_file = Path(folder) / "job.json"
            job_file.write_text(json.dumps(job), encoding="utf-8")
            return EngineReport.parse(self.name, launch(job_file, timeout))

    def _excuse(self, report: EngineReport) -> None:
        for opcode in report.opcodes:
            for name, fault in self.faults.items():
                if opcode.failure and opcode.name.startswith(name):
                    opcode.cases, opcode.failure, opcode.skipped = 0, None, f"known fault: {fault}"


def _check_complete(job: Job, report: EngineReport) -> None:
    """A runner that lost a kernel or a case must not pass for one that found no fault."""
    asked = [kernel["name"] for kernel in job["kernels"]] + [case["name"] for case in job["opcodes"]["cases"]]
    if [subject.name for subject in report.subjects] != asked:
        raise EngineError("the report is not about the job's kernels and opcodes")
    for entry, kernel in zip(job["kernels"], report.kernels, strict=True):
        if kernel.ok and len(kernel.results) != len(cases_of(job, entry)):
            raise EngineError(f"{kernel.name} passed without a result for every case")


def command_launcher(command: Sequence[str | Path], env: Mapping[str, str] | None = None) -> Launch:
    """A launcher for a command that takes the job file as last argument and prints the report."""

    def launch(job_file: Path, timeout: float) -> str:
        return run_command([*command, job_file], timeout, env)

    return launch
