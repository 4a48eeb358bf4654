"""The matrix of engines and kernels: what each engine reported, and where two of them differ."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from codegen.base.output import Table
from codegen.engines.engine import Engine
from codegen.engines.process import stop_all
from codegen.engines.report import EngineReport, SubjectReport
from codegen.verify.job import Job, cases_of


@dataclass(frozen=True)
class Difference:
    """A kernel that gave other bits in some engines than in most; each result may be within its bound."""

    kernel: str
    case: str
    engines: list[str]
    got: str
    elsewhere: str


@dataclass(frozen=True)
class Matrix:
    """The outcome of one job in several engines."""

    reports: list[EngineReport]
    differences: list[Difference]

    @property
    def passed(self) -> bool:
        """Whether at least one engine ran, nothing failed, and all engines gave the same bits."""
        ran = [report for report in self.reports if report.skipped is None]
        return bool(ran) and all(report.ok for report in ran) and not self.differences

    @property
    def calls(self) -> int:
        """Cases run, over all kernels, opcodes and engines."""
        return sum(subject.cases for report in self.reports for subject in report.subjects)

    def to_json(self) -> dict[str, Any]:
        """The matrix for a file that is kept: digests in place of the results."""
        return {
            "passed": self.passed,
            "cases": self.calls,
            "engines": [report.summary() for report in self.reports],
            "differences": [asdict(difference) for difference in self.differences],
        }

    def summary(self) -> Table:
        """One row an engine."""
        rows = [
            (
                report.name,
                report.version,
                *(_passed(report.kernels), _cases(report.kernels), _passed(report.opcodes)),
                f"{report.seconds:.1f}" if report.skipped is None else "",
            )
            for report in self.reports
        ]
        columns = ("engine", "version", "kernels", "cases", "opcodes", "seconds")
        return Table("", columns, rows, text=2, extra=("version",))

    def grid(self) -> Table:
        """One row a kernel, one column an engine that ran."""
        ran = [report for report in self.reports if report.kernels]
        differing = {(d.kernel, name) for d in self.differences for name in d.engines}
        rows = []
        for row in zip(*(report.kernels for report in ran), strict=True):
            cells = [
                "differs" if (subject.name, report.name) in differing else _cell(subject)
                for report, subject in zip(ran, row, strict=True)
            ]
            rows.append((row[0].name, *cells))
        return Table("", ("kernel", *(report.name for report in ran)), rows, text=1 + len(ran))

    def skipped(self) -> Iterator[str]:
        """One line for each engine that is not here, or that left something out."""
        for report in self.reports:
            if reason := _skipped(report):
                yield f"{report.name}: skipped {reason}"

    def failures(self) -> Iterator[str]:
        """One line for each failure: engine, kernel, case, what was got and what was expected."""
        for report in self.reports:
            if report.error:
                yield f"{report.name}: {report.error}"
            for subject in report.subjects:
                if subject.failure:
                    yield f"{report.name}: {subject.name}: {subject.failure}"
        for d in self.differences:
            names = ", ".join(d.engines)
            yield f"{names}: {d.kernel}: {d.case}: got {d.got}, the other engines {d.elsewhere}"


def run_matrix(
    job: Job,
    engines: Sequence[Engine],
    on_report: Callable[[EngineReport], None] | None = None,
    timeout: float = 900,
) -> Matrix:
    """Runs a job in each engine, as many at a time as there are processors, and compares the bits.

    Args:
        job: Kernels, vectors and opcodes.
        engines: What to run them in; an engine that is not here becomes a row that says so.
        on_report: Called with each report as it comes, one thread an engine, for a progress bar.
        timeout: Seconds that one process of an engine may take.
    """

    def run(engine: Engine) -> EngineReport:
        report = engine.run(job, timeout)
        if on_report:
            on_report(report)
        return report

    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        reports = list(pool.map(run, engines))
    except BaseException:
        # Otherwise an interrupted run would wait for its engines to finish.
        pool.shutdown(wait=False, cancel_futures=True)
        stop_all()
        raise
    pool.shutdown()
    return Matrix(reports, find_differences(job, reports))


def find_differences(job: Job, reports: Sequence[EngineReport]) -> list[Difference]:
    """For each kernel and result that not all engines share, the first case where it differs from most.

    A kernel that failed in an engine is told there, and not compared.
    """
    found = []
    for i, kernel in enumerate(job["kernels"]):
        cases = [case["name"] for case in cases_of(job, kernel)]
        results = {r.name: tuple(r.kernels[i].results) for r in reports if r.kernels and r.kernels[i].ok}
        ranked = [result for result, _ in Counter(results.values()).most_common()]
        for other in ranked[1:]:
            case, got, most = next(
                (case, a, b) for case, a, b in zip(cases, other, ranked[0], strict=True) if a != b
            )
            names = [name for name, result in results.items() if result == other]
            found.append(Difference(kernel["name"], case, names, got, most))
    return found


def _passed(subjects: Sequence[SubjectReport]) -> str:
    run = [subject for subject in subjects if subject.skipped is None]
    return f"{sum(subject.ok for subject in run)}/{len(run)}" if run else ""


def _cases(subjects: Sequence[SubjectReport]) -> str:
    total = sum(subject.cases for subject in subjects)
    return f"{sum(subject.passed for subject in subjects):,}/{total:,}" if total else ""


def _skipped(report: EngineReport) -> str:
    if report.skipped:
        return report.skipped
    reasons = Counter(subject.skipped for subject in report.subjects if subject.skipped)
    return "; ".join(f"{count}: {reason}" for reason, count in reasons.items())


def _cell(subject: SubjectReport) -> str:
    if subject.skipped:
        return "-"
    return "pass" if subject.ok else "FAIL"
