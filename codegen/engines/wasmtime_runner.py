"""Runs one job in wasmtime: `python -m codegen.engines.wasmtime_runner CONFIGURATION JOB` prints the report.

The counterpart of runner.mjs; both must check the same things. No run is hot here: wasmtime compiles once.
"""

from __future__ import annotations

import base64
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from codegen.base.errors import CannotRunError
from codegen.engines.report import Failure, SubjectReport
from codegen.engines.wasmtime_configs import wasmtime_engine
from codegen.engines.wasmtime_target import POISON, Target, high_pages, pages
from codegen.verify.job import Case, Job, KernelEntry, OpcodeCase, cases_of
from codegen.wasm.wasmtime_library import wasmtime

# By feature, an ISA or a memory, the smallest module that needs it: where it validates, the engine has the feature.
FEATURES = {
    "scalar": ("WebAssembly", "(module)"),
    "export": ("WebAssembly", "(module)"),
    "import": ("WebAssembly", "(module)"),
    "simd128": ("SIMD", "(module (func (param v128)))"),
    "relaxed": (
        "relaxed SIMD",
        "(module (func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0)))))",
    ),
    "shared": ("threads", "(module (memory 0 1 shared))"),
    "memory64": ("64-bit memories", "(module (memory i64 0))"),
}


def run_job(engine: wasmtime.Engine, job: Job) -> dict[str, Any]:
    """Runs all kernels and opcodes; the report as JSON."""
    kernels = [
        _report_on(
            engine,
            kernel["name"],
            (kernel["isa"], kernel["memory"]),
            len(cases),
            partial(_run_kernel, engine, kernel, cases),
        )
        for kernel, cases in ((kernel, cases_of(job, kernel)) for kernel in job["kernels"])
    ]
    opcodes = [
        _report_on(engine, opcode["name"], (opcode["requires"],), 1, partial(_run_opcode, engine, opcode))
        for opcode in job["opcodes"]["cases"]
    ]
    name = f"wasmtime {version('wasmtime')} ({platform.machine()})"
    return {"engine": name, "kernels": kernels, "opcodes": opcodes}


def _report_on(
    engine: wasmtime.Engine,
    name: str,
    features: tuple[str, ...],
    cases: int,
    run: Callable[[SubjectReport], None],
) -> dict[str, Any]:
    """Skipped where the engine lacks one of the features, else what `run` puts into the report."""
    report = SubjectReport(name, cases)
    for label, probe in (FEATURES[feature] for feature in features):
        try:
            wasmtime.Module.validate(engine, wasmtime.wat2wasm(probe))
        except wasmtime.WasmtimeError:
            report.cases, report.skipped = 0, f"the engine has no {label}"
            return asdict(report)
    try:
        run(report)
    except (wasmtime.WasmtimeError, wasmtime.Trap, KeyError, AssertionError) as error:
        reason = " ".join(str(error).split()) or "it does not export what it should"
        _fail(report, "load", reason, "a module that loads")
    return asdict(report)


def _fail(report: SubjectReport, case: str, got: str, expected: str) -> None:
    report.failure = report.failure or Failure(case, got, expected, "cold")


def _run_kernel(
    engine: wasmtime.Engine, kernel: KernelEntry, cases: list[Case], report: SubjectReport
) -> None:
    module = wasmtime.Module(engine, base64.b64decode(kernel["wasm"]))
    small = Target(engine, module, kernel, pages(cases))
    any_high = any(case.get("place") == "high" for case in cases)
    big = Target(engine, module, kernel, high_pages(kernel)) if any_high else small
    for case in cases:
        outcome = (big if case.get("place") == "high" else small).run(case)
        report.results.append(outcome.result)
        if outcome.expected:
            _fail(report, case["name"], outcome.got, outcome.expected)
        else:
            report.passed += 1


def _run_opcode(engine: wasmtime.Engine, opcode: OpcodeCase, report: SubjectReport) -> None:
    store = wasmtime.Store(engine)
    module = wasmtime.Module(engine, bytes.fromhex(opcode["wasm"]))
    exports = wasmtime.Instance(store, module, []).exports(store)
    memory, run, hot = exports["memory"], exports["run"], exports["hot"]
    assert isinstance(memory, wasmtime.Memory)
    assert isinstance(run, wasmtime.Func)
    assert isinstance(hot, wasmtime.Func)
    legal = [opcode["result"], *opcode.get("alternatives", [])]
    for i, operand in enumerate(opcode["operands"]):
        memory.write(store, bytes.fromhex(operand), 16 * i)
    for compute in (partial(run, store), partial(hot, store, 1)):
        memory.write(store, bytes([POISON] * 16), 48)
        compute()
        got = memory.read(store, 48, 64).hex()
        report.results.append(got)
        if got not in legal:
            _fail(report, opcode["name"], got, " or ".join(legal))
    report.passed = 0 if report.failure else 1


def main(configuration: str, job_file: str) -> None:
    """Prints the report of one job."""
    job: Job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    try:
        print(json.dumps(run_job(wasmtime_engine(configuration), job)))
    except CannotRunError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
