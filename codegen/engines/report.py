"""What an engine answers: for each kernel and opcode how many cases passed, and the first that did not."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from codegen.base.errors import CodegenError


class EngineError(CodegenError):
    """An engine cannot be installed or started, or did not finish its job."""


@dataclass(frozen=True)
class Failure:
    """The first case that came out wrong. `case` is "load" where the module could not even be run."""

    case: str
    got: str
    expected: str
    phase: Literal["cold", "hot"]

    def __str__(self) -> str:
        return f"{self.case} ({self.phase}): got {self.got}, expected {self.expected}"


@dataclass
class SubjectReport:
    """The outcome for one kernel or one opcode.

    Attributes:
        name: The kernel's or the opcode's name.
        cases: How many cases were run.
        passed: How many of them were right, cold and hot.
        failure: The first wrong case.
        skipped: Why the subject was not run at all, e.g. that the engine has no relaxed SIMD.
        results: By case what the cold run gave: all outputs as hex digits, each f32 as its bits, or "trap"; a NaN f32
            is 7fc00000.
    """

    name: str
    cases: int = 0
    passed: int = 0
    failure: Failure | None = None
    skipped: str | None = None
    results: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether it was run and everything was right."""
        return self.skipped is None and self.failure is None and self.passed == self.cases

    @property
    def digest(self) -> str:
        """A short hash of all results in order: equal digests are equal bits. Empty where nothing was run."""
        return hashlib.sha256(" ".join(self.results).encode()).hexdigest()[:16] if self.results else ""

    def summary(self) -> dict[str, Any]:
        """The outcome as JSON, with the digest in place of the results."""
        failure = None if self.failure is None else vars(self.failure)
        counts = {"name": self.name, "cases": self.cases, "passed": self.passed}
        return {**counts, "failure": failure, "skipped": self.skipped, "bits": self.digest}


@dataclass
class EngineReport:
    """The outcome in one engine.

    Attributes:
        name: The engine's name.
        version: What the engine says of itself.
        seconds: How long it took.
        kernels: One report a kernel, in the job's order.
        opcodes: One report an opcode, in the job's order.
        skipped: Why the engine is not here, and how to get it.
        error: Why there is no report though the engine is here: it crashed, hung, or printed something else.
    """

    name: str
    version: str = ""
    seconds: float = 0.0
    kernels: list[SubjectReport] = field(default_factory=list)
    opcodes: list[SubjectReport] = field(default_factory=list)
    skipped: str | None = None
    error: str | None = None

    @classmethod
    def parse(cls, name: str, text: str) -> EngineReport:
        """Reads what a runner printed; EngineError where that is no report."""
        try:
            data = json.loads(text)
            return cls(
                name=name,
                version=str(data["engine"]),
                kernels=[_subject(entry) for entry in data["kernels"]],
                opcodes=[_subject(entry) for entry in data["opcodes"]],
            )
        except (ValueError, KeyError, TypeError):
            start = text.strip()[:200] or "nothing"
            raise EngineError(f"the runner printed no report but: {start}") from None

    def extend(self, more: EngineReport) -> None:
        """Adds what another process of the same engine reports of the subjects that follow."""
        self.version = more.version
        self.kernels += more.kernels
        self.opcodes += more.opcodes

    @property
    def subjects(self) -> list[SubjectReport]:
        """Kernels and opcodes."""
        return self.kernels + self.opcodes

    @property
    def ok(self) -> bool:
        """Whether nothing failed; what was skipped did not fail."""
        return self.error is None and all(subject.ok or subject.skipped for subject in self.subjects)

    def summary(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "name": self.name,
            "version": self.version,
            "seconds": round(self.seconds, 2),
            "skipped": self.skipped,
            "error": self.error,
            "kernels": [kernel.summary() for kernel in self.kernels],
            "opcodes": [opcode.summary() for opcode in self.opcodes],
        }


def _subject(entry: dict[str, Any]) -> SubjectReport:
    failure = entry["failure"]
    return SubjectReport(**{**entry, "failure": None if failure is None else Failure(**failure)})
