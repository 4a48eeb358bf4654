from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from codegen.base.errors import InputError
from codegen.kernels.spec import KernelSpec
from codegen.speed.tune import heatmap
from tests.tunings import SWEPT, candidate, sweep_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("drawn") / "map.svg"
    assert heatmap.heatmap(SWEPT, path, "an engine")
    return path


def test_the_same_candidates_give_the_same_bytes(drawn: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.svg"
    heatmap.heatmap(SWEPT, again, "an engine")
    assert again.read_bytes() == drawn.read_bytes()
    assert not heatmap.heatmap(SWEPT, again, "an engine")
    assert b"date" not in drawn.read_bytes().lower()


def test_every_candidate_has_a_cell_and_there_is_no_other(drawn: Path) -> None:
    ids = re.findall(r'id="(vec_dot[^"]*)"', drawn.read_text())
    assert sorted(ids) == sorted(one.spec.name for one in SWEPT.candidates)


def test_every_cell_is_labelled_and_text_is_text(drawn: Path) -> None:
    texts = [one.text for one in ElementTree.parse(drawn).iter(f"{SVG}text")]
    assert [texts.count(label) for label in ("6.00", "failed", "9.00", "2.00")] == [1, 2, 1, 1]
    assert {"relaxed, dot16, arithmetic scales", "simd128, dot, overflow scales", "accumulators"} <= set(
        texts
    )
    assert "vec_dot_q4_0_q8_0, n = 4096, l1: times scalar. an engine" in texts


def test_faster_and_slower_have_other_colours(drawn: Path) -> None:
    fills = {}
    for group in ElementTree.parse(drawn).iter(f"{SVG}g"):
        if str(group.get("id")).startswith("vec_dot"):
            (path,) = group.iter(f"{SVG}path")
            fills[group.get("id")] = re.search(r"fill: (#\w+)", path.get("style", ""))[1]  # type: ignore[index]
    slow, ours, failed = (
        fills[f"vec_dot_q4_0_q8_0__{name}"]
        for name in ("simd128-extmul_u1", "simd128_u2_overflow", "relaxed_u8")
    )
    assert len({slow, ours, failed}) == 3
    assert failed == "#ffffff"


def test_kernels_with_tiles_lie_by_rows_and_columns_of_the_tile(tmp_path: Path) -> None:
    names = (
        "gemm_q4_0_q8_0_4x2__relaxed_u1",
        "gemm_q4_0_q8_0_16x8__relaxed_u1_broadcast",
        "gemm_q4_0_q8_0_8x4__relaxed-dot32_u1_rolled",
        "gemm_q4_0_q8_0_8x1__simd128_u1_output",
    )
    specs = [KernelSpec.parse(name) for name in names]
    swept = replace(sweep_of(*(candidate(one, 9.0) for one in specs), best=specs[:1]), columns=32)
    heatmap.heatmap(swept, tmp_path / "map.svg")
    drawn = tmp_path / "map.svg"
    assert sorted(re.findall(r'id="(gemm[^"]*)"', drawn.read_text())) == sorted(names)
    texts = [one.text for one in ElementTree.parse(drawn).iter(f"{SVG}text")]
    assert {"rows", "columns", "gemm_q4_0_q8_0, n = 4096, l1, 32 columns: times scalar."} <= set(texts)
    assert [text for text in texts if text and ("simd128" in text or "relaxed" in text)] == [
        "simd128, dot, output, compact activations",
        "relaxed, dot16, compact activations",
        "relaxed, dot16, broadcast activations",
        "relaxed, dot32, rolled, compact activations",
    ]


def test_a_sweep_of_nothing_is_drawn_too(tmp_path: Path) -> None:
    assert heatmap.heatmap(sweep_of(), tmp_path / "map.svg")


@pytest.mark.parametrize("name", ["map.png", "map", "folder.svg", "file/map.svg"])
def test_a_path_that_cannot_be_is_refused_before_the_work(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=re.escape(name)):
        heatmap.require(tmp_path / name)
    heatmap.require(tmp_path / "new" / "folder" / "map.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.svg"]


def test_without_matplotlib_the_mend_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"pip install .*\[report\]"):
        heatmap.require(tmp_path / "map.svg")
