from __future__ import annotations

from pathlib import Path

import pytest

from codegen.javascript import package
from codegen.output import write_file


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The npm package, written once."""
    folder = tmp_path_factory.mktemp("js") / "dist"
    for name, data in package.files():
        write_file(folder / name, data)
    return folder
