"""The picture of what is left: how much of its floor's speed each kernel reaches in each engine."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from codegen.products.report import describe, variants
from codegen.products.report.data import Data
from codegen.speed import charts
from codegen.speed.bench.result import Measurement

_BAR = 0.19
_TOP, _BOTTOM, _LEFT, _BETWEEN, _RIGHT = 0.95, 0.35, 1.95, 0.15, 0.05
"""Inches."""


def measured(data: Data) -> dict[str, dict[str, Measurement]]:
    """By kernel and engine what has a floor; the kernels of a variant side by side."""
    found: dict[str, dict[str, Measurement]] = {}
    for one in data.kernels.right:
        if one.fraction_of_limit:
            found.setdefault(one.kernel, {})[one.engine] = one
    ordered = sorted(found, key=lambda kernel: variants.VARIANTS.index(variants.of(kernel)))
    return {kernel: found[kernel] for kernel in ordered}


def draw(data: Data) -> Figure | None:
    """A panel an engine, a bar a kernel; None where no floor is known."""
    kernels = measured(data)
    if not kernels:
        return None
    engines = [name for name in describe.engines(data.kernels) if any(name in k for k in kernels.values())]
    tall = len(kernels) * _BAR
    figure = Figure(figsize=(charts.WIDTH, _TOP + tall + _BOTTOM))
    every = [one for each in kernels.values() for one in each.values()]
    charts.heading(
        figure,
        "Fraction of what the machine can do",
        f"{describe.work(every)}; 100%: a kernel's operations alone, at their measured rate",
    )
    room = charts.WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(engines) - 1)
    furthest = max(1.0, *(one.fraction_of_limit or 0 for one in every))
    for index, name in enumerate(engines):
        width = room / len(engines)
        axes = charts.place(figure, _LEFT + index * (width + _BETWEEN), _TOP, width, tall)
        axes.set_title(describe.engine(data.kernels, name)[0], size=9, weight="bold", loc="left")
        axes.set_xlim(0, furthest + 0.3)
        axes.set_ylim(len(kernels), 0)
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks((0, 0.5, 1))
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.axvline(1, color=charts.QUIET, linewidth=0.8, linestyle=(0, (3, 2)))
        axes.set_yticks([i + 0.5 for i in range(len(kernels))], [] if index else map(variants.short, kernels))
        axes.tick_params(length=0)
        axes.tick_params("y", labelcolor=charts.INK)
        _bars(axes, [(at, each[name]) for at, each in enumerate(kernels.values()) if name in each])
    return figure


def _bars(axes: Axes, rows: list[tuple[int, Measurement]]) -> None:
    for at, one in rows:
        fraction = one.fraction_of_limit or 0
        axes.barh(at + 0.5, fraction, 0.74, color=variants.of(one.kernel).colour)
        axes.annotate(
            f"{fraction:.0%}", (fraction, at + 0.5), (3, 0), textcoords="offset points", va="center", size=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip


def says(data: Data) -> str:
    """How close the fastest kernels are, and what limits them."""
    kernels = measured(data)
    each = []
    for name in describe.engines(data.kernels):
        rivals = variants.best(engines[name] for engines in kernels.values() if name in engines).values()
        if rivals:
            top = min(rivals, key=lambda one: one.summary.median)
            unit, floor = top.limit or ("", 0.0)
            each.append(
                f"in {name} `{variants.short(top.kernel)}` reaches {top.fraction_of_limit:.0%} of the speed that its "
                f"{unit} allow ({floor:,.0f} of {top.summary.median:,.0f} ns)"
            )
    return f"Of the fastest kernels, {'; '.join(each)}." if each else ""
