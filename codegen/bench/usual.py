"""What each operation is timed on where nobody says otherwise, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.bench.problem import Problem, Work
from codegen.operations import OPERATIONS
from codegen.spec import KernelSpec
from codegen.strategies import Isa


@dataclass(frozen=True)
class Usual:
    """An operation's usual problem, by its name in `USUAL` of codegen/ops/<operation>/bench.py.

    Attributes:
        work: what it does; operations of the same work can stand in one table.
        level: where its rows live, one of machine.LEVELS.
        columns: of activations.
        multiple: what the number of rows is a multiple of, where there are as many: whole tiles, of native code too.
    """

    work: Work
    level: str = "l1"
    columns: int = 1
    multiple: int = 1


def usual(op: str) -> Usual:
    """What an operation is timed on."""
    found: Usual = OPERATIONS[op].stage("bench").USUAL[op]
    return found


def problem_at(op: str, n: int, level: str | None = None) -> Problem:
    """An operation's usual problem with rows of n elements, at its usual level or another."""
    one = usual(op)
    return Problem.at(n, level or one.level, one.columns, one.work, multiple=one.multiple)


_PLAINEST = {
    Work.PRODUCTS: KernelSpec(Isa.SCALAR),
    Work.QUANTISE: KernelSpec(Isa.SCALAR, op="quantize_row", x="q8_0", y=""),
}


def baseline(work: Work) -> KernelSpec | None:
    """The plainest scalar kernel that does it, which speed is told against; None where there is none."""
    return _PLAINEST.get(work)
