"""What a run found, as people keep it: JSON that says what ran where, when, and every sample."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from codegen.formats import Q4_0
from codegen.speed.bench.limits import Unit
from codegen.speed.bench.machine import processor
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.bench.statistics import Ratio, Summary, speedup, summarize

FORMAT = "ggml-wasm-bench"

_LATER = ("columns", "work", "peer", "weights")
"""What runs that knew of dot products of Q4_0 only do not say."""


@dataclass(frozen=True)
class Measurement:
    """One contestant in one engine on one problem.

    Attributes:
        kernel: its name.
        engine: where it ran.
        sha256: of the kernel's module, without the loop that timed it; None for native code.
        n, rows, level, columns, work, weights: the problem's.
        samples: nanoseconds a product, or a row, one a round; none where it is wrong.
        floors: nanoseconds of it that each unit of the machine needs at least.
        wrong: what it computed wrongly, if anything.
        peer: the native function that does the same.
    """

    kernel: str
    engine: str
    sha256: str | None
    n: int
    rows: int
    level: str
    samples: tuple[float, ...]
    floors: dict[Unit, float] = field(default_factory=dict)
    wrong: str | None = None
    columns: int = 1
    work: Work = Work.PRODUCTS
    peer: str | None = None
    weights: str = Q4_0.name

    @property
    def problem(self) -> Problem:
        """What was done."""
        return Problem(self.n, self.rows, self.level, self.columns, self.work, self.weights)

    @property
    def summary(self) -> Summary:
        """Of the samples, at least one."""
        return summarize(self.samples)

    @property
    def per_block(self) -> float:
        """Nanoseconds per 32 elements."""
        return self.summary.median / (self.n / 32)

    @property
    def limit(self) -> tuple[Unit, float] | None:
        """The unit whose floor is highest, and that floor in nanoseconds."""
        return max(self.floors.items(), key=lambda item: item[1], default=None)

    @property
    def fraction_of_limit(self) -> float | None:
        """The floor over the median: 1 is as fast as the machine can."""
        return self.limit[1] / self.summary.median if self.limit else None

    def times_as_fast_as(self, other: Measurement) -> Ratio:
        """How many times as fast this is as another of the same run."""
        return speedup(other.samples, self.samples)


@dataclass(frozen=True)
class Limits:
    """What an engine did at most on this machine: operations by unit, and bytes read at a level, per nanosecond."""

    engine: str
    version: str
    level: str
    rates: dict[Unit, float]


@dataclass(frozen=True)
class Result:
    """A whole run."""

    processor: str
    time: str
    rounds: int
    measurements: tuple[Measurement, ...]
    limits: tuple[Limits, ...]

    @classmethod
    def of(cls, rounds: int, measurements: list[Measurement], limits: list[Limits]) -> Result:
        """A result of this machine, now."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(f"{processor()}, {platform.machine()}", now, rounds, tuple(measurements), tuple(limits))

    def find(self, kernel: str, engine: str, n: int, level: str) -> Measurement | None:
        """The measurement of a kernel that is right."""
        for one in self.measurements:
            if (one.kernel, one.engine, one.n, one.level) == (kernel, engine, n, level) and one.samples:
                return one
        return None

    def beside(self, one: Measurement, kernel: str, engine: str) -> Measurement | None:
        """The measurement of another kernel, that is right, on the same problem."""
        for other in self.right:
            if (other.kernel, other.engine, other.problem) == (kernel, engine, one.problem):
                return other
        return None

    @property
    def right(self) -> list[Measurement]:
        """Those whose values were right."""
        return [one for one in self.measurements if one.samples]

    def to_json(self) -> str:
        """Everything, medians and floors included for readers that do not want to compute them."""
        each = [asdict(one) | _derived(one) for one in self.measurements]
        return json.dumps(
            {
                "format": FORMAT,
                "version": 1,
                "processor": self.processor,
                "time": self.time,
                "rounds": self.rounds,
                "engines": {one.engine: one.version for one in self.limits},
                "limits": [asdict(one) for one in self.limits],
                "measurements": each,
            },
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str) -> Result:
        """What `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        names = Measurement.__dataclass_fields__
        measured = []
        for one in data["measurements"]:
            kept = {name: one[name] for name in names if name in one or name not in _LATER}
            kept["samples"] = tuple(kept["samples"])
            kept["work"] = Work(kept.get("work", Work.PRODUCTS))
            kept["floors"] = {Unit(unit): ns for unit, ns in kept["floors"].items()}
            measured.append(Measurement(**kept))
        limits = [
            Limits(one["engine"], one["version"], one["level"], {Unit(u): r for u, r in one["rates"].items()})
            for one in data["limits"]
        ]
        return cls(data["processor"], data["time"], data["rounds"], tuple(measured), tuple(limits))


def _derived(one: Measurement) -> dict[str, Any]:
    if not one.samples:
        return {}
    return {"median": one.summary.median, "spread": one.summary.spread, "limit": one.limit}
