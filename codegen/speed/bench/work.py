"""How much a kernel does for one product or row, by what limits it."""

from __future__ import annotations

from codegen.formats import Q8_0
from codegen.kernels.plans import make_plan
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.frozen import Frozen, Timed
from codegen.speed.bench.limits import Unit, unit_of
from codegen.speed.bench.problem import Problem
from codegen.wasm.cost import main_loop


def work(spec: Timed, entry: Entry, problem: Problem) -> dict[Unit, float]:
    """Operations by unit, as the loops have them, and bytes that must arrive however often they are used."""
    found: dict[Unit, float] = {Unit.MEMORY: problem.x_step / problem.columns}
    ours = spec.alike if isinstance(spec, Frozen) else spec
    for loop, columns in make_plan(ours).loops(problem.columns):
        turns = Q8_0.blocks(problem.n) / loop.blocks * columns / problem.columns
        for opcode in main_loop(entry.wasm, loop):
            if unit := unit_of(opcode):
                found[unit] = found.get(unit, 0.0) + turns
    return found
