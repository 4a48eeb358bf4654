"""Tests of the tests: puts realistic faults into templates and plan, one at a time, and shows what notices each.

    make mutants                          # the table; exit status 1 if a mutant survives
    python -m tools.mutants --write    # and into docs/verification.md

A mutant is a change that still assembles: what the assembler would refuse needs no test. It is noticed by
`verify`, the check that every kernel has to pass; one in the program by tests that are named with it. One that loops
forever is noticed by its time running out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from codegen import KernelSpec, assemble
from codegen.output import tracked
from codegen.plan import plan
from codegen.render import render_plan, template_root
from codegen.verify import verify_wasm
from tools.mutants.bench import BENCH
from tools.mutants.contract import CONTRACT
from tools.mutants.javascript import JAVASCRIPT
from tools.mutants.linking import LINKING
from tools.mutants.loops import LOOPS
from tools.mutants.matrix import MATRIX
from tools.mutants.matrix_walk import MATRIX_WALK
from tools.mutants.memories import MEMORIES
from tools.mutants.mutant import Mutant
from tools.mutants.prepare import PREPARE
from tools.mutants.products import PRODUCTS
from tools.mutants.quantize import QUANTIZE
from tools.mutants.ranges import RANGES
from tools.mutants.run import RUN
from tools.mutants.scales import SCALE_FAULTS
from tools.mutants.strict import STRICT
from tools.mutants.together import TOGETHER

MUTANTS = (
    *PRODUCTS,
    *STRICT,
    *SCALE_FAULTS,
    *TOGETHER,
    *LOOPS,
    *CONTRACT,
    *QUANTIZE,
    *RANGES,
    *PREPARE,
    *MATRIX,
    *MATRIX_WALK,
    *MEMORIES,
    *BENCH,
    *RUN,
    *LINKING,
    *JAVASCRIPT,
)
TIMEOUT_S = 60
PROJECT = Path(__file__).resolve().parents[2]
DOCUMENT = PROJECT / "docs" / "verification.md"
BEGIN, END = "<!-- mutants: make mutants -->", "<!-- end of mutants -->"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    caught: bool
    how: str


def main() -> int:
    """Runs all mutants, or in a process of its own just one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", metavar="NAME", help="run this one here, print what notices it as JSON")
    parser.add_argument("--only", metavar="WORD", default="", help="those whose name or file has this in it")
    parser.add_argument("--write", action="store_true", help="write the table into docs/verification.md")
    options = parser.parse_args()
    if options.one:
        mutant = next(m for m in MUTANTS if m.name == options.one)
        print(json.dumps(failed_tests(mutant) if mutant.tests else failures(mutant)))
        return 0
    if options.only and options.write:
        parser.error("--write is for all of them, without --only")
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS), "mutants need names of their own"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = [mutant for mutant in MUTANTS if options.only in f"{mutant.name} {mutant.file}"]
        outcomes = list(pool.map(run, tracked(chosen, "mutants")))
    survivors = [outcome for outcome in outcomes if not outcome.caught]
    text = "\n".join(table(outcomes))
    print(text)
    if options.write:
        before, rest = DOCUMENT.read_text().split(BEGIN)
        DOCUMENT.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")
    for outcome in survivors:
        print(f"mutants: {outcome.mutant.name} survives; a check is missing: {outcome.how}", file=sys.stderr)
    print(f"{len(outcomes) - len(survivors)} passed, {len(survivors)} failed")
    return 1 if survivors else 0


def run(mutant: Mutant) -> Outcome:
    """Runs one mutant in a process that may hang or die."""
    command = [sys.executable, "-m", "tools.mutants", "--one", mutant.name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(mutant, True, "time ran out")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return Outcome(mutant, False, f"the mutant itself is broken: {last}")
    found = json.loads(done.stdout)
    passes = f"{', '.join(mutant.tests) or 'verify'} passes"
    return Outcome(mutant, bool(found), found[0] if found else passes)


def failures(mutant: Mutant) -> list[str]:
    """The first thing that verify says of the kernels that a mutant touches; none where it passes them all."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "templates"
        shutil.copytree(template_root(), root)
        if mutant.file:
            mutate(root / mutant.file, mutant)
        for name in mutant.kernels:
            spec = KernelSpec.parse(name if "__" in name else f"vec_dot_q4_0_q8_0__{name}")
            numbers = plan(spec)
            wat = render_plan(mutant.plan(numbers) if mutant.plan else numbers, root)
            if found := verify_wasm(spec, assemble(wat), most=1).failures:
                return found
        return []


def failed_tests(mutant: Mutant) -> list[str]:
    """The first of the mutant's tests that fails on a copy of the project that has its fault."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("codegen", "templates", "tuning", "tests", "tools", "generated", "examples", "js"):
            shutil.copytree(PROJECT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "LICENSE", "README.md"):
            shutil.copy(PROJECT / name, root)
        mutate(root / mutant.file, mutant)
        words = ["-x", "--no-header", "--tb=no", "-rfE", "-p", "no:cacheprovider", *mutant.tests]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words],
            cwd=root,
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise SystemExit(
                f"pytest, exit status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
            )
        return re.findall(r"^(?:FAILED|ERROR) \S+/(\S+?)(?:\[| - |$)", done.stdout, re.MULTILINE)


def mutate(path: Path, mutant: Mutant) -> None:
    """Replaces text in a template, which must have it."""
    text = path.read_text()
    if mutant.old not in text:
        raise SystemExit(f"{path.name} has no {mutant.old!r}: the mutant is out of date")
    path.write_text(text.replace(mutant.old, mutant.new, 1))


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Markdown, a row a mutant."""
    yield "| fault | where | noticed by verify as, or by the test |"
    yield "|---|---|---|"
    for outcome in outcomes:
        where = outcome.mutant.file or "plan"
        how = outcome.how if outcome.caught else f"**survives**: {outcome.how}"
        yield f"| {outcome.mutant.name} | `{where}` | {how.replace('|', '/')} |"


if __name__ == "__main__":
    sys.exit(main())
