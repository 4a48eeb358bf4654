"""A result as people read it: a table a problem, what limits an engine, and what the machine was too noisy to tell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from codegen.base.output import Table
from codegen.formats import Q4_0
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from codegen.speed.bench.problem import Work
from codegen.speed.bench.result import Measurement, Result
from codegen.speed.bench.statistics import LEAST_ROUNDS
from codegen.speed.bench.usual import baseline

BASELINE = KernelSpec(Isa.SCALAR).name
"""What ratios of products of Q4_0 are told against: the plainest scalar kernel."""

COLUMNS = ("kernel", "engine", "sha256", "ns", "quartiles", "outliers", "ns/block", "x scalar", "95%", "floor",
           "of limit", "limited by")  # fmt: skip
EXTRA = ("sha256", "quartiles", "outliers", "ns/block", "95%", "floor", "limited by")
"""Those of a wide table."""

X_NATIVE = "x native"
"""One more column, before the floor, where native code that does the same was timed too."""

_CSV = (
    *("kernel", "engine", "version", "processor", "time", "sha256", "work", "n", "rows", "level", "columns"),
    *("median_ns", "low_ns", "high_ns", "best_ns", "worst_ns", "outliers", "floor_ns", "limited_by", "wrong"),
    *("peer", "weights"),
)
_NOISY = 0.1
_SHORT_HASH = 12


def title(result: Result, one: Measurement) -> str:
    """What a table is about."""
    rows = "1 row" if one.rows == 1 else f"{one.rows:,} rows"
    of_what = "" if one.weights == Q4_0.name else f" of {one.weights}"
    where = f"{rows}{of_what} in {_where(one.level)}{_columns(one)}"
    return f"{one.work} of {one.n:,}, {where}, median of {result.rounds} rounds"


def _where(level: str) -> str:
    return level.upper() if level.startswith("l") else level


def _columns(one: Measurement) -> str:
    return f", {one.columns:,} columns" if one.columns > 1 else ""


def problems(result: Result) -> Iterator[list[Measurement]]:
    """The measurements of each problem."""
    for _, group in groupby(result.measurements, key=lambda one: one.problem):
        yield list(group)


def columns(result: Result, group: Sequence[Measurement]) -> tuple[str, ...]:
    """What a table's columns are called."""
    if not any(_native(result, one) for one in group):
        return COLUMNS
    place = COLUMNS.index("floor")
    return (*COLUMNS[:place], X_NATIVE, *COLUMNS[place:])


def rows(result: Result, group: Sequence[Measurement]) -> list[tuple[str, ...]]:
    """A table's cells, in the order of `columns`."""
    names = columns(result, group)
    return [tuple(cells.get(name, "") for name in names) for cells in (_cells(result, one) for one in group)]


def _native(result: Result, one: Measurement) -> Measurement | None:
    """The native code that does the same as a kernel."""
    return result.beside(one, one.peer, native.HOST) if one.peer else None


def _cells(result: Result, one: Measurement) -> dict[str, str]:
    cells = {"kernel": one.kernel, "engine": one.engine, "sha256": (one.sha256 or "")[:_SHORT_HASH]}
    if not one.samples:
        return cells | {"ns": "WRONG"}
    s = one.summary
    cells |= {
        "ns": f"{s.median:.1f}",
        "quartiles": f"{s.low:.1f} to {s.high:.1f}",
        "outliers": str(s.outliers),
        "ns/block": f"{one.per_block:.2f}",
    }
    if base := result.beside(one, baseline(one.work, one.weights).name, one.engine):
        ratio = one.times_as_fast_as(base)
        cells |= {"x scalar": f"{ratio.value:.2f}", "95%": ratio.interval}
    if peer := _native(result, one):
        cells[X_NATIVE] = f"{one.times_as_fast_as(peer).value:.2f}"
    if one.limit and one.fraction_of_limit:
        unit, floor = one.limit
        cells |= {"floor": f"{floor:.1f}", "of limit": f"{one.fraction_of_limit:.0%}", "limited by": unit}
    return cells


def tables(result: Result) -> list[Table]:
    """For a terminal."""
    return [
        Table(title(result, group[0]), columns(result, group), rows(result, group), text=3, extra=EXTRA)
        for group in problems(result)
    ]


def markdown(result: Result) -> str:
    """For a document."""
    return (
        "\n\n".join((f"{result.processor}, {result.time}", *markdown_tables(result), *facts(result))) + "\n"
    )


def markdown_tables(result: Result) -> list[str]:
    """A title and a table for each problem."""
    parts = []
    for group in problems(result):
        names = columns(result, group)
        rule = ["---"] * 3 + ["---:"] * (len(names) - 3)
        lines = [names, rule, *rows(result, group)]
        parts.append(title(result, group[0]))
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return parts


def comma_separated(result: Result) -> str:
    """For a spreadsheet: a line a measurement, every number in a column of its own."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    versions = {limits.engine: limits.version for limits in result.limits}
    for one in result.measurements:
        head = (one.kernel, one.engine, versions[one.engine], result.processor, result.time, one.sha256, one.work,
                one.n, one.rows, one.level, one.columns)  # fmt: skip
        s = one.summary if one.samples else None
        figures = (s.median, s.low, s.high, s.best, s.worst, s.outliers) if s else [""] * 6
        limit = one.limit or ("", "")
        weights = "" if one.work is Work.QUANTISE else one.weights
        writer.writerow((*head, *figures, limit[1], limit[0], one.wrong or "", one.peer or "", weights))
    return out.getvalue()


def facts(result: Result) -> list[str]:
    """What ran, what each engine did at most, one line each."""
    lines = []
    for one in dict.fromkeys((limits.engine, limits.version) for limits in result.limits):
        lines.append(f"{one[0]}: {one[1]}")
    for limits in result.limits:
        if limits.rates:
            each = ", ".join(f"{rate:.1f} {_per_ns(unit)}" for unit, rate in limits.rates.items())
            lines.append(f"{limits.engine} did at most, per ns, weights in {_where(limits.level)}: {each}")
    return lines


def _per_ns(unit: str) -> str:
    return "bytes read" if unit == "memory" else unit


def warnings(result: Result) -> list[str]:
    """What was wrong, and what the machine was too noisy to tell; one line each."""
    found = [f"{one.engine}: {one.wrong}" for one in result.measurements if one.wrong]
    noisy = [one for one in result.right if one.summary.spread > _NOISY]
    if noisy:
        worst = max(noisy, key=lambda one: one.summary.spread)
        found.append(
            f"noisy machine: the quartiles of {len(noisy)} of {len(result.right)} lie more than {_NOISY:.0%} apart "
            f"(worst: {worst.kernel} in {worst.engine}, {worst.summary.spread:.0%}); quiet it, or ask for more --rounds"
        )
    if result.rounds < LEAST_ROUNDS:
        found.append(
            f"no ratio is sure after {result.rounds} rounds: ask for --rounds {LEAST_ROUNDS} or more"
        )
        return found
    for group in problems(result):
        by_engine = sorted((one for one in group if one.samples), key=lambda one: one.engine)
        for engine, members in groupby(by_engine, key=lambda one: one.engine):
            ranked = sorted(members, key=lambda one: one.summary.median)
            for fast, slow in pairwise(ranked):
                ratio = fast.times_as_fast_as(slow)
                if not ratio.settled:
                    where = f"{engine}, n = {fast.n}, {_where(fast.level)}{_columns(fast)}"
                    found.append(
                        f"cannot tell apart in {where}: {fast.kernel} and {slow.kernel} (ratio {ratio.interval})"
                    )
    return found
