"""A kernel against its oracle and its contract: what is common to all operations, and where each one's checks are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from codegen.base.errors import CannotRunError, CodegenError
from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.render.text import render_kernel
from codegen.runtime.instance import Instance
from codegen.verify.dot import verification as dot
from codegen.verify.module_contract import check_module
from codegen.verify.mul_mat import verification as mul_mat
from codegen.verify.pack_activations import verification as pack_activations
from codegen.verify.quantize_row import verification as quantize_row
from codegen.verify.repack import verification as repack
from codegen.verify.report import Report
from codegen.verify.tile import verification as matrix
from codegen.wasm.assemble import assemble
from codegen.wasm.cost import Cost, cost
from codegen.wasm.wasmtime_library import wasmtime

Check = Callable[[KernelSpec, bytes, Report], Iterator[str]]

_CHECKS: dict[str, Check] = {
    "vec_dot": dot.check,
    "quantize_row": quantize_row.check,
    "pack_activations": pack_activations.check,
    "repack": repack.check,
    "gemv": matrix.check,
    "gemm": matrix.check,
    "mul_mat": mul_mat.check,
}
"""What checks an operation's results and its contract, beside what all modules have in common."""


def verify_kernel(spec: KernelSpec) -> Report:
    """Renders, assembles and verifies a kernel.

    Raises:
        AssembleError: its text does not assemble.
        CannotRunError: wasmtime is not here, or has not the memory that the checks need.
    """
    return verify_wasm(spec, assemble(render_kernel(spec)))


def verify_wasm(spec: KernelSpec, wasm: bytes, most: int | None = None) -> Report:
    """Verifies bytes that claim to be a kernel of this spec, to the end or until so many checks have failed.

    Raises:
        CannotRunError: as `verify`.
    """
    try:
        report = Report(spec.name, cost(wasm, make_plan(spec).main_loop))
    except CodegenError as error:
        return Report(spec.name, Cost(0, 0, 0, 0, len(wasm)), failures=[str(error)])
    try:
        report.failures += check_module(Instance(spec, wasm))
        report.failures += islice(_CHECKS[spec.op](spec, wasm, report), most)
    except CannotRunError:
        raise
    except (wasmtime.WasmtimeError, CodegenError) as error:
        report.failures.append(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
    return report
