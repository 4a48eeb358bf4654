"""Full verification of candidates: what is shipped runs in every engine, so it must be right in every one at hand."""

from __future__ import annotations

from collections.abc import Sequence

from codegen import engines
from codegen.engines.report import EngineError
from codegen.kernels.spec import KernelSpec
from codegen.verify import vectors
from codegen.verify.kernel import verify_kernel

ENGINES = (
    *("wasmtime-deterministic", "wasmtime-strict", "wasmtime-sse2"),
    *("node", "node-noavx", "deno", "bun"),
)
"""Where the conformance vectors run too, as far as they are here: those that need neither a window nor an emulator."""


def failures(specs: Sequence[KernelSpec]) -> dict[KernelSpec, str]:
    """Why kernels fail, of those that do: first `codegen verify`, then the conformance vectors in ENGINES.

    Raises:
        EngineError: an engine crashed or hung.
    """
    reports = {spec: verify_kernel(spec) for spec in specs}
    found = {spec: report.failures[0] for spec, report in reports.items() if not report.passed}
    right = [spec for spec in specs if spec not in found]
    here = [one for one in engines.discover() if one.launch and one.name in ENGINES]
    if not right or not here:
        return found
    matrix = engines.run_matrix(vectors.job(right), here)
    by_name = {spec.name: spec for spec in right}
    for engine in matrix.reports:
        if engine.error:
            raise EngineError(f"engine {engine.name}: {engine.error}")
        for kernel in engine.kernels:
            if kernel.failure:
                found.setdefault(by_name[kernel.name], f"{engine.name}: {kernel.failure}")
    for difference in matrix.differences:
        names = ", ".join(difference.engines)
        found.setdefault(
            by_name[difference.kernel], f"{names}: other bits in {difference.case} than elsewhere"
        )
    return found
