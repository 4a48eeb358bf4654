"""The picture of what short rows cost: nanoseconds a block against the length of the rows."""

from __future__ import annotations

from matplotlib.figure import Figure

from codegen.products.report import describe, lines, variants
from codegen.products.report.data import Data
from codegen.speed.bench.result import Measurement


def draw(data: Data) -> Figure | None:
    """Lines over lengths, both axes logarithmic; None where nothing was measured."""
    result = data.lengths
    if not result.right:
        return None
    figure, panels = lines.panels(
        result,
        lines.of_kernels(result),
        (
            "Time a block of 32 weights, by length of the rows",
            f"{describe.work(result.right)}, {describe.processor(result)}; less is faster; shaded: quartiles",
        ),
        "ns a block",
        _place,
    )
    lengths = sorted({one.n for one in result.right})
    for axes in panels.values():
        lines.logarithmic(axes, lengths, lengths[::2], "weights a row")
        lines.logarithmic_y(axes)
    return figure


def _place(one: Measurement) -> lines.Point:
    blocks = one.n / 32
    summary = one.summary
    return lines.Point(one.n, one.per_block, summary.low / blocks, summary.high / blocks)


def says(data: Data) -> str:
    """What the fastest kernel of each engine takes in the shortest and the longest rows."""
    result = data.lengths
    each = []
    for name in describe.engines(result):
        mine = [one for one in result.right if one.engine == name]
        top = min(mine, key=lambda one: one.per_block).kernel
        points = sorted((one for one in mine if one.kernel == top), key=lambda one: one.n)
        times = " and ".join(
            f"{one.per_block:.1f} ns in rows of {one.n:,}" for one in (*points[:1], *points[1:][-1:])
        )
        who = variants.short(top) if name == "native" else f"`{variants.short(top)}` in {name}"
        each.append(f"{who} takes {times}")
    return f"For a block of 32 weights, {'; '.join(each)}. The call into the kernel is in every figure."
