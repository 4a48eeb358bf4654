from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from codegen.engines.report import EngineError
from codegen.products.page.build import build, install_packages
from codegen.products.page.serve import server
from tests import needs

Serve = Callable[..., str]
"""Takes a folder and what `server` takes; the address of it."""


@pytest.fixture(scope="session")
def packages() -> Path:
    """npm's packages; without npm, or where it reaches no registry, there is no page to test."""
    needs.require("npm")
    try:
        return install_packages()
    except EngineError as error:
        pytest.skip(f"the page's packages: {error}")


@pytest.fixture(scope="session")
def site(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, built once."""
    folder = tmp_path_factory.mktemp("page") / "dist"
    build(folder)
    return folder


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def begin(folder: Path, *, isolated: bool = True) -> str:
            serving = stack.enter_context(server(folder, 0, isolated=isolated))
            stack.callback(serving.shutdown)
            threading.Thread(target=serving.serve_forever, daemon=True).start()
            return f"http://127.0.0.1:{serving.server_port}/"

        yield begin
