"""A sweep as a picture: speed by unroll and accumulators, a panel for each way to multiply and scale."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codegen.errors import InputError
from codegen.options import Fold, Scales
from codegen.output import require_writable, write_file
from codegen.tune.tuning import Candidate, ContractTuning

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
        raise InputError("heatmap: needs matplotlib; pip install 'ggml-wasm-codegen[report]'") from None


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
    from codegen.report import charts

    with charts.style():
        drawn = charts.svg(figure(tuning_contract, title))
    return write_file(path, drawn)


def figure(swept: ContractTuning, title: str) -> Figure:
    """The picture, to be drawn in any style; matplotlib must be there."""
    from matplotlib.figure import Figure

    tried = {(one.spec.strategy, one.spec.fold) for one in swept.candidates}
    strategies = swept.candidates[0].spec.operation.strategies if swept.candidates else ()
    kinds = [
        (strategy.isa, strategy.name, fold)
        for strategy, fold in product(strategies, Fold)
        if (strategy.name, fold) in tried
    ]
    unrolls = sorted({one.spec.unroll for one in swept.candidates})
    sums = sorted({one.spec.accumulators for one in swept.candidates})
    size = len(Scales) * len(unrolls) * _CELL[0] + 2.4, len(kinds) * (len(sums) * _CELL[1] + 0.75) + 0.6
    whole = Figure(figsize=size, layout="constrained")
    contract = swept.candidates[0].spec.contract if swept.candidates else "nothing tried"
    whole.suptitle(
        " ".join(filter(None, (f"{contract}, n = {swept.n}, {swept.level}: times scalar.", title)))
    )
    grid = whole.subplots(max(1, len(kinds)), len(Scales), squeeze=False)
    for row, (isa, strategy, fold) in zip(grid, kinds, strict=False):
        scale = _scale(
            [c.x_scalar for c in swept.candidates if c.x_scalar and not c.failed and c.spec.isa is isa]
        )
        for axes, scales in zip(row, Scales, strict=True):
            kind = (strategy, fold, scales)
            shown = [c for c in swept.candidates if (c.spec.strategy, c.spec.fold, c.spec.scales) == kind]
            if shown:
                words = (isa, strategy, *([fold] if fold is not Fold.SHUFFLE else []))
                axes.set_title(f"{', '.join(words)}, {scales} scales")
                _panel(axes, shown, swept, unrolls, sums, scale)
            else:
                axes.set_axis_off()
        whole.colorbar(scale, ax=list(row), label="x scalar", format="%.1f")
    return whole


def _scale(values: Sequence[float]) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(min(values, default=0), max(values, default=1)), _COLOURS)


def _panel(
    axes: Axes,
    shown: Sequence[Candidate],
    swept: ContractTuning,
    unrolls: Sequence[int],
    sums: Sequence[int],
    scale: Any,
) -> None:
    from matplotlib.patches import Rectangle

    axes.set(xlim=(0, len(unrolls)), ylim=(0, len(sums)), xlabel="unroll", ylabel="accumulators")
    axes.set_xticks([i + 0.5 for i in range(len(unrolls))], [str(one) for one in unrolls])
    axes.set_yticks([i + 0.5 for i in range(len(sums))], [str(one) for one in sums])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for one in shown:
        corner = unrolls.index(one.spec.unroll), sums.index(one.spec.accumulators)
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
