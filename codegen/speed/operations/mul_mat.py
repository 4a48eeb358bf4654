"""How mul_mat is timed: f32 activations and scratch memory, one call repeated."""

from __future__ import annotations

import numpy as np

from codegen.formats import Q8_0
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import PANEL, record_of
from codegen.speed.bench.entry import Buffer, Entry
from codegen.speed.bench.problem import F32_BYTES, Problem
from codegen.speed.operations.gemm import matrix_entry


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module that repeats its call (templates/lib/timed/call.wat.j2)."""
    values = np.ascontiguousarray(problem.values).reshape(-1).view(np.uint8)
    y = Buffer("y", problem.columns * F32_BYTES * problem.n, values)
    column = Q8_0.blocks(problem.n) * record_of(spec).bytes
    return matrix_entry(spec, wasm, problem, y, Buffer("work", min(problem.columns, PANEL) * column))
