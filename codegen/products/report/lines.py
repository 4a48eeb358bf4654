"""Lines of a few kernels, a panel an engine: what the pictures over lengths, levels and growth share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from codegen.products.report import describe, variants
from codegen.speed import charts
from codegen.speed.bench.result import Measurement, Result

_TALL = 2.7
_TOP, _BOTTOM, _LEFT, _BETWEEN, _RIGHT = 1.1, 0.55, 0.6, 0.25, 0.15
"""Inches."""

_LEGEND_ROW = 0.2


@dataclass(frozen=True)
class Point:
    """A measurement's place in a panel: the middle, and the quartiles of its samples."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """A line that each panel has.

    Attributes:
        label: in the legend.
        colour, marker: matplotlib's.
        native: whether it is of native code, which is in every panel, dashed.
        points: what is on it, by engine.
    """

    label: str
    colour: str
    marker: str
    native: bool = False
    points: dict[str, list[Measurement]] = field(default_factory=dict)


def of_kernels(result: Result) -> list[Curve]:
    """A curve for each kernel that something right was measured of, in the order of variants."""
    names = sorted(
        dict.fromkeys(one.kernel for one in result.right),
        key=lambda kernel: variants.VARIANTS.index(variants.of(kernel)),
    )
    found = []
    for name in names:
        points: dict[str, list[Measurement]] = {}
        for one in result.right:
            if one.kernel == name:
                points.setdefault(one.engine, []).append(one)
        variant = variants.of(name)
        native = variant is variants.NATIVE
        found.append(Curve(variants.short(name), variant.colour, variant.marker, native, points))
    return found


def panels(
    result: Result,
    curves: Sequence[Curve],
    heading: tuple[str, str],
    y_label: str,
    place: Callable[[Measurement], Point],
    legend_columns: int = 0,
) -> tuple[Figure, dict[str, Axes]]:
    """A figure with a panel for each engine that kernels of ours ran in, by engine.

    Native code has no panel: it is a line in each, where it was measured in the same run.

    Args:
        result: the run.
        curves: what each panel has.
        heading: title and subtitle.
        y_label: what is told.
        place: where a measurement is.
        legend_columns: curves a row of the legend; 0 for all.
    """
    engines = [name for name in describe.engines(result) if name != "native"] or ["native"]
    columns = legend_columns or len(curves)
    top = _TOP + _LEGEND_ROW * (-(-len(curves) // columns) - 1)
    figure = Figure(figsize=(charts.WIDTH, top + _TALL + _BOTTOM))
    charts.heading(figure, *heading)
    room = charts.WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(engines) - 1)
    found: dict[str, Axes] = {}
    for index, name in enumerate(engines):
        width, shared = room / len(engines), next(iter(found.values()), None)
        axes = charts.place(figure, _LEFT + index * (width + _BETWEEN), top, width, _TALL)
        if shared:
            axes.sharey(shared)
            axes.tick_params("y", labelleft=False)
        else:
            axes.set_ylabel(y_label)
        axes.set_title(describe.engine(result, name)[0], size=9, weight="bold", loc="left")
        axes.tick_params("both", which="both", length=0)
        axes.grid(axis="y")
        axes.spines["left"].set_visible(False)
        for curve in curves:
            mine = curve.points.get("native" if curve.native else name, [])
            _line(axes, curve, sorted((place(one) for one in mine), key=lambda point: point.x))
        found[name] = axes
    _legend(figure, curves, columns)
    return figure, found


def logarithmic(axes: Axes, values: Sequence[int], shown: Sequence[int], label: str) -> None:
    """Doublings along x, with marks at some of the values."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(values) / 1.3, max(values) * 1.3)
    axes.set_xticks(shown, [f"{value:,}" for value in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(label)


def logarithmic_y(axes: Axes) -> None:
    """Marks at 1, 2 and 5 of each power of ten."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _line(axes: Axes, curve: Curve, points: Sequence[Point]) -> None:
    x = [point.x for point in points]
    axes.fill_between(
        x, [p.low for p in points], [p.high for p in points], color=curve.colour, alpha=0.18, linewidth=0
    )
    axes.plot(
        x, [p.y for p in points], color=curve.colour, marker=curve.marker, markersize=4.5,
        linewidth=1.6, linestyle=(0, (4, 2)) if curve.native else "solid",
    )  # fmt: skip


def _legend(figure: Figure, curves: Sequence[Curve], columns: int) -> None:
    """Between heading and panels."""
    handles = [
        Line2D([], [], color=one.colour, marker=one.marker, markersize=4.5, linewidth=1.6, label=one.label)
        for one in curves
    ]
    figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.1 / charts.WIDTH, 1 - 0.55 / figure.get_figheight()),
        ncols=columns, frameon=False, handlelength=1.7, columnspacing=1.1, handletextpad=0.5,
        borderaxespad=0,
    )  # fmt: skip
