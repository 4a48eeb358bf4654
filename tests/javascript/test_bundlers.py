"""The package in bundlers' output, without settings: right results on two threads."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codegen.engines import browsers
from codegen.engines.install import find_npm_set
from codegen.engines.pages import ISOLATED, Site, folder
from codegen.engines.process import run_command, start, stop
from tests import needs
from tests.javascript.packages import PROGRAMS, TIMEOUT

SOURCES = Path(__file__).with_name("bundling")

bundled = pytest.mark.needs("bundlers", "node")


@pytest.fixture
def app(installed: Path, tmp_path: Path) -> Path:
    """A user's project in which the package is installed."""
    shutil.copytree(installed / "node_modules", tmp_path / "node_modules")
    for name in ("main.mjs", "report.mjs"):
        shutil.copy(SOURCES / name, tmp_path)
    (tmp_path / "index.html").write_text('<!doctype html><script type="module" src="./main.mjs"></script>')
    return tmp_path


def bundle_command(way: str) -> list[str | Path]:
    packages = find_npm_set("bundlers")
    assert packages
    return [*PROGRAMS["node"].command, SOURCES / "bundle.mjs", packages.resolve(), way]


def bundle(app: Path, way: str) -> Path:
    """The folder that a bundler wrote, moved away from the project."""
    run_command(bundle_command(way), TIMEOUT, cwd=app)
    return Path(shutil.move(app / "out", app.with_name(f"{app.name}-alone")))


def check(found: dict[str, Any]) -> None:
    assert (found["length"], found["wrong"]) == (1024, -1)
    assert (found["threads"], found.get("threadsReason")) == (2, None)


PAGES = {
    "esbuild-esm": '<script type="module" src="./main.mjs"></script>',
    "esbuild-iife": '<body><script src="./main.js"></script></body>',
    "rollup-esm": '<script type="module" src="./main.mjs"></script>',
    "webpack": '<body><script src="./main.js"></script></body>',
    "vite-7-build": None,
    "vite-8-build": None,
}
"""Each bundle's page, or None if the bundler writes one itself."""


@bundled
@pytest.mark.parametrize("way", PAGES)
@pytest.mark.parametrize("browser", needs.each("chromium"))
def test_a_bundle_in_a_page(browser: str, way: str, app: Path) -> None:
    files = folder(bundle(app, way))
    page = PAGES[way]
    files[""] = f"<!doctype html>{page}".encode() if page else files.pop("index.html")
    check(browsers.show(browser, Site(files, ISOLATED), TIMEOUT))


@contextmanager
def served(app: Path, way: str) -> Iterator[str]:
    """The address of a bundler's development server."""
    process = start(bundle_command(way), None, subprocess.PIPE, app, stderr=subprocess.DEVNULL)
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
    finally:
        stop(process)


@bundled
@pytest.mark.parametrize("way", ["vite-7-dev", "vite-8-dev"])
@pytest.mark.parametrize("browser", needs.each("chromium"))
def test_a_development_server(browser: str, way: str, app: Path) -> None:
    with served(app, way) as address:
        go = f'<script>location = "{address}?report=" + encodeURIComponent(location + "report")</script>'
        check(browsers.show(browser, Site({"": go.encode()}), TIMEOUT))


@bundled
@pytest.mark.parametrize("way", ["esbuild-esm", "esbuild-cjs", "rollup-cjs", "webpack-node"])
@pytest.mark.parametrize("name", needs.each("node", "deno", "bun"))
def test_a_bundle_as_a_program(name: str, way: str, app: Path) -> None:
    (script,) = bundle(app, way).glob("main.*")
    program = PROGRAMS[name]
    check(json.loads(run_command([*program.command, script], TIMEOUT, program.env)))


@pytest.mark.parametrize("name", needs.each("bun"))
def test_a_program_in_one_file(name: str, app: Path) -> None:
    program = app.with_name("alone") / "program"
    options = ["build", "--compile", "--outfile", program, "main.mjs"]
    run_command([*PROGRAMS[name].command, *options], TIMEOUT, cwd=app)
    shutil.rmtree(app)
    check(json.loads(run_command([program], TIMEOUT)))
