"""How quantize_row is timed: row after row, a call each."""

from __future__ import annotations

from codegen.kernels.spec import KernelSpec
from codegen.speed.bench.entry import Buffer, Entry, Output
from codegen.speed.bench.native_functions import QUANTIZE
from codegen.speed.bench.problem import Problem


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module with the loop that calls it (templates/lib/timed/quantize_row.wat.j2)."""
    rows = problem.y.reshape(problem.distinct, problem.y_step)
    expected = tuple(row.tobytes() for row in rows)
    return Entry(
        spec.name,
        spec.isa,
        wasm,
        (Buffer("y", problem.rows * problem.y_step), Buffer("x", problem.bytes, problem.pattern)),
        (problem.rows, "x", problem.x_step, "y", problem.y_step, problem.n),
        problem.units,
        Output("y", problem.rows, problem.y_step, expected, item=1, names=("row", "byte")),
        QUANTIZE,
    )
