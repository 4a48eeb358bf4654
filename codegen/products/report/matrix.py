"""The picture and tables of products of matrices: how fast each way to multiply is, and what limits it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from codegen.products.report import describe, goals, products, variants
from codegen.products.report.data import Data
from codegen.products.report.products import MANY, Kind
from codegen.spec.strategies import Isa
from codegen.speed import charts
from codegen.speed.bench.result import Measurement, Result

_BAR = 0.21
_TOP, _BOTTOM, _LEFT, _BETWEEN, _RIGHT = 0.95, 0.12, 1.65, 0.12, 0.05
"""Inches."""

_COLUMNS = ("", "kernel", "ns", "x scalar", "95%", "x vec_dot relaxed", "of limit", "x native")


def draw(data: Data) -> Figure | None:
    """A panel an engine, a bar a kind, behind it the limit; None where no scalar code was measured."""
    result = data.matrix
    engines = products.engines(result)
    if not engines:
        return None
    found = {name: products.found(result, name) for name in engines}
    kinds = [kind for kind in products.KINDS if any(kind in each for each in found.values())]
    tall = len(kinds) * _BAR
    figure = Figure(figsize=(charts.WIDTH, _TOP + tall + _BOTTOM))
    n = next(iter(found[engines[0]].values())).n
    charts.heading(
        figure,
        "Products of matrices, times as fast as scalar code",
        f"products of {n:,}, weights in {_where(result)}, {describe.processor(result)}; pale: as fast as its "
        "operations allow",
    )
    limits = [_as_fast(result, name, *item) for name in engines for item in found[name].items()]
    furthest = max(max(value, limit or 0) for value, limit in limits)
    width = (charts.WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(engines) - 1)) / len(engines)
    for index, name in enumerate(engines):
        axes = charts.place(figure, _LEFT + index * (width + _BETWEEN), _TOP, width, tall)
        axes.set_title(describe.engine(result, name)[0], size=9, weight="bold", loc="left")
        axes.set_xlim(0, furthest * (1 + 0.42 / width))
        axes.set_ylim(len(kinds), 0)
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])
        axes.set_yticks([i + 0.5 for i in range(len(kinds))], [] if index else [k.label for k in kinds])
        axes.tick_params(length=0)
        axes.tick_params("y", labelcolor=charts.INK)
        for at, kind in enumerate(kinds):
            if kind in found[name]:
                _bar(axes, at, kind, _as_fast(result, name, kind, found[name][kind]))
    return figure


def _as_fast(result: Result, engine: str, kind: Kind, one: Measurement) -> tuple[float, float | None]:
    """How many times as fast as scalar code in an engine one is, and would be at its floor."""
    base = products.baseline(result, one, engine)
    if not base:
        return 0.0, None
    ratio = one.times_as_fast_as(base).value
    share = one.fraction_of_limit
    return ratio, ratio / share if share else None


def _bar(axes: Axes, at: int, kind: Kind, ratio: tuple[float, float | None]) -> None:
    value, limit = ratio
    colour = kind.variant.colour
    if limit and limit > value:
        axes.barh(at + 0.5, limit, 0.74, color=colour, alpha=0.25, linewidth=0)
    axes.barh(at + 0.5, value, 0.74, color=colour)
    end = max(value, limit or 0)
    charts.beside(axes, f"{value:.1f}", (end, at + 0.5), 3, size=8)


def _where(result: Result) -> str:
    return " and ".join(describe.level(name) for name in describe.levels(result.right))


def says(data: Data) -> str:
    """What matrices gain over rows one by one."""
    each = []
    for engine in products.engines(data.matrix):
        found = products.found(data.matrix, engine)
        gained = [
            f"{kind.op}{f' with {MANY} columns' * (kind.columns > 1)} is {_over_dots(data.matrix, engine, one):.1f}"
            for kind, one in found.items()
            if kind.isa is Isa.RELAXED
            and kind.op in ("gemv", "gemm")
            and _over_dots(data.matrix, engine, one)
        ]
        if gained:
            each.append(f"in {engine} relaxed {' and '.join(gained)} times as fast")
    than = f"Against the fastest relaxed dot product, row by row, {'; '.join(each)}. " if each else ""
    return (
        f"{than}Of each kind the kernel is shown that was fastest in that engine. `x {MANY}` are {MANY} columns of "
        "activations, and all times are of one product."
    )


def _over_dots(result: Result, engine: str, one: Measurement) -> float:
    """How many times as fast as an engine's fastest relaxed dot product; 0 where there is none."""
    dot = products.fastest(result, engine, "vec_dot", Isa.RELAXED, one.columns)
    return one.times_as_fast_as(dot).value if dot else 0.0


def tables(data: Data) -> list[str]:
    """The goals, and a table an engine."""
    parts = goals.parts(data)
    for engine in products.engines(data.matrix):
        version, compiler = describe.engine(data.matrix, engine)
        parts.append(f"**{version}**{f' ({compiler})' if compiler else ''}")
        rows = [_row(data.matrix, engine, *item) for item in products.found(data.matrix, engine).items()]
        parts.append(describe.markdown(_COLUMNS, rows, text=2))
    return parts


def _row(result: Result, engine: str, kind: Kind, one: Measurement) -> Sequence[str]:
    base = products.baseline(result, one, engine)
    ratio = one.times_as_fast_as(base) if base else None
    dot = _over_dots(result, engine, one)
    native = result.beside(one, one.peer, "native") if one.peer else None
    share = one.fraction_of_limit
    return (
        kind.label,
        f"`{variants.tiled(one.kernel)}`",
        f"{one.summary.median:.1f}",
        f"{ratio.value:.2f}" if ratio else "",
        ratio.interval if ratio else "",
        f"{dot:.2f}" if dot else "",
        f"{share:.0%}" if share else "",
        f"{one.times_as_fast_as(native).value:.2f}" if native else "",
    )
