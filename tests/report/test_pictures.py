"""The pictures: what they show, that nothing in them is cut off or covered, and that they are the same each time."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from codegen import Isa
from codegen.kernels import registry
from codegen.products.report import variants
from codegen.products.report.data import Data
from codegen.products.report.pictures import PICTURES, Picture
from codegen.speed import charts
from tests.cli.command import ROOT
from tests.report.runs import NS, RELAXED, data, measurement, run, texts

pytestmark = pytest.mark.slow

MAIN, MATRIX, ROWS, COLUMNS, ELEMENTS, LIMIT, HEATMAP, LENGTH, WORKING_SET = PICTURES
OF_RUNS = tuple(picture for picture in PICTURES if picture is not HEATMAP)
"""Those that are drawn from runs; the heatmap is of the tuning files that are shipped."""

COMMITTED = ROOT / "docs" / "report" / "data"


def svg(picture: Picture, shown: Data) -> bytes:
    drawn = picture.svg(shown)
    assert drawn
    return drawn


def test_the_main_picture_has_a_bar_for_each_variant_of_each_engine_with_its_ratio_and_time() -> None:
    found = texts(svg(MAIN, data()))
    for label in ("scalar", "published SIMD", "ours, SIMD", "ours, relaxed SIMD"):
        assert found.count(label) == 2
    assert found.count("8.0\N{MULTIPLICATION SIGN}") == 2
    assert found.count("250 ns") == 2
    assert found.count("relaxed_u4") == 2
    assert {"wasmtime 50.0.1", "node 24.19.0", "native GGML", "AVX2", "10.0\N{MULTIPLICATION SIGN}"} <= set(
        found
    )


def test_native_is_told_against_the_first_engine_only() -> None:
    slow_node = [measurement(kernel, "node", 10 * ns) for kernel, ns in NS.items()]
    mixed = [*data(engines=("wasmtime", "native")).kernels.measurements, *slow_node]
    found = texts(svg(MAIN, replace(data(), kernels=run(mixed))))
    assert found.count("native GGML") == 1
    assert "10.0\N{MULTIPLICATION SIGN}" in found
    assert found.count("8.0\N{MULTIPLICATION SIGN}") == 2


def test_the_fastest_kernel_of_a_variant_is_shown() -> None:
    names = {"relaxed_u1": 300.0, "relaxed-dot32_u4": 240.0}
    more = [measurement(f"vec_dot_q4_0_q8_0__{name}", "node", ns) for name, ns in names.items()]
    both = data(engines=("node",))
    found = texts(svg(MAIN, replace(both, kernels=run([*both.kernels.measurements, *more]))))
    assert "relaxed-dot32_u4" in found
    assert not {"relaxed_u4", "relaxed_u1"} & set(found)


def test_the_tuned_kernel_of_an_engine_is_shown_though_another_was_faster_this_time() -> None:
    tuned = next(spec for spec in registry.select(tuned="v8") if spec.isa is Isa.RELAXED)
    both = data(engines=("node",))
    more = [*both.kernels.measurements, measurement(tuned.name, "node", 260)]
    found = texts(svg(MAIN, replace(both, kernels=run(more))))
    assert variants.short(tuned.name) in found
    assert "relaxed_u4" not in found


def test_the_limit_picture_names_every_kernel_and_what_it_reaches() -> None:
    found = texts(svg(LIMIT, data()))
    assert {variants.short(kernel) for kernel in NS} <= set(found)
    assert [found.count(share) for share in ("10%", "20%", "80%")] == [2, 2, 2]
    assert found.count("50%") == 2 * 2  # simd128_u4, and the axis


@pytest.mark.parametrize("picture", [LENGTH, WORKING_SET], ids=lambda picture: picture.file)
def test_lines_name_every_kernel_once_and_every_engine(picture: Picture) -> None:
    found = texts(svg(picture, data()))
    for kernel in NS:
        assert found.count(variants.short(kernel)) == 1
    assert {"wasmtime 50.0.1", "node 24.19.0"} <= set(found)


def test_lines_are_where_the_numbers_are() -> None:
    with charts.style():
        length, levels = LENGTH.draw(data()), WORKING_SET.draw(data())
    assert length
    assert levels
    lines = {line.get_color(): line for line in length.axes[0].lines}
    assert list(lines[variants.RELAXED.colour].get_xdata()) == [256, 1024, 4096]
    assert list(lines[variants.RELAXED.colour].get_ydata()) == pytest.approx([250 / 128] * 3)
    lines = {line.get_color(): line for line in levels.axes[0].lines}
    # 4,096 weights are 128 blocks of 18 bytes.
    assert list(lines[variants.RELAXED.colour].get_ydata()) == pytest.approx([128 * 18 / 250, 128 * 18 / 500])
    assert [text.get_text() for text in levels.axes[0].get_xticklabels()] == ["L1\n22 KiB", "memory\n22 KiB"]


def test_a_variant_has_its_colour_in_every_picture() -> None:
    for picture in (MAIN, LIMIT, LENGTH, WORKING_SET):
        for variant in (variants.SCALAR, variants.PUBLISHED, variants.SIMD, variants.RELAXED):
            assert variant.colour.encode() in svg(picture, data()), picture.file


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_the_bytes_are_the_same_each_time_whatever_the_users_settings_are(picture: Picture) -> None:
    first = svg(picture, data())
    with matplotlib.rc_context({"font.size": 20, "svg.fonttype": "path", "axes.facecolor": "black"}):
        assert svg(picture, data()) == first
    assert b"dc:date" not in first
    assert matplotlib.__version__.encode() not in first


def visible(figure: Figure) -> list[tuple[str, object]]:
    """Text and its box on the page, in the font that it is laid out for."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    beyond = set()  # matplotlib keeps labels of ticks that it does not draw
    for axis in [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]:
        low, high = sorted(axis.get_view_interval())
        beyond |= {tick.label1 for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high}
    found = [
        one for one in figure.findobj(Text) if one.get_visible() and one.get_text() and one not in beyond
    ]
    return [(one.get_text(), one.get_window_extent(canvas.get_renderer())) for one in found]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
@pytest.mark.parametrize("source", ["made by hand", "committed"])
def test_no_text_is_cut_off_or_covers_another(picture: Picture, source: str) -> None:
    shown = Data.load(COMMITTED) if source == "committed" else data()
    with charts.style():
        figure = picture.draw(shown)
        assert figure
        boxes = visible(figure)
    page = figure.bbox
    for text, box in boxes:
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        assert inside, f"{text!r} is cut off"
    for (one, a), (other, b) in combinations(boxes, 2):
        apart = a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
        assert apart, f"{one!r} and {other!r} cover each other"


def test_a_kernel_that_was_wrong_is_in_no_picture() -> None:
    shown = data(engines=("wasmtime",), wrong={(RELAXED, "wasmtime"): "computes something else"})
    for picture in (MAIN, LIMIT, LENGTH, WORKING_SET):
        assert "relaxed_u4" not in texts(svg(picture, shown))


def test_pictures_that_have_nothing_to_show_are_none() -> None:
    empty = data(engines=())
    assert [picture.svg(empty) for picture in OF_RUNS] == [None] * len(OF_RUNS)
    only_native = data(engines=("native",))
    assert (MAIN.svg(only_native), LIMIT.svg(only_native)) == (None, None)
