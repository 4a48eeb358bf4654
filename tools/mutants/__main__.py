"""Tests of the tests: realistic faults in templates, plans and the program, one at a time, and what notices each.

    make mutants                          # the table; exit status 1 if a mutant survives
    python -m tools.mutants --write    # and into docs/verification.md

A mutant is a change that still assembles: what the assembler would refuse needs no test. It is noticed by
`verify`, the check that every kernel has to pass; one in the program by tests that are named with it. A kernel that
loops forever is noticed by its time running out.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from codegen.output import tracked
from tools.mutants.catalogue import MUTANTS
from tools.mutants.outcome import PROJECT, Outcome, run

DOCUMENT = PROJECT / "docs" / "verification.md"
BEGIN, END = "<!-- mutants: make mutants -->", "<!-- end of mutants -->"


def main() -> int:
    """Runs all mutants, or some; an exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", default="", help="those whose name or file has this in it")
    parser.add_argument("--write", action="store_true", help="write the table into docs/verification.md")
    options = parser.parse_args()
    if options.only and options.write:
        parser.error("--write is for all of them, without --only")
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS), "mutants need names of their own"
    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:  # tests also wait for programs
        chosen = [mutant for mutant in MUTANTS if options.only in f"{mutant.name} {mutant.file}"]
        if not chosen:
            parser.error(f"--only {options.only}: in no mutant's name or file; leave it out")
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
