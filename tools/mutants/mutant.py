"""What a mutant is, and short ways to write one down."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codegen.ops.vec_dot.plan import Block, DotPlan, Group
from codegen.plan import Plan
from codegen.strategies import Constant


@dataclass(frozen=True)
class Mutant:
    """One fault: text replaced once in a template, or numbers changed in a plan, and the kernels that have it.

    A kernel without a contract in its name is one of vec_dot.

    Or text replaced in a file of the program, by its path, and the tests that must notice.
    """

    name: str
    kernels: tuple[str, ...]
    file: str = ""
    old: str = ""
    new: str = ""
    plan: Callable[[Any], Plan] | None = None
    tests: tuple[str, ...] = ()


def text(name: str, kernels: str, file: str, old: str, new: str) -> Mutant:
    """A fault in a template."""
    return Mutant(name, tuple(kernels.split()), f"{file}.wat.j2", old, new)


def code(name: str, tests: str, file: str, old: str, new: str) -> Mutant:
    """A fault in the program."""
    return Mutant(name, (), file, old, new, tests=tuple(tests.split()))


def number(name: str, kernels: str, change: Callable[[DotPlan], DotPlan]) -> Mutant:
    """A fault in a plan."""
    return Mutant(name, tuple(kernels.split()), plan=change)


def last_block(change: Callable[[Block], Block]) -> Callable[[DotPlan], DotPlan]:
    """Changes the last block of the unrolled loop."""

    def changed(plan: DotPlan) -> DotPlan:
        *groups, group = plan.groups
        blocks = (*group.blocks[:-1], change(group.blocks[-1]))
        return replace(plan, groups=(*groups, replace(group, blocks=blocks)))

    return changed


def constant(name: str, was: str, value: str) -> Callable[[DotPlan], DotPlan]:
    """Changes what a constant vector has in its lanes."""

    def change(one: Constant) -> Constant:
        changed = replace(one, value=re.sub(rf"(?<= ){re.escape(was)}(?=[ )])", value, one.value))
        assert changed != one, f"${name} has no lane {was}"
        return changed

    return lambda plan: replace(
        plan, constants=tuple(change(c) if c.name == name else c for c in plan.constants)
    )


def tail(change: Callable[[Block], Block]) -> Callable[[DotPlan], DotPlan]:
    """Changes the block of the loop that the unrolled one leaves the rest to."""
    return lambda plan: replace(plan, last=Group((change(plan.last.blocks[0]),), accumulator=0))


FRAME, SCALES, SUMS = "vec_dot_q4_0_q8_0", "lib/scales", "lib/sums"
PACKED, ARITHMETIC, OVERFLOW = (f"lib/scale_vectors/{n}" for n in ("packed", "arithmetic", "overflow"))
SHUFFLE, NARROW = "lib/fold/shuffle", "lib/fold/narrow"
LOADS, MUL, DOT, DOT16, DOT32 = (f"lib/product/{n}" for n in ("loads", "mul", "dot", "dot16", "dot32"))
SWIZZLE, WIDEN = "lib/product/swizzle", "lib/product/widen"
EXTMUL, ARTICLE, GROUP = "lib/product/extmul", "lib/product/article", "lib/group"
