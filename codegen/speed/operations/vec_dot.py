"""How vec_dot is timed: every row with every column, a call each."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.spec import KernelSpec
from codegen.speed.bench.entry import Buffer, Entry, product_buffers, product_output
from codegen.speed.bench.problem import Problem
from codegen.verify.dot.model import F32, results, terms


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module with the loop that calls it (templates/lib/timed/vec_dot.wat.j2)."""
    x = Buffer("x", problem.bytes, problem.pattern)
    y = Buffer("y", problem.columns * problem.y_step, problem.y)
    share = 0  # one column for all rows
    arguments = (
        problem.rows,
        problem.columns,
        problem.n,
        "s",
        "x",
        problem.x_step,
        "y",
        share,
        problem.y_step,
    )
    return Entry(
        spec.name,
        spec.isa,
        wasm,
        product_buffers(problem, x, y),
        arguments,
        problem.units,
        product_output(problem, bits(spec, problem)),
        spec.export,
    )


def bits(spec: KernelSpec, problem: Problem) -> npt.NDArray[np.uint32]:
    """The f32 bits that a kernel must give, shape (distinct columns, distinct rows)."""
    plan = dot_plan(spec)
    return np.stack([results(plan, column) for column in _terms(problem)]).view(np.uint32)


@lru_cache(maxsize=4)
def _terms(problem: Problem) -> list[F32]:
    """Of each distinct column the terms of all its products, shape (blocks, distinct rows)."""
    rows = problem.pattern.reshape(problem.distinct, problem.x_step)
    columns = problem.y.reshape(problem.distinct_columns, problem.y_step)
    return [np.stack([terms(row, column, problem.block) for row in rows], axis=1) for column in columns]
