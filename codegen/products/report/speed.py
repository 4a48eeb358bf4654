"""The main picture: how fast each variant is in each engine, against scalar code."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from codegen.products.report import describe, products, variants
from codegen.products.report.data import Data
from codegen.products.report.products import MANY, Kind
from codegen.products.report.variants import Variant
from codegen.spec.strategies import Isa
from codegen.speed import charts
from codegen.speed.bench.native_functions import GEMM, GEMV
from codegen.speed.bench.result import Measurement, Result
from codegen.speed.bench.statistics import Ratio
from codegen.speed.bench.table import BASELINE

_BAR, _GAP = 0.23, 0.15
"""Inches from bar to bar, and between engines."""

_TOP, _BOTTOM, _LEFT, _RIGHT = 0.72, 0.12, 2.5, 3.15
_KERNEL = 2.55
"""From the right edge, to where the names of kernels start; beside them to the left is a value's label."""

_OURS = (Kind("gemv", 1, Isa.SIMD128), Kind("gemv", 1, Isa.RELAXED), Kind("gemm", MANY, Isa.RELAXED))
_NATIVE = (Kind(GEMV, 1), Kind(GEMM, MANY))
"""The products of matrices that stand beside the dot products."""


@dataclass(frozen=True)
class Bar:
    """One bar: a variant's kernel in an engine, how many times as fast it is as the baseline, and what it is called."""

    variant: Variant
    one: Measurement
    ratio: Ratio
    label: str


def bars(result: Result) -> dict[str, list[Bar]]:
    """The bars of dot products by engine, each against scalar code there; native GGML is with the first engine.

    Engines in which scalar code was not measured have none.
    """
    found: dict[str, list[Bar]] = {}
    for base in result.right:
        if base.kernel != BASELINE or base.engine in found:
            continue
        with_it = (base.engine, "native") if not found else (base.engine,)
        rivals = [one for one in result.right if (one.n, one.level) == (base.n, base.level)]
        best = variants.best(one for one in rivals if one.engine in with_it)
        found[base.engine] = [
            Bar(variant, one, one.times_as_fast_as(base), variant.label) for variant, one in best.items()
        ]
    return found


def matrix_bars(result: Result, engine: str, *, native: bool) -> list[Bar]:
    """The bars of products of matrices in an engine, each against scalar code on the same problem there."""
    found = []
    for kind in (*_OURS, *(_NATIVE if native else ())):
        one = kind.find(result, engine)
        base = one and products.baseline(result, one, engine)
        if one and base:
            found.append(Bar(kind.variant, one, one.times_as_fast_as(base), kind.label))
    return found


def draw(data: Data) -> Figure | None:
    """Bars grouped by engine, with 95% intervals; None where no scalar code was measured."""
    result = data.kernels
    groups = bars(result)
    if not groups:
        return None
    first = next(iter(groups))
    for name in groups:
        groups[name] += matrix_bars(data.matrix, name, native=name == first)
    count = sum(len(group) for group in groups.values())
    tall = count * _BAR + (len(groups) - 1) * _GAP
    figure = Figure(figsize=(charts.WIDTH, _TOP + tall + _BOTTOM))
    charts.heading(
        figure,
        "Times as fast as scalar code in the same engine",
        f"{_work(groups)}, {describe.processor(result)}; lines: 95% intervals",
    )
    axes = charts.place(figure, _LEFT, _TOP, charts.WIDTH - _LEFT - _RIGHT, tall)
    axes.set_axis_off()
    axes.set_ylim(tall, 0)
    axes.set_xlim(0, max(bar.ratio.drawn[1] for group in groups.values() for bar in group))
    at = 0.0
    for name, group in groups.items():
        _name(axes, at, *describe.engine(result, name))
        for bar in group:
            native = bar.variant is variants.NATIVE
            kernel = describe.engine(result, "native")[1] if native else variants.tiled(bar.one.kernel)
            _bar(axes, at + _BAR / 2, bar, kernel)
            at += _BAR
        at += _GAP
    return figure


def _work(groups: dict[str, list[Bar]]) -> str:
    """What was multiplied: a dot product, or matrices too, whose weights are elsewhere."""
    places = dict.fromkeys(bar.one.level for group in groups.values() for bar in group)
    where = ", matrices in ".join(map(describe.level, places))
    n = next(iter(groups.values()))[0].one.n
    return f"Q4_0 x Q8_0 dot products of {n:,}, weights in {where}"


def _name(axes: Axes, at: float, name: str, compiler: str) -> None:
    """The engine, beside its first bar."""
    place, left = (0, at + _BAR / 2), -72 * (_LEFT - 0.1)
    charts.beside(axes, name, place, left, weight="bold")
    charts.beside(axes, compiler, place, left, -13, size=8, color=charts.QUIET)


def _bar(axes: Axes, at: float, bar: Bar, name: str) -> None:
    ratio = bar.ratio
    axes.barh(at, ratio.value, 0.78 * _BAR, color=bar.variant.colour)
    axes.plot(ratio.drawn, (at, at), color=charts.INK, linewidth=1, solid_capstyle="butt")
    charts.beside(axes, bar.label, (0, at), -6, ha="right")
    end = (max(ratio.drawn[1], ratio.value), at)
    charts.beside(axes, f"{ratio.value:.1f}\N{MULTIPLICATION SIGN}", end, 5, weight="bold")
    # These two stand in columns, as far from the bar's start as the axes are wide.
    column, edge = 72 * (charts.WIDTH - _LEFT - _KERNEL), 72 * (charts.WIDTH - _LEFT - 0.1)
    charts.beside(axes, name, (0, at), column, size=7.5, color=charts.QUIET)
    charts.beside(
        axes, f"{bar.one.summary.median:,.0f} ns", (0, at), edge, size=8, color=charts.QUIET, ha="right"
    )


def says(data: Data) -> str:
    """How fast the fastest kernels are."""
    sentences = []
    for name, group in bars(data.kernels).items():
        bar = {bar.variant: bar for bar in group}
        native, published = bar.pop(variants.NATIVE, None), bar.get(variants.PUBLISHED)
        top = max(bar.values(), key=lambda bar: bar.ratio.value)
        text = f"In {name}, `{variants.short(top.one.kernel)}` is {_times(top.ratio)} times as fast as scalar code"
        if published and published is not top:
            text += f" and {_times(top.one.times_as_fast_as(published.one))} times as fast as the published SIMD kernel"
        if native:
            text += f"; native GGML is {_times(native.ratio)} times as fast as that scalar code"
        sentences.append(f"{text}.")
    return " ".join((*sentences, "In brackets: 95% intervals."))


def _times(ratio: Ratio) -> str:
    sure = f" ({ratio.low:.1f} to {ratio.high:.1f})" if ratio.interval else ""
    return f"{ratio.value:.1f}{sure}"
