"""What the bootstrap of .venv says where it cannot make one: one line each, and no traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with what the bootstrap reads."""
    root = tmp_path / "project"
    (root / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "bootstrap.py", root / "tools")
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def refused(project: Path) -> str:
    """The line on standard error."""
    command = [sys.executable, project / "tools" / "bootstrap.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("bootstrap: ")
    return line


def test_a_checkout_that_this_user_may_not_write_to(project: Path) -> None:
    project.chmod(0o555)
    if os.access(project, os.W_OK):
        pytest.skip("this user may write anywhere")
    assert f"{project}/.venv" in (line := refused(project))
    assert "Permission denied; make this folder one that you may write to" in line


@pytest.mark.skipif(os.name != "posix", reason="needs flock")
def test_something_else_in_the_place_of_the_lock(project: Path) -> None:
    (project / ".venv.lock").mkdir()
    assert f"{project / '.venv.lock'}: Is a directory; " in refused(project)


def test_something_else_in_the_place_of_the_environment(project: Path) -> None:
    (project / ".venv").write_text("not a folder")
    assert f"{project / '.venv'}" in refused(project)


def test_a_checkout_without_its_project_file(project: Path) -> None:
    (project / "pyproject.toml").unlink()
    assert f"{project / 'pyproject.toml'}: No such file" in refused(project)


def test_a_python_without_pip_for_environments(project: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import subprocess, venv\n"
        "def create(*_, **__): raise subprocess.CalledProcessError(1, ['ensurepip'])\n"
        "venv.create = create\n"
    )
    command = [sys.executable, project / "tools" / "bootstrap.py"]
    environment = {**os.environ, "PYTHONPATH": str(broken)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (
        2, "bootstrap: this Python has no pip for a .venv; on Debian and Ubuntu: apt install python3-venv\n"
    )  # fmt: skip
