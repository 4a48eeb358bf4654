"""WebAssembly engines: which ones are here, and what the same kernels and vectors give in each of them.

`discover` finds the engines, `run_matrix` runs a job in all of them and holds them against each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from codegen.base.errors import InputError, nearest
from codegen.engines.aarch64 import CPUS, discover_aarch64
from codegen.engines.browsers import BROWSERS, discover_browsers
from codegen.engines.engine import Engine
from codegen.engines.javascript import PROGRAMS, discover_javascript
from codegen.engines.matrix import Difference, Matrix, run_matrix
from codegen.engines.report import EngineReport, Failure, SubjectReport
from codegen.engines.wasmtime_configs import CONFIGURATIONS, discover_wasmtime
from codegen.verify.job import Case, Job, KernelEntry, OpcodeCase, Opcodes, Vectors, kernel_entry

__all__ = [
    "NAMES",
    "Case",
    "Difference",
    "Engine",
    "EngineReport",
    "Failure",
    "Job",
    "KernelEntry",
    "Matrix",
    "OpcodeCase",
    "Opcodes",
    "SubjectReport",
    "Vectors",
    "discover",
    "kernel_entry",
    "run_matrix",
    "select",
]

NAMES = (*CONFIGURATIONS, *PROGRAMS, *CPUS, *BROWSERS)
"""What engines are called, in the order of `discover`."""


def discover() -> list[Engine]:
    """All engines that this package knows, those that are not here included."""
    return [*discover_wasmtime(), *discover_javascript(), *discover_aarch64(), *discover_browsers()]


def select(names: Sequence[str]) -> list[Engine]:
    """The engines of these names, in the usual order; "all" stands for all of them.

    Raises:
        InputError: There is no engine of that name.
    """
    engines = discover()
    known = [engine.name for engine in engines]
    for name in names:
        if name not in (*known, "all"):
            raise InputError(
                f"engine {name!r}: not known; there are all, {', '.join(known)}{nearest(name, known)}"
            )
    return [engine for engine in engines if "all" in names or engine.name in names]
