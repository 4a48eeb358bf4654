"""The table of what makes operands: quantisers and repackers."""

from __future__ import annotations

from codegen.products.report import describe
from codegen.products.report.data import Data
from codegen.speed.bench import native
from codegen.speed.bench.result import Measurement, Result
from codegen.speed.bench.usual import baseline


def table(data: Data) -> str:
    """A row a kernel, a column an engine: nanoseconds a block, and times scalar; empty where nothing was measured."""
    result = data.operands
    engines = describe.engines(result)
    if not engines:
        return ""
    cells = []
    for kernel in dict.fromkeys(one.kernel for one in result.right):
        mine = {one.engine: one for one in result.right if one.kernel == kernel}
        cells.append(
            (f"`{kernel}`", *(_cell(result, mine[name]) if name in mine else "" for name in engines))
        )
    return describe.markdown(("", *engines), cells, text=1)


def _cell(result: Result, one: Measurement) -> str:
    base = result.beside(one, baseline(one.work, one.weights).name, one.engine)
    if not base or one.engine == native.HOST:
        return f"{one.per_block:.1f}"
    return f"{one.per_block:.1f} ({one.times_as_fast_as(base).value:.1f})"


def problems(data: Data) -> str:
    """What was done, in words."""
    each = dict.fromkeys((str(one.work), one.n, one.level) for one in data.operands.right)
    return "; ".join(f"{work} of {n:,} in {describe.level(level)}" for work, n, level in each)
