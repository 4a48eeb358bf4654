"""Chromium and Firefox, headless: a page on the loopback interface runs the job and sends the report back.

A browser needs no driver for that, so neither playwright nor puppeteer has to be there. Only the loopback
interface can be reached from the page.
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from codegen.engines.engine import RUNNER, Engine
from codegen.engines.pages import ISOLATED, Site, serve
from codegen.engines.process import run_command, start, stop
from codegen.engines.report import EngineError

REPORT = b"""import { runJob } from "./runner.mjs";
export const report = async () => runJob(await (await fetch("job.json")).json());
"""

# The proxy for all but the loopback interface, a port that nothing listens on: no start-up ping gets out.
CLOSED = 9

CHROMIUM_OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    f"--proxy-server=127.0.0.1:{CLOSED}",
)

FIREFOX_PREFERENCES = {
    "app.normandy.enabled": "false",
    "browser.aboutwelcome.enabled": "false",
    "browser.shell.checkDefaultBrowser": "false",
    "browser.startup.homepage_override.mstone": '"ignore"',
    "datareporting.policy.dataSubmissionEnabled": "false",
    "dom.max_script_run_time": "0",
    "network.proxy.http": '"127.0.0.1"',
    "network.proxy.http_port": str(CLOSED),
    "network.proxy.share_proxy_settings": "true",
    "network.proxy.ssl": '"127.0.0.1"',
    "network.proxy.ssl_port": str(CLOSED),
    "network.proxy.type": "1",
    "termsofuse.bypassNotification": "true",
    "toolkit.telemetry.reportingpolicy.firstRun": "false",
}

Command = Callable[[str, Path, str], list[str | Path]]
"""The command line for a program, a new profile folder and an address."""


def _chromium(program: str, profile: Path, url: str) -> list[str | Path]:
    # As root there is no sandbox to be had.
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [program, *CHROMIUM_OPTIONS, *sandbox, f"--user-data-dir={profile}", url]


def _firefox(program: str, profile: Path, url: str) -> list[str | Path]:
    lines = [f'user_pref("{key}", {value});' for key, value in FIREFOX_PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [program, "--headless", "--no-remote", "--profile", profile, url]


BROWSERS: dict[str, tuple[tuple[str, ...], Command]] = {
    "chromium": (("chromium", "chromium-browser", "google-chrome"), _chromium),
    "firefox": (("firefox-esr", "firefox"), _firefox),
}


# Chromium's V8 has 1 TiB of addresses for all memories of a process, of which each reserves 8 GiB.
MEMORIES = {"chromium": 100}


def find_browser(name: str) -> str | None:
    """The program of a browser, from the PATH."""
    return next(filter(None, map(shutil.which, BROWSERS[name][0])), None)


def discover_browsers() -> list[Engine]:
    """Chromium and Firefox."""
    return [_engine(name, command) for name, (_, command) in BROWSERS.items()]


def _engine(name: str, command: Command) -> Engine:
    program = find_browser(name)
    if program is None:
        return Engine(name, missing=f"not found: python -m codegen.engines.install {name}")
    return Engine(name, partial(_launch, program, command), memories=MEMORIES.get(name))


def _launch(program: str, command: Command, job_file: Path, timeout: float) -> str:
    version = re.search(r"[A-Z][A-Za-z ]+ [\d.]+\w*", run_command([program, "--version"], timeout=60))
    files = {
        "report.mjs": REPORT,
        "runner.mjs": RUNNER.read_bytes(),
        "job.json": job_file.read_bytes(),
    }
    report = _show(program, command, Site(files, ISOLATED), timeout)
    return json.dumps({**report, "engine": version[0] if version else report["engine"]})


def show(name: str, site: Site, timeout: float) -> dict[str, Any]:
    """The report of a page in a browser of that name; EngineError where it is not here or sends none."""
    program = find_browser(name)
    if program is None:
        raise EngineError(f"not found: python -m codegen.engines.install {name}")
    return _show(program, BROWSERS[name][1], site, timeout)


def _show(program: str, command: Command, site: Site, timeout: float) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="codegen-", ignore_cleanup_errors=True) as folder,
        serve(site) as (url, reports),
        Path(folder, "log").open("wb") as log,
    ):
        profile = Path(folder, "profile")
        profile.mkdir()
        # Caches and lock files go where they are removed with the rest, not into the user's home.
        process = start(command(program, profile, url), {"HOME": folder}, log.fileno())
        try:
            report = _wait(process, reports, timeout)
        except EngineError as error:
            last = Path(folder, "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise EngineError(": ".join([str(error), *last])) from None
        finally:
            stop(process)
    if "error" in report:
        raise EngineError(report["error"])
    return report


def _wait(process: subprocess.Popen[str], reports: queue.Queue[bytes], timeout: float) -> dict[str, Any]:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        with suppress(queue.Empty):
            report: dict[str, Any] = json.loads(reports.get(timeout=0.2))
            return report
        if process.poll() is not None:
            raise EngineError(f"ended with status {process.returncode} and sent no report")
    raise EngineError(f"no report after {timeout:g} s, try with fewer kernels or cases")
