"""What tuning found: relaxed kernels in wasmtime, by unroll and accumulators."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from codegen.kernels import shipped
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tuning import ContractTuning, Tuning
from codegen.products.report.data import Data
from codegen.products.report.variants import short
from codegen.spec.strategies import Isa
from codegen.speed.bench.table import BASELINE
from codegen.speed.tune import heatmap

_ENGINE = "wasmtime"
_CONTRACT = KernelSpec.parse(BASELINE).contract


def _swept() -> tuple[Tuning, ContractTuning] | None:
    """The sweep that the shipped defaults come from, and of it the relaxed kernels."""
    file = shipped.for_engine(_ENGINE)
    found = file.contracts.get(_CONTRACT) if file else None
    if file is None or found is None:
        return None
    relaxed = tuple(one for one in found.candidates if one.spec.isa is Isa.RELAXED)
    return (file, replace(found, candidates=relaxed)) if relaxed else None


def draw(_data: Data) -> Figure | None:
    """A panel for each way to multiply, fold and scale; None where nothing was tuned."""
    if not (swept := _swept()):
        return None
    file, found = swept
    return heatmap.figure(found, f"{file.engine_version}, {file.processor}")


def says(_data: Data) -> str:
    """What was tried, and what is best."""
    swept = _swept()
    assert swept
    file, found = swept
    best = found.best[Isa.RELAXED]
    (speed,) = (one.x_scalar for one in found.candidates if one.spec == best)
    return (
        f"Of {len(found.candidates)} relaxed kernels that `codegen tune` tried in {file.engine_version}, "
        f"`{short(best.name)}` is best: {speed:.1f} times as fast as scalar code. Numbers are such ratios, each of the "
        "last stage that a kernel came to; early stages are short and noisy. A kernel fails that is not right in every "
        "engine. [How it is tuned](../tuning.md)."
    )
