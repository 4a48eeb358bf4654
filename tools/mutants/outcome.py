"""What becomes of a mutant: it is run apart, since it may hang or die, and is noticed or survives."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from codegen import KernelSpec, assemble
from codegen.plans import make_plan
from codegen.render import render_plan, template_root
from codegen.verify import verify_wasm
from tools.mutants.catalogue import MUTANTS
from tools.mutants.mutant import Mutant

TIMEOUT_S = 60
"""Of a kernel, which loops forever after that."""

TESTS_TIMEOUT_S = 180
PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = ("codegen", "templates", "tuning", "tests", "tools", "generated", "examples", "js")
FILES = ("pyproject.toml", "LICENSE", "README.md")
"""What tests of a copy of the project need of it."""

_CONTEXT = (
    multiprocessing.get_context("spawn")
    if sys.platform == "win32"
    else multiprocessing.get_context("forkserver")
)
_CONTEXT.set_forkserver_preload([__name__])
"""Processes start with everything imported: that takes longer than most mutants."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    caught: bool
    how: str


def run(mutant: Mutant) -> Outcome:
    """Runs one mutant in a process of its own."""
    try:
        found = failed_tests(mutant) if mutant.tests else _apart(mutant)
    except TimeoutError:
        return Outcome(mutant, True, "time ran out")
    except _BrokenMutantError as broken:
        return Outcome(mutant, False, f"the mutant itself is broken: {broken}")
    passes = f"{', '.join(mutant.tests) or 'verify'} passes"
    return Outcome(mutant, bool(found), found[0] if found else passes)


class _BrokenMutantError(Exception):
    """It cannot be made, or its tests cannot be run."""


def _apart(mutant: Mutant) -> list[str]:
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    child = _CONTEXT.Process(target=_report, args=(mutant.name, theirs))
    child.start()
    theirs.close()
    try:
        if not ours.poll(TIMEOUT_S):
            raise TimeoutError
        found: list[str] | str = ours.recv()
    except EOFError:
        raise _BrokenMutantError("its process died") from None
    finally:
        child.kill()
        child.join()
    if isinstance(found, str):
        raise _BrokenMutantError(found)
    return found


def _report(name: str, to: Connection) -> None:
    """Sends what verify says, or in one line why nothing could be asked."""
    try:
        to.send(failures(next(mutant for mutant in MUTANTS if mutant.name == name)))
    except Exception as error:
        to.send(str(error).strip().splitlines()[-1] if str(error) else repr(error))


def failures(mutant: Mutant) -> list[str]:
    """The first thing that verify says of the kernels that a mutant touches; none where it passes them all."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "templates"
        shutil.copytree(template_root(), root)
        if mutant.file:
            mutate(root / mutant.file, mutant)
        for name in mutant.kernels:
            spec = KernelSpec.parse(name if "__" in name else f"vec_dot_q4_0_q8_0__{name}")
            plan = make_plan(spec)
            wat = render_plan(mutant.plan(plan) if mutant.plan else plan, root)
            if found := verify_wasm(spec, assemble(wat), most=1).failures:
                return found
        return []


def failed_tests(mutant: Mutant) -> list[str]:
    """The first of the mutant's tests that fails on a copy of the project that has its fault."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in FOLDERS:
            # With what Python has compiled: copies keep the times that tell whether that is current.
            shutil.copytree(PROJECT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in FILES:
            shutil.copy(PROJECT / name, root)
        mutate(root / mutant.file, mutant)
        words = ["-x", "--no-header", "--tb=no", "-rfE", "-p", "no:cacheprovider", *mutant.tests]
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
            raise _BrokenMutantError(f"its tests take longer than {TESTS_TIMEOUT_S} s") from None
        if done.returncode not in (0, 1):
            raise _BrokenMutantError(
                f"pytest, exit status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
            )
        if not re.search(r"\d+ (?:passed|failed|error)", done.stdout):
            raise _BrokenMutantError("its tests are skipped here: make engines")
        return re.findall(r"^(?:FAILED|ERROR) \S+/(\S+?)(?:\[| - |$)", done.stdout, re.MULTILINE)


def mutate(path: Path, mutant: Mutant) -> None:
    """Replaces text in a template, which must have it."""
    text = path.read_text()
    if mutant.old not in text:
        raise _BrokenMutantError(f"{path.name} has no {mutant.old!r}: it is out of date")
    path.write_text(text.replace(mutant.old, mutant.new, 1))
