"""A sweep as a picture: speed by unroll and accumulators, or by tile, a panel for each choice of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codegen.base.errors import InputError
from codegen.base.output import require_writable, write_file
from codegen.kernels.operations import OPERATIONS, Operation
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tuning import Candidate, ContractTuning, rivals_of
from codegen.spec.options import OPTIONS, Memory, default
from codegen.spec.strategies import Isa

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = "cividis"
"""Even in lightness, and made to look the same to the colour-blind."""

_CELL = (0.62, 0.36)
"""Inches."""


def require(path: Path) -> None:
    """Says before a sweep of minutes why there could be no heatmap after it.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be an SVG file.
    """
    _require_matplotlib()
    if path.suffix != ".svg":
        raise InputError(f"heatmap {path}: is drawn as SVG; give it a name that ends in .svg")
    require_writable(path)


def _require_matplotlib() -> None:
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise InputError("heatmap: needs matplotlib; pip install 'ggml-wat[report]'") from None


def heatmap(tuning_contract: ContractTuning, path: Path, title: str = "") -> bool:
    """Draws the candidates of a contract as an SVG file; the same candidates give the same bytes.

    Every candidate's times as fast as scalar stands in a cell, whose element has the kernel's name as id; the best of
    each ISA is framed. Colours run from the slowest to the fastest of an ISA. Cells without a candidate are blank.

    Args:
        tuning_contract: what to draw.
        path: the file.
        title: what stands on top, after the contract's name.

    Returns:
        Whether the file is new or different.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    _require_matplotlib()
    from codegen.speed import charts

    with charts.style():
        drawn = charts.svg(figure(tuning_contract, title))
    return write_file(path, drawn)


def figure(swept: ContractTuning, title: str) -> Figure:
    """The picture, to be drawn in any style; matplotlib must be there."""
    from matplotlib.figure import Figure

    specs = [one.spec for one in swept.candidates]
    operation = specs[0].operation if specs else OPERATIONS["vec_dot"]
    across = next((name for name in ("scales", "activations") if name in operation.options), "memory")
    down = [name for name in operation.options if name != across]
    kinds = sorted({_kind(spec, down) for spec in specs}, key=lambda kind: _order(operation, down, kind))
    columns = tuple(OPTIONS[across]) if across in operation.options else (Memory.EXPORT,)
    xs, ys = (sorted({_place(spec)[axis] for spec in specs}) for axis in (0, 1))
    size = len(columns) * len(xs) * _CELL[0] + 2.4, len(kinds) * (len(ys) * _CELL[1] + 0.75) + 0.6
    whole = Figure(figsize=size, layout="constrained")
    contract = rivals_of(specs[0]) if specs else "nothing tried"
    many = f", {swept.columns} columns" if swept.columns > 1 else ""
    whole.suptitle(
        " ".join(filter(None, (f"{contract}, n = {swept.n}, {swept.level}{many}: times scalar.", title)))
    )
    grid = whole.subplots(max(1, len(kinds)), len(columns), squeeze=False)
    for row, kind in zip(grid, kinds, strict=False):
        isa, strategy, options = kind
        scale = _scale(
            [c.x_scalar for c in swept.candidates if c.x_scalar and not c.failed and c.spec.isa is isa]
        )
        for axes, value in zip(row, columns, strict=True):
            shown = [
                c
                for c in swept.candidates
                if _kind(c.spec, down) == kind and getattr(c.spec, across) is value
            ]
            if shown:
                words = (isa, strategy, *(one for one in options if one is not default(type(one))))
                last = "" if across == "memory" else f", {value} {across}"
                axes.set_title(f"{', '.join(words)}{last}")
                _panel(axes, shown, swept, xs, ys, scale)
            else:
                axes.set_axis_off()
        whole.colorbar(scale, ax=list(row), label="x scalar", format="%.1f")
    return whole


_Kind = tuple[Isa, str, tuple[Any, ...]]
"""ISA, strategy and options of the kernels in a row of panels."""


def _kind(spec: KernelSpec, options: Sequence[str]) -> _Kind:
    return spec.isa, spec.strategy, tuple(getattr(spec, name) for name in options)


def _order(operation: Operation, names: Sequence[str], kind: _Kind) -> tuple[int, ...]:
    """Strategies and options as they are listed."""
    isa, strategy, options = kind
    strategies = [(one.isa, one.name) for one in operation.strategies]
    places = (tuple(OPTIONS[name]).index(one) for name, one in zip(names, options, strict=True))
    return strategies.index((isa, strategy)), *places


def _place(spec: KernelSpec) -> tuple[int, int]:
    """Where a kernel's cell is in its panel."""
    return spec.tile or (spec.unroll, spec.accumulators)


def _scale(values: Sequence[float]) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(min(values, default=0), max(values, default=1)), _COLOURS)


def _panel(
    axes: Axes,
    shown: Sequence[Candidate],
    swept: ContractTuning,
    xs: Sequence[int],
    ys: Sequence[int],
    scale: Any,
) -> None:
    from matplotlib.patches import Rectangle

    x, y = ("rows", "columns") if shown[0].spec.tile else ("unroll", "accumulators")
    axes.set(xlim=(0, len(xs)), ylim=(0, len(ys)), xlabel=x, ylabel=y)
    axes.set_xticks([i + 0.5 for i in range(len(xs))], [str(one) for one in xs])
    axes.set_yticks([i + 0.5 for i in range(len(ys))], [str(one) for one in ys])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for one in shown:
        place = _place(one.spec)
        corner = xs.index(place[0]), ys.index(place[1])
        right = one.x_scalar is not None and one.failed is None
        colour = scale.to_rgba(one.x_scalar) if right else (1, 1, 1, 1)
        best = one.spec in swept.best.values()
        edge = {"edgecolor": "black", "linewidth": 2, "zorder": 2} if best else {"edgecolor": "white"}
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=colour, gid=one.spec.name, **edge))
        words = f"{one.x_scalar:.2f}" if right else "failed"
        light = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] > 0.5
        middle = corner[0] + 0.5, corner[1] + 0.5
        weight = "bold" if best else "normal"
        ink = "black" if light else "white"
        axes.text(*middle, words, ha="center", va="center", color=ink, weight=weight, zorder=3)
