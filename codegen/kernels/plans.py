"""From a spec to the numbers of its kernel, whatever its operation."""

from __future__ import annotations

from collections.abc import Callable

from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.mul_mat.plan import mul_mat_plan
from codegen.kernels.pack_activations.plan import pack_activations_plan
from codegen.kernels.plan import Plan
from codegen.kernels.quantize_row.plan import quantize_row_plan
from codegen.kernels.repack.plan import repack_plan
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import matrix_plan

_PLANS: dict[str, Callable[[KernelSpec], Plan]] = {
    "vec_dot": dot_plan,
    "quantize_row": quantize_row_plan,
    "pack_activations": pack_activations_plan,
    "repack": repack_plan,
    "gemv": matrix_plan,
    "gemm": matrix_plan,
    "mul_mat": mul_mat_plan,
}


def make_plan(spec: KernelSpec) -> Plan:
    """The numbers of a kernel; a pure function of its spec."""
    return _PLANS[spec.op](spec)
