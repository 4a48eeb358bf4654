"""What the page fetches when it needs it: kernels and vectors to verify, modules to time and their operands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from gguf.constants import GGML_QUANT_SIZES

from codegen.kernels.spec import KernelSpec
from codegen.products.page.kernels import bars, everywhere, verified
from codegen.speed.bench.entries import kernel_entry
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.frozen import Timed
from codegen.speed.bench.javascript_host import job_of
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.usual import together, usual
from codegen.verify import vectors

N = 4096

SLICE_S = 0.1
"""Of the bench: half of it is the least that is timed, and browsers' clocks have steps of up to a millisecond."""


def files() -> Iterator[tuple[str, bytes]]:
    """Names and contents."""
    yield "kernels.json", _json(_kinds())
    job = vectors.job(tuple(dict.fromkeys(chain.from_iterable(verified(*kind) for kind in everywhere()))))
    yield "verify.json", _json(job["kernels"])
    for interface, its in job["vectors"].items():
        yield f"vectors/{interface}.json", _json(its)
    timed, data = job_of(entries())
    yield "bench.json", _json({**timed, "slice_s": SLICE_S, "data": [len(one) for one in data]})
    for place, one in enumerate(data):
        yield f"bench/{place}.bin", one


def entries() -> list[Entry]:
    """The modules that are timed: rows with one column, in one problem whatever the kernel, and gemm with its panel."""
    specs = dict.fromkeys(bar.spec for kind in everywhere() for bar in bars(*kind))
    return [kernel_entry(spec, problem_of(spec)) for spec in specs]


def problem_of(spec: Timed) -> Problem:
    """What a kernel of a bar is timed on."""
    return (
        usual("gemm").at(N)
        if isinstance(spec, KernelSpec) and spec.op == "gemm"
        else together(("vec_dot", "gemv")).at(N)
    )


def _kinds() -> dict[str, Any]:
    """By engine and ISA the bars and the kernels to verify; and what the types of GGUF files are, by number."""
    kinds: dict[str, Any] = {}
    for engine, isa in everywhere():
        kinds.setdefault(engine, {})[isa.value] = {
            "bars": [
                {"id": one.id, "label": one.label, "kernel": one.spec.name} for one in bars(engine, isa)
            ],
            "verified": [spec.name for spec in verified(engine, isa)],
        }
    return {"n": N, "kinds": kinds, "types": gguf_types()}


def gguf_types() -> dict[int, list[str | int]]:
    """By its number what a type of GGUF files is called, and the elements and bytes of a block."""
    return {int(kind): [kind.name, *block] for kind, block in GGML_QUANT_SIZES.items()}


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
