"""Lines of a few kernels, a panel an engine: what the pictures over lengths and levels share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from codegen.bench.result import Measurement, Result
from codegen.report import charts, describe, variants

_TALL = 2.7
_TOP, _BOTTOM, _LEFT, _BETWEEN, _RIGHT = 1.1, 0.55, 0.6, 0.25, 0.15
"""Inches."""


@dataclass(frozen=True)
class Point:
    """A measurement's place in a panel: the middle, and the quartiles of its samples."""

    x: float
    y: float
    low: float
    high: float


def panels(
    result: Result, title: str, subtitle: str, y_label: str, place: Callable[[Measurement], Point]
) -> tuple[Figure, dict[str, Axes]]:
    """A figure with a panel for each engine that kernels of ours ran in, by engine.

    Native code has no panel: it is a line in each, where it was measured in the same run.
    """
    engines = [name for name in describe.engines(result) if name != "native"] or ["native"]
    figure = Figure(figsize=(charts.WIDTH, _TOP + _TALL + _BOTTOM))
    charts.heading(figure, title, subtitle)
    room = charts.WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(engines) - 1)
    found: dict[str, Axes] = {}
    for index, name in enumerate(engines):
        width, shared = room / len(engines), next(iter(found.values()), None)
        axes = charts.place(figure, _LEFT + index * (width + _BETWEEN), _TOP, width, _TALL)
        if shared:
            axes.sharey(shared)
            axes.tick_params("y", labelleft=False)
        else:
            axes.set_ylabel(y_label)
        axes.set_title(describe.engine(result, name)[0], size=9, weight="bold", loc="left")
        axes.tick_params("both", which="both", length=0)
        axes.grid(axis="y")
        axes.spines["left"].set_visible(False)
        for kernel in kernels(result):
            mine = [m for m in result.right if m.kernel == kernel and m.engine in (name, "native")]
            _line(axes, kernel, sorted((place(one) for one in mine), key=lambda point: point.x))
        found[name] = axes
    _legend(figure, kernels(result))
    return figure, found


def kernels(result: Result) -> list[str]:
    """The kernels that something right was measured of, in the order of variants."""
    found = dict.fromkeys(one.kernel for one in result.right)
    return sorted(found, key=lambda kernel: variants.VARIANTS.index(variants.of(kernel)))


def _line(axes: Axes, kernel: str, points: Sequence[Point]) -> None:
    x = [point.x for point in points]
    variant = variants.of(kernel)
    native = variant is variants.NATIVE
    axes.fill_between(
        x, [p.low for p in points], [p.high for p in points], color=variant.colour, alpha=0.18, linewidth=0
    )
    axes.plot(
        x, [p.y for p in points], color=variant.colour, marker=variant.marker, markersize=4.5,
        linewidth=1.6, linestyle=(0, (4, 2)) if native else "solid",
    )  # fmt: skip


def _legend(figure: Figure, names: Sequence[str]) -> None:
    """One row between heading and panels."""
    handles = []
    for kernel in names:
        variant = variants.of(kernel)
        handles.append(
            Line2D(
                [],
                [],
                color=variant.colour,
                marker=variant.marker,
                markersize=4.5,
                linewidth=1.6,
                label=variants.short(kernel),
            )
        )
    figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.1 / charts.WIDTH, 1 - 0.55 / figure.get_figheight()),
        ncols=len(handles), frameon=False, handlelength=1.8, columnspacing=1.6, handletextpad=0.5,
        borderaxespad=0,
    )  # fmt: skip
