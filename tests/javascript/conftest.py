from __future__ import annotations

from pathlib import Path

import pytest

from codegen.base.output import write_file
from codegen.engines.npm import npm
from codegen.engines.process import run_command
from codegen.products.javascript import package
from tests import needs

OFFLINE = ("--offline", "--no-audit", "--no-fund", "--silent", "--logs-max=0")


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The npm package, written once."""
    folder = tmp_path_factory.mktemp("js") / "dist"
    for name, data in package.files():
        write_file(folder / name, data)
    return folder


@pytest.fixture(scope="session")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder into which the packed package was installed."""
    needs.require("npm")
    command = npm()
    folder = tmp_path_factory.mktemp("packed")
    run_command([*command, "pack", *OFFLINE, "--pack-destination", folder, dist], 120)
    (tarball,) = folder.glob("ggml-wat-*.tgz")
    app = tmp_path_factory.mktemp("app")
    run_command([*command, "install", *OFFLINE, "--prefix", app, tarball], 120, cwd=app)
    return app
