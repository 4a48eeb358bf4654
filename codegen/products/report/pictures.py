"""The list of the report's pictures. To add one, add a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

from codegen.products.report import growth, length, limit, matrix, speed, sweep, working_set
from codegen.products.report.data import Data
from codegen.speed import charts


@dataclass(frozen=True)
class Picture:
    """A picture, and what it shows.

    Attributes:
        file: its name, of an SVG file.
        title: the heading above it.
        draw: gives the figure, or None where the data has nothing to show.
        says: gives one or two sentences with the data's numbers in them, where there is a figure.
        tables: gives Markdown that stands below them.
    """

    file: str
    title: str
    draw: Callable[[Data], Figure | None]
    says: Callable[[Data], str]
    tables: Callable[[Data], list[str]] = lambda _data: []

    def svg(self, data: Data) -> bytes | None:
        """The file's bytes, the same each time; None where the data has nothing to show."""
        with charts.style():
            figure = self.draw(data)
            return charts.svg(figure) if figure else None


PICTURES = (
    Picture("main.svg", "Speed", speed.draw, speed.says),
    Picture("matrix.svg", "Products of matrices", matrix.draw, matrix.says, matrix.tables),
    Picture("rows.svg", "Number of rows", growth.draw_rows, growth.says_rows, growth.table_rows),
    Picture("columns.svg", "Number of columns", growth.draw_columns, growth.says_columns, growth.table_columns),
    Picture(
        "elements.svg", "Length of the rows of matrices",
        growth.draw_elements, growth.says_elements, growth.table_elements,
    ),
    Picture("limit.svg", "What is left", limit.draw, limit.says),
    Picture("heatmap.svg", "Unrolling and accumulators", sweep.draw, sweep.says),
    Picture("length.svg", "Length of the rows", length.draw, length.says),
    Picture("workingset.svg", "Where the weights live", working_set.draw, working_set.says),
)  # fmt: skip
