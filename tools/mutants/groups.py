"""All mutants, in groups: those by opcode of each contract, and those that are written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from tools.mutants.bench import BENCH
from tools.mutants.javascript import JAVASCRIPT
from tools.mutants.linking import LINKING
from tools.mutants.memories import MEMORIES
from tools.mutants.modules import MODULES
from tools.mutants.mutant import Mutant
from tools.mutants.opcode_mutants import drawn, kernels
from tools.mutants.plans import PLANS
from tools.mutants.ranges import RANGES
from tools.mutants.run import RUN

WRITTEN: dict[str, Sequence[Mutant]] = {
    "modules": MODULES,
    "plans": PLANS,
    "ranges": RANGES,
    "memories": MEMORIES,
    "bench": BENCH,
    "run": RUN,
    "linking": LINKING,
    "javascript": JAVASCRIPT,
}
"""Those that are written by hand, by group."""


def groups(only: str, each: int, seed: str) -> Iterator[tuple[str, list[Mutant]]]:
    """Groups of mutants.

    Args:
        only: what their names have in them.
        each: how many mutants of each; all where it has fewer.
        seed: which ones.
    """
    for contract, specs in kernels().items():
        if only in contract:
            yield contract, list(islice(drawn(specs, Random(f"{seed} {contract}")), each))
    for name, mutants in WRITTEN.items():
        if only in name:
            yield name, Random(f"{seed} {name}").sample(mutants, min(each, len(mutants)))
