"""Results made up, whose figures are known."""

from __future__ import annotations

from codegen.speed.bench.limits import Unit
from codegen.speed.bench.result import Limits, Measurement, Result
from codegen.speed.bench.table import BASELINE

FAST = "vec_dot_q4_0_q8_0__relaxed_u4"
NATIVE = "ggml_vec_dot_q4_0_q8_0"


def measured(kernel: str, ns: float, engine: str = "wasmtime", spread: float = 0.01, **more) -> Measurement:  # type: ignore[no-untyped-def]
    """Ten samples about `ns`, `spread` of it between the quartiles."""
    offsets = (-0.9, -0.7, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 0.7, 0.9)
    samples = tuple(ns * (1 + spread * offset) for offset in offsets)
    fields = {"sha256": "ab" * 32, "n": 4096, "rows": 10, "level": "l1", "samples": samples, **more}
    return Measurement(kernel, engine, **fields)


def made(*measurements: Measurement, rounds: int = 10) -> Result:
    limits = [
        Limits("wasmtime", "wasmtime 50", "l1", {Unit.VECTOR: 9.5, Unit.MEMORY: 110.0}),
        Limits("node", "node 24, V8", "l1", {}),
        Limits("native", "libggml-python 0.2", "l1", {}),
    ]
    return Result.of(rounds, list(measurements), limits)


WHOLE = made(
    measured(BASELINE, 2000.0, floors={Unit.MULTIPLY: 1300.0, Unit.MEMORY: 20.0}),
    measured(FAST, 250.0, floors={Unit.VECTOR: 200.0, Unit.MEMORY: 20.0}),
    measured(BASELINE, 1500.0, "node"),
    measured(FAST, 0, "node", samples=(), wrong="relaxed_u4: row 3 is 0x0, not 0x1"),
    measured(NATIVE, 240.0, "native", sha256=None),
)
