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
        print(
            f"bootstrap: Python {sys.version.split()[0]} is too old; put Python 3.11 or later first in PATH"
        )
        return 2
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()
    with locked():
        if STAMP.is_file() and STAMP.read_text() == wanted and PYTHON.exists():
            return 0
        print(f"bootstrap: installing into {VENV.name} ...", flush=True)
        STAMP.unlink(missing_ok=True)
        venv.create(VENV, with_pip=True, clear=not PYTHON.exists())
        install = [
            str(PYTHON),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-e",
            ".[dev]",
        ]
        if subprocess.call(install, cwd=ROOT):
            print(
                "bootstrap: pip failed, see above; check the network or the package index and run make again"
            )
            return 2
        STAMP.write_text(wanted)
    return 0


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
