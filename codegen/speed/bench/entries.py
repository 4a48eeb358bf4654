"""A kernel in a module with the loop that calls it, whatever its operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.render.text import render_plan
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.frozen import Frozen, Timed
from codegen.speed.bench.problem import Problem
from codegen.speed.operations import gemm as matrix
from codegen.speed.operations import mul_mat, pack_activations, quantize_row, repack
from codegen.speed.operations import vec_dot as dot
from codegen.wasm.assemble import assemble

_ENTRIES: dict[str, Callable[[KernelSpec, bytes, Problem], Entry]] = {
    "vec_dot": dot.entry,
    "quantize_row": quantize_row.entry,
    "pack_activations": pack_activations.entry,
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
