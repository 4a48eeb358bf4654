"""Tests of the tests: faults in kernels and in the program, one at a time, and what notices each.

    make mutants                          # 60 of each group, all that are written by hand among them
    make mutants EACH=12 SEED=$(git rev-parse HEAD)      # a sample, another one for each seed

`verify` must notice a fault in a kernel, and the tests that are named with it one in the program. A kernel that loops
forever is noticed by its time running out. The exit status is 1 if a mutant survives that is written by hand, or
more of a hundred drawn ones than --may-survive says: these may make no difference in a way that no rule in
equivalent.py knows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from codegen.base.output import tracked
from tools.mutants.groups import WRITTEN, groups
from tools.mutants.outcome import Outcome, run


def main() -> int:
    """Runs mutants; an exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", default="", help="groups whose name has this in it")
    parser.add_argument("--each", metavar="N", type=int, default=60, help="mutants of a group (default 60)")
    parser.add_argument("--seed", metavar="TEXT", default="0", help="draws other mutants (default 0)")
    parser.add_argument(
        "--may-survive", metavar="N", type=float, default=0, help="of a hundred drawn mutants (default 0)"
    )
    options = parser.parse_args()
    chosen = [
        (group, mutant)
        for group, mutants in groups(options.only, options.each, options.seed)
        for mutant in mutants
    ]
    if not chosen:
        parser.error(f"--only {options.only}: in no group's name; leave it out")
    with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:  # tests also wait for programs
        outcomes = list(pool.map(run, tracked([mutant for _, mutant in chosen], "mutants")))
    found = [(group, outcome) for (group, _), outcome in zip(chosen, outcomes, strict=True)]
    for line in table(found):
        print(line)
    survivors = [outcome for outcome in outcomes if not outcome.caught]
    for outcome in survivors:
        print(f"mutants: {outcome.mutant.name} survives; a check is missing: {outcome.how}", file=sys.stderr)
    print(f"{len(outcomes) - len(survivors)} passed, {len(survivors)} failed")
    drawn = [outcome for group, outcome in found if group not in WRITTEN]
    lost = sum(not outcome.caught for outcome in drawn)
    by_hand = len(survivors) - lost
    return 1 if by_hand or 100 * lost > options.may_survive * len(drawn) else 0


def table(found: Sequence[tuple[str, Outcome]]) -> Iterator[str]:
    """Each group with what noticed its mutants, a line each, and how many there are."""
    for group in dict.fromkeys(group for group, _ in found):
        outcomes = [outcome for each, outcome in found if each == group]
        yield f"{group}: {sum(outcome.caught for outcome in outcomes)} of {len(outcomes)} noticed"
        for outcome in outcomes:
            yield f"  {outcome.mutant.name}: {outcome.how}"


if __name__ == "__main__":
    sys.exit(main())
