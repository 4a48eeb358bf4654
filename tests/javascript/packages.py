"""The npm package as tests have it, and engines that run a script beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codegen.engines import browsers
from codegen.engines.javascript import programs
from codegen.engines.pages import Site, folder
from codegen.engines.process import run_command

SCRIPTS = Path(__file__).with_name("scripts")

PROGRAMS = {program.name: program for program in programs()}
BROWSERS = tuple(browsers.BROWSERS)

TIMEOUT = 120


def report(
    name: str,
    site: Path,
    headers: Mapping[str, str] | None = None,
    options: tuple[str, ...] = (),
    suites: tuple[str, ...] = (),
) -> dict[str, Any]:
    """What report() of a folder's report.mjs resolves to in an engine; of some suites only on a command line."""
    if name in BROWSERS:
        return browsers.show(name, Site(folder(site), headers or {}), TIMEOUT)
    program = PROGRAMS[name]
    shutil.copy(SCRIPTS / "main.mjs", site)
    out = run_command([*program.command, *options, "main.mjs", *suites], TIMEOUT, program.env, cwd=site)
    found: dict[str, Any] = json.loads(out)
    return found


def site(at: Path, dist: Path, script: str | None = None, *scripts: str) -> Path:
    """A folder with the package in dist/, and a script as report.mjs; other scripts by their own names."""
    shutil.copytree(dist, at / "dist")
    for other in scripts:
        shutil.copy(SCRIPTS / other, at)
    if script:
        (at / "report.mjs").write_text(script)
    return at
