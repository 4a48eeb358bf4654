"""Commands of documents, run as written there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.cli.command import ROOT, environment


def blocks_of(document: str, language: str) -> list[str]:
    """The blocks of code of a language."""
    text = (ROOT / document).read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def write_program(folder: Path, name: str, command: str) -> None:
    """A program for the PATH of `run_block`, which runs a command of the shell."""
    program = folder / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\nexec {command}\n")
    program.chmod(0o755)


def run_block(text: str, folder: Path) -> str:
    """Runs all commands of a console block in a folder; what they wrote to standard output.

    `codegen` and what `write_program` made are on the PATH.
    """
    write_program(folder, "codegen", f'"{sys.executable}" -m codegen "$@"')
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    said = []
    for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
        done = subprocess.run(
            line, shell=True, cwd=folder, env=environment(PATH=path), capture_output=True, text=True
        )
        assert done.returncode == 0, (line, done.stderr)
        said.append(done.stdout)
    return "".join(said)
