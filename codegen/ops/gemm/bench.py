"""How matrix products are timed: one call computes them all, and the module repeats it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from codegen.bench import ggml_layouts
from codegen.bench.entry import Buffer, Entry, product_buffers, product_output
from codegen.bench.native_functions import GEMM, GEMV
from codegen.bench.problem import U8, Problem, Work
from codegen.bench.usual import Usual
from codegen.formats import Q8_0
from codegen.layouts import GROUP_ROWS
from codegen.ops.gemm.model import F32, products
from codegen.ops.gemm.plan import PANEL, record_of
from codegen.reference_matrix import interleave, prepare
from codegen.spec import KernelSpec

_ROWS = 16
"""Rows of the largest tile, and of two groups of native GGML's."""

USUAL = {
    "gemv": Usual(Work.PRODUCTS, level="l2", multiple=_ROWS),
    "gemm": Usual(Work.PRODUCTS, level="l2", columns=PANEL, multiple=_ROWS),
}


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module that repeats its call (templates/lib/timed/call.wat.j2)."""
    y = prepare(problem.y, record_of(spec))
    record = record_of(spec).bytes * Q8_0.blocks(problem.n)
    values: dict[str, int | str] = {
        "n": problem.n,
        "s": "s",
        "bs": problem.rows,
        "vx": "x",
        "vy": "y",
        "nr": problem.columns,
        "nc": problem.rows,
    }
    return Entry(
        spec.name,
        spec.isa,
        wasm,
        product_buffers(
            problem,
            _weights(problem),
            Buffer("y", record * problem.columns, np.frombuffer(y, np.uint8)),
        ),
        tuple(values[name] for name, _ in spec.operation.parameters),
        problem.units,
        product_output(problem, _expected(problem)),
        GEMV if problem.columns % ggml_layouts.COLUMNS else GEMM,
    )


def _weights(problem: Problem) -> Buffer:
    groups = -(-problem.rows // GROUP_ROWS)
    return Buffer("x", groups * GROUP_ROWS * problem.x_step, _interleaved(problem))


@lru_cache(maxsize=4)
def _interleaved(problem: Problem) -> U8:
    """As many rows as are whole groups, and begin again after them: the last group's alone may be left open."""
    rows = min(problem.rows, math.lcm(problem.distinct, GROUP_ROWS))
    repeated = np.resize(problem.pattern, rows * problem.x_step)
    return np.frombuffer(interleave(repeated, rows, problem.n), np.uint8)


@lru_cache(maxsize=4)
def _expected(problem: Problem) -> F32:
    return products(problem.pattern, problem.y, problem.distinct, problem.distinct_columns, problem.n)
