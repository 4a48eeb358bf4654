"""The picture of where the weights live: how fast kernels eat them from each cache and from memory."""

from __future__ import annotations

from matplotlib.figure import Figure

from codegen.products.report import describe, lines, variants
from codegen.products.report.data import Data
from codegen.speed.bench.limits import Unit
from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.result import Measurement, Result


def draw(data: Data) -> Figure | None:
    """Lines over levels; None where nothing was measured."""
    result = data.levels
    if not result.right:
        return None
    figure, panels = lines.panels(
        result,
        lines.of_kernels(result),
        (
            "Weights used a second, by where they live",
            f"{describe.work(result.right)}, {describe.processor(result)}; more is faster; shaded: quartiles",
        ),
        "GB of weights a second",
        _place,
    )
    sizes = describe.levels(result.right)
    fastest = max(_place(one).high for one in result.right)
    for axes in panels.values():
        axes.set_ylim(0, 1.15 * fastest)
        axes.set_xlim(-0.3, len(LEVELS) - 0.7)
        axes.set_xticks(
            [LEVELS.index(name) for name in sizes],
            [f"{describe.level(name)}\n{describe.size(bytes_)}" for name, bytes_ in sizes.items()],
        )
    return figure


def _place(one: Measurement) -> lines.Point:
    """In bytes a nanosecond, which are GB a second."""
    weights, summary = one.n / 32 * 18, one.summary
    return lines.Point(
        LEVELS.index(one.level), weights / summary.median, weights / summary.high, weights / summary.low
    )


def says(data: Data) -> str:
    """How fast the fastest kernel of each engine eats weights from the nearest and from the farthest level."""
    result = data.levels
    each = []
    for name in describe.engines(result):
        mine = [one for one in result.right if one.engine == name]
        top = min(mine, key=lambda one: one.per_block).kernel
        points = sorted((one for one in mine if one.kernel == top), key=lambda one: LEVELS.index(one.level))
        rates = " and ".join(_rate(one) for one in (*points[:1], *points[1:][-1:]))
        each.append(f"`{variants.short(top)}` in {name} uses {rates}{_of_most(result, points[-1])}")
    return f"Here {'; '.join(each)}."


def _rate(one: Measurement) -> str:
    return f"{_place(one).y:.1f} GB of weights a second from {describe.level(one.level)}"


def _of_most(result: Result, one: Measurement) -> str:
    """How much that is of what the engine reads from there at most."""
    for limits in result.limits:
        if (limits.engine, limits.level) == (one.engine, one.level) and Unit.MEMORY in limits.rates:
            return f", {_place(one).y / limits.rates[Unit.MEMORY]:.0%} of what it reads from there at most"
    return ""
