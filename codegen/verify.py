"""A kernel against its oracle and its contract: what is common to all operations, and where each one's checks are."""

from __future__ import annotations

from itertools import islice

import wasmtime

from codegen.assemble import assemble
from codegen.cost import Cost, cost
from codegen.errors import CodegenError
from codegen.judge import Report
from codegen.module_contract import check_module
from codegen.plan import plan
from codegen.render import render
from codegen.runtime import Instance
from codegen.spec import KernelSpec


def verify(spec: KernelSpec) -> Report:
    """Renders, assembles and verifies a kernel.

    Raises:
        AssembleError: its text does not assemble.
    """
    return verify_wasm(spec, assemble(render(spec)))


def verify_wasm(spec: KernelSpec, wasm: bytes, most: int | None = None) -> Report:
    """Verifies bytes that claim to be a kernel of this spec, to the end or until so many checks have failed."""
    try:
        report = Report(spec.name, cost(wasm, plan(spec).main_loop))
    except CodegenError as error:
        return Report(spec.name, Cost(0, 0, 0, 0, len(wasm)), failures=[str(error)])
    try:
        report.failures += check_module(Instance(spec, wasm))
        report.failures += islice(spec.operation.stage("verification").check(spec, wasm, report), most)
    except (wasmtime.WasmtimeError, CodegenError) as error:
        report.failures.append(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
    return report
