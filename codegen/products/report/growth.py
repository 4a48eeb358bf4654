"""The pictures of growth: time a product against length of rows, number of rows, and number of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.figure import Figure

from codegen.kernels.spec import KernelSpec
from codegen.products.report import describe, lines
from codegen.products.report.data import Data
from codegen.products.report.lines import Curve
from codegen.products.report.products import MANY
from codegen.products.report.variants import NATIVE, tiled
from codegen.speed.bench.limits import Unit
from codegen.speed.bench.native_functions import GEMM, GEMV
from codegen.speed.bench.result import Measurement, Result

_COLOURS = {"gemv": ("#0072b2", "o"), "gemm": ("#d55e00", "s"), "mul_mat": ("#009e73", "D")}
_LIGHT = "#56b4e9"
"""Of mul_mat with one column, beside that of many."""


def _best(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Of one engine, the kernel that took least time over all problems."""
    by_kernel: dict[str, list[Measurement]] = {}
    for one in measurements:
        by_kernel.setdefault(one.kernel, []).append(one)
    whole = max(map(len, by_kernel.values()), default=0)
    found = [each for each in by_kernel.values() if len(each) == whole]
    return min(found, key=lambda each: sum(one.per_block for one in each), default=[])


def _of(result: Result, op: str, keep: Callable[[Measurement], bool]) -> dict[str, list[Measurement]]:
    """By engine the measurements of an operation's best kernel there."""
    found = {}
    for engine in describe.engines(result):
        if engine != "native":
            mine = [one for one in result.right if one.engine == engine and keep(one)]
            if best := _best([one for one in mine if KernelSpec.parse(one.kernel).op == op]):
                found[engine] = best
    return found


def _native(result: Result, keep: Callable[[Measurement], bool]) -> list[Curve]:
    found = []
    for name, label, marker in ((GEMV, "native gemv", "v"), (GEMM, "native gemm", "^")):
        points = [one for one in result.right if one.kernel == name and keep(one)]
        if points:
            colour = NATIVE.colour if name == GEMV else "#7f7f7f"
            found.append(Curve(label, colour, marker, True, {"native": points}))
    return found


def curves(result: Result) -> list[Curve]:
    """Those over rows and lengths: one column, many columns, and native code."""
    found = []
    for op, columns in (("gemv", 1), ("mul_mat", 1), ("gemm", MANY), ("mul_mat", MANY)):

        def keep(one: Measurement, columns: int = columns) -> bool:
            return one.columns == columns

        colour, marker = _COLOURS[op]
        if op == "mul_mat" and columns == 1:
            colour, marker = _LIGHT, "P"
        if points := _of(result, op, keep):
            found.append(Curve(f"{op} x {columns}", colour, marker, points=points))
    return [*found, *_native(result, lambda one: True)]


def _curves_over_columns(result: Result) -> list[Curve]:
    found = [
        Curve(op, colour, marker, points=points)
        for op, (colour, marker) in _COLOURS.items()
        if (points := _of(result, op, lambda one: True))
    ]
    return [*found, *_native(result, lambda one: True)]


def _figure(
    result: Result,
    made: Sequence[Curve],
    title: str,
    x: Callable[[Measurement], int],
    x_label: str,
    per_block: bool = False,
    log: bool = False,
) -> Figure | None:
    """Lines; None where no kernel of ours was measured."""
    if all(curve.native for curve in made):
        return None

    def place(one: Measurement) -> lines.Point:
        per, s = one.n / 32 if per_block else 1, one.summary
        return lines.Point(x(one), s.median / per, s.low / per, s.high / per)

    subtitle = f"{_same(result)}{describe.processor(result)}; less is faster; shaded: quartiles"
    unit = "ns a block of 32 weights" if per_block else "ns a product"
    figure, panels = lines.panels(result, made, (title, subtitle), unit, place, legend_columns=6)
    values = sorted({x(one) for one in result.right})
    highest = max(place(one).high for curve in made for each in curve.points.values() for one in each)
    for axes in panels.values():
        lines.logarithmic(axes, values, _marks(values), x_label)
        if log:
            lines.logarithmic_y(axes)
        else:
            axes.set_ylim(0, 1.08 * highest)
    return figure


def _same(result: Result) -> str:
    """What all problems share."""
    lengths = {one.n for one in result.right}
    return f"products of {min(lengths):,}, " if len(lengths) == 1 else ""


def _marks(values: Sequence[int]) -> list[int]:
    """Of values, the powers of four; and the last, in place of one that is near."""
    last = values[-1]
    found = [value for value in values if value & (value - 1) == 0 and value.bit_length() % 2]
    return [*(value for value in found if 3 * value <= last), last]


def draw_elements(data: Data) -> Figure | None:
    """Over lengths of rows, time a block."""
    title = "Products of matrices, by length of the rows"
    made = curves(data.elements)
    return _figure(data.elements, made, title, lambda one: one.n, "weights a row (K)", per_block=True)


def draw_rows(data: Data) -> Figure | None:
    """Over rows, time a product."""
    title = "Products of matrices, by number of rows"
    return _figure(data.rows, curves(data.rows), title, lambda one: one.rows, "rows of weights", log=True)


def draw_columns(data: Data) -> Figure | None:
    """Over columns, time a product."""
    title = "Products of matrices, by number of columns"
    made = _curves_over_columns(data.columns)
    return _figure(data.columns, made, title, lambda one: one.columns, "columns of activations")


def says_elements(_data: Data) -> str:
    """What the labels mean."""
    return f"`x 1` is one column of activations, `x {MANY}` are {MANY}."


def says_rows(data: Data) -> str:
    """How many weights the most rows are, and how fast they arrive."""
    most = max((one.problem for one in data.rows.right), key=lambda problem: problem.rows)
    bound = [
        f"{engine} {floor:.0f} ns"
        for engine, points in next(iter(curves(data.rows))).points.items()
        for one in points
        if one.problem.rows == most.rows and (floor := one.floors.get(Unit.MEMORY))
    ]
    arrive = f", which take {' and '.join(bound)} a row only to read" if bound else ""
    return (
        f"{most.rows:,} rows are {most.bytes / 1e6:.0f} MB of weights{arrive}: only there may a product take longer. "
        "mul_mat quantises a column once, however many rows there are."
    )


def says_columns(data: Data) -> str:
    """What was multiplied."""
    rows = max(one.rows for one in data.columns.right)
    return f"All with {rows:,} rows of weights. gemv does columns one by one, gemm and mul_mat several at a time."


def table_elements(data: Data) -> list[str]:
    """The ends of each line over lengths."""
    return _ends(curves(data.elements), lambda one: one.n, "K = {:,}", lambda one: one.per_block)


def table_rows(data: Data) -> list[str]:
    """The ends of each line over rows."""
    return _ends(curves(data.rows), lambda one: one.rows, "rows = {:,}", lambda one: one.summary.median)


def table_columns(data: Data) -> list[str]:
    """The ends of each line over columns."""
    made = _curves_over_columns(data.columns)
    return _ends(made, lambda one: one.columns, "columns = {:,}", lambda one: one.summary.median)


def _ends(
    made: Sequence[Curve], x: Callable[[Measurement], int], at: str, y: Callable[[Measurement], float]
) -> list[str]:
    """A row a curve and engine: its kernel, its first and last point, and the highest over the lowest."""
    every = [x(one) for curve in made for points in curve.points.values() for one in points]
    ends = sorted({min(every), max(every)})
    rows = []
    for engine in dict.fromkeys(name for curve in made for name in curve.points):
        for curve in (one for one in made if engine in one.points):
            values = {x(one): y(one) for one in curve.points[engine]}
            told = [f"{values[end]:.2f}" if end in values else "" for end in ends]
            kernel = f"`{tiled(curve.points[engine][0].kernel)}`"
            most = max(values.values()) / min(values.values())
            rows.append((curve.label, engine, kernel, *told, f"{most:.2f}"))
    names = ("ns", "engine", "kernel", *(at.format(end) for end in ends), "most / least")
    return [describe.markdown(names, rows, text=3)]
