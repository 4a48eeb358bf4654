"""How matrix products are timed: one call computes them all, and the module repeats it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from codegen.formats import Q8_0
from codegen.formats.layouts import GROUP_ROWS, interleaved_bytes
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import record_of
from codegen.oracle.matrix import interleave, prepare
from codegen.speed.bench import ggml_layouts
from codegen.speed.bench.entry import Buffer, Entry, product_buffers, product_output
from codegen.speed.bench.native_functions import GEMM, GEMV
from codegen.speed.bench.problem import U8, Problem
from codegen.verify.tile.model import F32, products


def entry(spec: KernelSpec, wasm: bytes, problem: Problem) -> Entry:
    """A kernel in a module that repeats its call (templates/lib/timed/call.wat.j2)."""
    record = record_of(spec)
    prepared = np.frombuffer(prepare(problem.y, record), np.uint8)
    y = Buffer("y", problem.columns * Q8_0.blocks(problem.n) * record.bytes, prepared)
    return matrix_entry(spec, wasm, problem, y)


def matrix_entry(spec: KernelSpec, wasm: bytes, problem: Problem, y: Buffer, *work: Buffer) -> Entry:
    """Any matrix kernel: its weights are interleaved, its activations as told."""
    values: dict[str, int | str] = {
        "n": problem.n,
        "s": "s",
        "bs": problem.rows,
        "vx": "x",
        "vy": "y",
        "by": y.bytes // problem.columns,
        "nr": problem.columns,
        "nc": problem.rows,
        "work": "work",
    }
    return Entry(
        spec.name,
        spec.isa,
        wasm,
        (*product_buffers(problem, _weights(problem), y), *work),
        tuple(values[name] for name, _ in spec.parameters),
        problem.units,
        product_output(problem, _expected(problem)),
        GEMV if problem.columns % ggml_layouts.COLUMNS else GEMM,
    )


def _weights(problem: Problem) -> Buffer:
    return Buffer("x", interleaved_bytes(problem.rows, problem.n), interleaved(problem))


@lru_cache(maxsize=4)
def interleaved(problem: Problem) -> U8:
    """Weights, 4 rows together, up to where groups and distinct rows begin again at once; they repeat."""
    rows = min(problem.rows, math.lcm(problem.distinct, GROUP_ROWS))
    repeated = np.resize(problem.pattern, rows * problem.x_step)
    return np.frombuffer(interleave(repeated, rows, problem.n), np.uint8)


@lru_cache(maxsize=4)
def _expected(problem: Problem) -> F32:
    return products(problem.pattern, problem.y, problem.distinct, problem.distinct_columns, problem.n)
