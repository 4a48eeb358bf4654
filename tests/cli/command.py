"""Runs the command line as people do: another process, another folder, whatever the tests' own environment is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "generated"

Call = Callable[..., subprocess.CompletedProcess[str]]
"""Takes the words of a command line: the fixture `call`."""

# What a caller's environment would change: CI refuses bless, make passes its variables on, rich looks for colours.
_UNWANTED = (
    "CI",
    "COLUMNS",
    "FORCE_COLOR",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MFLAGS",
    "PYTHON",
    "UNROLL",
    "VENV_BIN",
)


def copy_of_project(folder: Path) -> Path:
    """The project's sources in a folder of their own, for tests that change them."""
    for name in ("codegen", "js", "templates", "tuning", "tools", "generated", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("LICENSE", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return folder


def environment(source: Path = ROOT, **extra: str) -> dict[str, str]:
    """The environment of a child that imports `codegen` from `source`."""
    kept = {
        k: v for k, v in os.environ.items() if k not in _UNWANTED and not k.startswith(("PYTHON", "GIT_"))
    }
    return {**kept, "PYTHONPATH": str(source), "PYTHONUTF8": "1", **extra}


def arguments(*words: str | Path) -> list[str]:
    """The command line of a call."""
    return [sys.executable, "-m", "codegen", *map(str, words)]


def codegen(
    *words: str | Path, cwd: Path, status: int | None = 0, source: Path = ROOT, **extra: str
) -> subprocess.CompletedProcess[str]:
    """Runs `codegen WORDS` in `cwd`; its exit status must be `status`, which None leaves open."""
    done = subprocess.run(
        arguments(*words),
        cwd=cwd,
        env=environment(source, **extra),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert status in (None, done.returncode), done.stdout[-2000:] + done.stderr[-2000:]
    return done


def assert_refused(done: subprocess.CompletedProcess[str], *named: str) -> None:
    """Exit status 2, nothing on standard output, and one line on standard error that names the thing."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert_one_line(done.stderr, *named)


def assert_one_line(text: str, *named: str) -> None:
    """One printable line of the program's own that has all these words."""
    assert text.startswith("codegen: "), text
    assert text.endswith("\n"), text
    assert text[:-1].isprintable(), text
    for name in named:
        assert name in text


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
