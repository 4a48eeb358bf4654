"""wasmtime in four configurations, each in a process of its own: an impossible one aborts its process."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from codegen.engines.engine import Engine, command_launcher
from codegen.wasm.wasmtime_library import config, wasmtime


def _default(_config: wasmtime.Config) -> None:
    """Every instruction that this CPU has."""


def _deterministic(config: wasmtime.Config) -> None:
    """Relaxed SIMD as the specification's deterministic profile defines it."""
    config.wasm_relaxed_simd_deterministic = True


def _strict(config: wasmtime.Config) -> None:
    """An engine without relaxed SIMD: the strict kernels must do without."""
    config.wasm_relaxed_simd = False


def _sse2(config: wasmtime.Config) -> None:
    """The weakest x86-64: naming a target turns off the detection of CPU features, which leaves SSE2."""
    config.target = SSE2_TARGETS[sys.platform]


SSE2_TARGETS = {
    "linux": "x86_64-unknown-linux-gnu",
    "darwin": "x86_64-apple-darwin",
    "win32": "x86_64-pc-windows-msvc",
}

CONFIGURATIONS: dict[str, Callable[[wasmtime.Config], None]] = {
    "wasmtime": _default,
    "wasmtime-deterministic": _deterministic,
    "wasmtime-strict": _strict,
    "wasmtime-sse2": _sse2,
}


def wasmtime_engine(configuration: str) -> wasmtime.Engine:
    """A wasmtime engine in one of the configurations."""
    chosen = config()
    CONFIGURATIONS[configuration](chosen)
    return wasmtime.Engine(chosen)


def discover_wasmtime() -> list[Engine]:
    """One engine a configuration."""
    return [_engine(name) for name in CONFIGURATIONS]


def _engine(name: str) -> Engine:
    if name == "wasmtime-sse2" and (
        platform.machine() not in ("x86_64", "AMD64") or sys.platform not in SSE2_TARGETS
    ):
        return Engine(name, missing="an older x86-64: run it on an x86-64 machine")
    # The package may be importable only because of this process's own path.
    path = os.pathsep.join(
        [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    command = [sys.executable, "-m", "codegen.engines.wasmtime_runner", name]
    return Engine(name, launch=command_launcher(command, {"PYTHONPATH": path}))
