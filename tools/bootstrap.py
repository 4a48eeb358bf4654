"""Makes .venv with the project and its development tools in it, once per change of pyproject.toml.

Needs nothing but Python: `make` calls it before every target. Two calls at once wait for each other, and an
interrupted one starts over, since only a finished install leaves the stamp.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "installed"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> int:
    """Brings .venv up to date; an exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whatever `python3` is runs this file
        return refuse(f"Python {sys.version.split()[0]} is too old; put Python 3.11 or later first in PATH")
    try:
        wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()
        if installed(wanted):  # no lock for that, which a checkout that nobody may write to could not have
            return 0
        with locked():
            return 0 if installed(wanted) else install(wanted)
    except OSError as error:
        return refuse(
            f"{error.filename or ROOT}: {error.strerror or error}; make this folder one that you may write to"
        )


def installed(wanted: str) -> bool:
    """Whether the last install was finished, and was this one."""
    return STAMP.is_file() and STAMP.read_text() == wanted and PYTHON.exists()


def install(wanted: str) -> int:
    """Makes .venv and installs into it; an exit status."""
    print(f"bootstrap: installing into {VENV.name} ...", flush=True)
    STAMP.unlink(missing_ok=True)
    try:
        venv.create(VENV, with_pip=True, clear=not PYTHON.exists())
    except subprocess.CalledProcessError:
        return refuse("this Python has no pip for a .venv; on Debian and Ubuntu: apt install python3-venv")
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", ".[dev]"]
    if subprocess.call(pip, cwd=ROOT):
        return refuse("pip failed, see above; check the network or the package index and run make again")
    STAMP.write_text(wanted)
    return 0


def refuse(reason: str) -> int:
    """Says in one line why there is no .venv; the exit status."""
    print(f"bootstrap: {reason}", file=sys.stderr)
    return 2


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Holds a lock on .venv.lock; on systems without flock, nothing."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (ROOT / ".venv.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
