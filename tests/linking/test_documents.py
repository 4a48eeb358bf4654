"""Commands of the README and of docs/linking.md, run as written there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import ROOT
from tests.linking.documents import blocks_of, run_block
from tests.linking.programs import run_wasi

pytestmark = pytest.mark.needs("c")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def test_the_readmes_c_block(folder: Path) -> None:
    (block,) = (one for one in blocks_of("README.md", "console") if "clang" in one)
    run_block(block, folder)
    out, _ = run_wasi(folder / "build" / "products.wasm", bytes(12))
    assert out == b""


def test_the_commands_of_the_document(folder: Path) -> None:
    for block in blocks_of("docs/linking.md", "console"):
        if "emcmake" not in block:  # test_cmake.py
            run_block(block, folder)
    made = {path.name for path in (folder / "build").iterdir()}
    assert {"libggmlwat.a", "ggmlwat.h", "products.wasm", "ours.wasm"} <= made
