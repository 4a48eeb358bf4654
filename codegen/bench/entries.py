"""A kernel in a module with the loop that calls it, whatever its operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from codegen.bench.entry import Entry
from codegen.bench.frozen import Frozen, Timed
from codegen.bench.problem import Problem
from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.ops.gemm import bench as matrix
from codegen.ops.mul_mat import bench as mul_mat
from codegen.ops.quantize_mat import bench as quantize_mat
from codegen.ops.quantize_row import bench as quantize_row
from codegen.ops.repack import bench as repack
from codegen.ops.vec_dot import bench as dot
from codegen.render.text import render_plan
from codegen.wasm.assemble import assemble

_ENTRIES: dict[str, Callable[[KernelSpec, bytes, Problem], Entry]] = {
    "vec_dot": dot.entry,
    "quantize_row": quantize_row.entry,
    "quantize_mat": quantize_mat.entry,
    "repack": repack.entry,
    "gemv": matrix.entry,
    "gemm": matrix.entry,
    "mul_mat": mul_mat.entry,
}


def kernel_entry(spec: Timed, problem: Problem) -> Entry:
    """A kernel in a module with the loop that calls it, its operands, and what it must compute."""
    if isinstance(spec, Frozen):
        return replace(_ENTRIES[spec.alike.op](spec.alike, spec.wasm, problem), name=spec.name)
    wasm = assemble(render_plan(make_plan(spec), timed=True))
    return replace(_ENTRIES[spec.op](spec, wasm, problem), memory=spec.memory)
