"""What becomes of a mutant: verification or tests notice it, or it survives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.mutant import BrokenMutantError, KernelMutant, Mutant, ProgramMutant, replace_text
from tools.mutants.verifier import Verifier

TESTS_TIMEOUT_S = 180
PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = ("codegen", "templates", "tuning", "tests", "tools", "generated", "examples", "js")
FILES = ("pyproject.toml", "LICENSE", "README.md")
"""What tests of a copy of the project need of it."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant, and the first thing that noticed it."""

    mutant: Mutant
    caught: bool
    how: str


def run(mutant: Mutant) -> Outcome:
    """Runs one mutant in a process of its own."""
    try:
        found = _failures(mutant) if isinstance(mutant, KernelMutant) else failed_tests(mutant)
    except TimeoutError:
        return Outcome(mutant, True, "time ran out")
    except BrokenMutantError as broken:
        return Outcome(mutant, False, f"the mutant itself is broken: {broken}")
    return Outcome(mutant, bool(found), found[0] if found else "nothing noticed it")


_OWN = threading.local()
"""The verifier of each thread."""


def _failures(mutant: KernelMutant) -> list[str]:
    wasm = mutant.wasm()
    if not hasattr(_OWN, "verifier"):
        _OWN.verifier = Verifier()
    verifier: Verifier = _OWN.verifier
    return verifier.failures(mutant.spec, wasm)


def failed_tests(mutant: ProgramMutant) -> list[str]:
    """The first of the mutant's tests that fails on a copy of the project that has its fault."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in FOLDERS:
            # With what Python has compiled: copies keep the times that tell whether that is current.
            shutil.copytree(PROJECT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in FILES:
            shutil.copy(PROJECT / name, root)
        replace_text(root / mutant.file, mutant.old, mutant.new)
        words = ["-m", "", "-x", "--no-header", "--tb=no", "-rfE", "-p", "no:cacheprovider", *mutant.tests]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *words],
                cwd=root,
                env={**os.environ, "PYTHONPATH": folder},
                capture_output=True,
                text=True,
                timeout=TESTS_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BrokenMutantError(f"its tests take longer than {TESTS_TIMEOUT_S} s") from None
        if done.returncode not in (0, 1):
            raise BrokenMutantError(
                f"pytest, exit status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
            )
        if not re.search(r"\d+ (?:passed|failed|error)", done.stdout):
            raise BrokenMutantError("its tests are skipped here: make engines")
        return re.findall(r"^(?:FAILED|ERROR) \S+/(\S+?)(?:\[| - |$)", done.stdout, re.MULTILINE)
