"""What the verbs print: a table for people, JSON for machines."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codegen.base.output import Table, print_tables
from codegen.kernels.spec import KernelSpec
from codegen.models.run import table as model_table
from codegen.models.run.result import Result as Run
from codegen.speed.bench import article
from codegen.speed.bench import table as bench_table
from codegen.speed.bench.result import Result
from codegen.speed.tune import ranking
from codegen.speed.tune.sweep import Outcome
from codegen.verify.report import Report
from codegen.wasm.assemble import default_assembler

if TYPE_CHECKING:  # only there, since what drives browsers is slow to import
    from codegen.engines.matrix import Matrix

_FAILURES_SHOWN = 5


def complaint(line: str) -> None:
    """One line on standard error."""
    print(line, file=sys.stderr)


def kernels(specs: Sequence[KernelSpec], as_json: bool, wide: bool) -> None:
    """The kernels there are."""
    if as_json:
        print(json.dumps([{"name": spec.name, **dataclasses.asdict(spec)} for spec in specs], indent=2))
        return
    rows = [
        (s.name, s.isa, s.strategy, s.scales, s.memory, str(s.unroll), str(s.accumulators)) for s in specs
    ]
    columns = ("kernel", "isa", "strategy", "scales", "memory", "unroll", "accumulators")
    extra = ("scales", "unroll", "accumulators")
    print_tables(Table(f"{len(rows)} kernels", columns, rows, text=5, extra=extra), wide=wide)


def reports(found: Sequence[Report], as_json: bool, wide: bool) -> None:
    """What verification found; the first failures of each kernel on standard error."""
    if as_json:
        print(json.dumps([dataclasses.asdict(r) | {"passed": r.passed} for r in found], indent=2))
        return
    rows = [
        (
            r.kernel,
            "pass" if r.passed else "FAIL",
            f"{r.blocks:,}",
            f"{r.worst_ulp:.2f}",
            f"{r.cost.bytes:,}",
            f"{r.cost.opcodes:.2f}",
        )
        for r in found
    ]
    columns = ("kernel", "", "blocks", "worst ulp", "bytes", "opcodes/32")
    title = f"verified against the oracle and scalar, assembled by {default_assembler()}"
    print_tables(Table(title, columns, rows, text=2, extra=("bytes", "opcodes/32")), wide=wide)
    for report in found:
        for failure in report.failures[:_FAILURES_SHOWN]:
            print(f"{report.kernel}: {failure}", file=sys.stderr)
        if (more := len(report.failures) - _FAILURES_SHOWN) > 0:
            print(f"{report.kernel}: and {more} more", file=sys.stderr)


def matrix(found: Matrix, as_json: bool, wide: bool) -> None:
    """What engines made of the conformance vectors; if wide, of each kernel."""
    if as_json:
        print(json.dumps(found.to_json(), indent=2))
        return
    print_tables(*([found.grid()] if wide else []), found.summary(), wide=wide)
    for line in (*found.skipped(), *found.failures()):
        print(line)
    print(f"{found.calls:,} cases, {'no failure' if found.passed else 'FAILED'}")


def bench(result: Result, form: str, *, as_article: bool, wide: bool) -> None:
    """How fast kernels are; what the machine was too noisy to tell goes to standard error."""
    if form == "json":
        print(result.to_json())
    elif form == "csv":
        print(bench_table.comma_separated(result), end="")
    elif form == "md":
        print(bench_table.markdown(result), end="")
    elif as_article:
        title = f"a dot product of {article.N:,}, published and on {result.processor}"
        print_tables(Table(title, article.COLUMNS, article.rows(result)), wide=wide)
    else:
        print_tables(*bench_table.tables(result), wide=wide)
        print("\n".join((result.processor, *bench_table.facts(result))))
    for line in bench_table.warnings(result):
        complaint(line)


def tuned(outcome: Outcome, as_json: bool, wide: bool) -> None:
    """What a sweep found; what it could not find, and that it was interrupted, go to standard error."""
    if outcome.tuning and as_json:
        print(outcome.tuning.text(), end="")
    elif outcome.tuning:
        for contract, swept in outcome.swept.items():
            title = f"{contract} in {outcome.tuning.engine_version}, {outcome.tuning.processor}"
            print_tables(ranking.ranking(title, swept, outcome.before), wide=wide)
            if noisy := ranking.noise(swept):
                print(noisy)
        print(f"wrote {outcome.path}")
    for line in ranking.complaints(outcome):
        complaint(line)


def model(result: Run, as_json: bool, wide: bool) -> None:
    """What the matrices of a model computed, and how fast."""
    if as_json:
        print(result.to_json())
        return
    print_tables(*model_table.tables(result), wide=wide)
    for line in model_table.facts(result):
        print(line)
