"""How pack_activations is timed: one call prepares all columns, and the module repeats it."""

from __future__ import annotations

from codegen.formats import Q8_0
from codegen.kernels.spec import KernelSpec
from codegen.oracle.matrix import prepare
from codegen.speed.bench.entry import Buffer, Entry, Output
from codegen.speed.bench.native_functions import QUANTIZE
from codegen.speed.bench.problem import Problem


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module that repeats its call (templates/lib/timed/call.wat.j2)."""
    record = spec.record
    assert record, "all kernels of pack_activations make records"
    line = Q8_0.blocks(problem.n) * record.bytes
    made = prepare(problem.y, record)
    columns = tuple(made[start : start + line] for start in range(0, len(made), line))
    return Entry(
        spec.name,
        spec.isa,
        wasm,
        (Buffer("s", problem.rows * line), Buffer("x", problem.bytes, problem.pattern)),
        (problem.n, "s", "x", problem.x_step, problem.rows),
        problem.units,
        Output("s", problem.rows, line, columns, item=1, names=("row", "byte")),
        QUANTIZE,
    )
