"""How repack is timed: one call interleaves all rows, and the module repeats it."""

from __future__ import annotations

from codegen.formats.layouts import GROUP_ROWS
from codegen.kernels.spec import KernelSpec
from codegen.oracle.matrix import interleave
from codegen.speed.bench.entry import Buffer, Entry, Output
from codegen.speed.bench.problem import Problem
from codegen.speed.operations.gemm import interleaved


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module that repeats its call (templates/lib/timed/call.wat.j2)."""
    line = GROUP_ROWS * problem.x_step
    if problem.rows % GROUP_ROWS:  # the last group is filled up, and like no other
        made = interleave(problem.x, problem.rows, problem.n)
    else:
        made = interleaved(problem).tobytes()
    groups = tuple(made[start : start + line] for start in range(0, len(made), line))
    lines = -(-problem.rows // GROUP_ROWS)
    return Entry(
        spec.name,
        spec.isa,
        wasm,
        (Buffer("s", lines * line), Buffer("x", problem.bytes, problem.pattern)),
        (problem.n, "s", "x", problem.x_step, problem.rows),
        problem.units,
        Output("s", lines, line, groups, item=1, names=("group", "byte")),
    )
