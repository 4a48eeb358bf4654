"""How every picture looks, and how one becomes an SVG file: the same bytes each time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH = 7.6
"""Inches of every picture, 730 pixels: what a page on GitHub shows without scaling."""

INK, QUIET, FAINT = "#1f2328", "#59636e", "#d1d9e0"
"""Of text, of what explains, and of lines that only guide the eye."""

_STYLE: dict[Any, Any] = {
    "figure.facecolor": "white",  # pages are dark for some readers
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": QUIET,
    "axes.edgecolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": QUIET,
    "ytick.labelcolor": QUIET,
    "svg.fonttype": "none",  # text stays text: small, sharp, and found by a search
    "svg.hashsalt": "ggml-wat",
}


@contextmanager
def style() -> Iterator[None]:
    """The look of this report, whatever the user's own settings of matplotlib are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def svg(figure: Figure) -> bytes:
    """The figure as a file without date or version."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def heading(figure: Figure, title: str, subtitle: str) -> None:
    """What the picture shows, in its upper left corner, 0.5 inches high."""
    height = figure.get_figheight()
    figure.text(0.1 / WIDTH, 1 - 0.1 / height, title, size=12, weight="bold", va="top")
    figure.text(0.1 / WIDTH, 1 - 0.34 / height, subtitle, size=8.5, color=QUIET, va="top")


def place(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place in inches from the upper left corner."""
    tall = figure.get_figheight()
    return figure.add_axes((left / WIDTH, 1 - (top + height) / tall, width / WIDTH, height / tall))


def beside(axes: Axes, text: str, at: tuple[float, float], x: float, y: float = 0, **style: Any) -> None:
    """Text at some points (1/72 inch) right of and above a place in the axes' data."""
    axes.annotate(text, at, (x, y), textcoords="offset points", va="center", annotation_clip=False, **style)
