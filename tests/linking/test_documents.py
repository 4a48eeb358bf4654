"""Commands of the README and of docs/linking.md, run as written there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT, environment
from tests.linking.programs import run_wasi

pytestmark = pytest.mark.needs("c")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples, and `codegen` on its PATH."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    program = tmp_path / "bin" / "codegen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m codegen "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run_block(text: str, folder: Path) -> None:
    """All commands of a console block."""
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
        done = subprocess.run(
            line, shell=True, cwd=folder, env=environment(PATH=path), capture_output=True, text=True
        )
        assert done.returncode == 0, (line, done.stderr)


def blocks_of(document: str) -> list[str]:
    return re.findall(r"```console\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


def test_the_readmes_c_block(folder: Path) -> None:
    (block,) = (one for one in blocks_of("README.md") if "clang" in one)
    run_block(block, folder)
    out, _ = run_wasi(folder / "build" / "products.wasm", bytes(12))
    assert out == b""


def test_the_commands_of_the_document(folder: Path) -> None:
    for block in blocks_of("docs/linking.md"):
        run_block(block, folder)
    made = {path.name for path in (folder / "build").iterdir()}
    assert {"libggmlwat.a", "ggmlwat.h", "products.wasm", "ours.wasm"} <= made
