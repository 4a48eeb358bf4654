"""Conformance vectors: inputs and exact answers in files that any engine, and any project, can read.

The format is described in tests/vectors/README.md. The files are a function of this package's code: writing them
again gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from codegen.assemble import assemble
from codegen.engines.job import Job, kernel_entry
from codegen.opcodes import known_answers, opcode_wat
from codegen.operations import contracts
from codegen.render import render
from codegen.spec import KernelSpec

OPCODES = "opcodes.json"

PLACES: dict[Literal["start", "end", "high"], tuple[str, ...]] = {
    "start": ("read before the start", "unaligned addresses"),
    "end": ("tail over-read", "end of memory"),
    "high": ("pointers over 2 GiB", "end of memory"),
}
"""Where buffers can be placed, and the kinds of fault that finds."""


def files() -> dict[str, str]:
    """Name and text of every vector file: one a contract, and one for opcodes."""
    texts = {
        f"{contract}.json": _lines(
            {"format": "ggml-wasm-vectors", "version": 2, "contract": contract},
            operation.stage("vectors").cases(),
        )
        for contract, operation in contracts()
    }
    return texts | {OPCODES: _lines({"format": "ggml-wasm-opcodes", "version": 1}, _opcodes())}


def job(specs: Sequence[KernelSpec]) -> Job:
    """Kernels and the vectors of their contracts, for engines to run."""
    kernels = [
        kernel_entry(
            spec.name, spec.contract, spec.isa.value, assemble(render(spec)), spec.export, spec.memory.value
        )
        for spec in specs
    ]
    texts = files()
    return {
        "kernels": kernels,
        "vectors": {spec.contract: json.loads(texts[f"{spec.contract}.json"]) for spec in specs},
        "opcodes": json.loads(texts[OPCODES]),
    }


def _opcodes() -> Iterator[dict[str, Any]]:
    for answer in known_answers():
        yield {
            "name": answer.name,
            "requires": answer.opcode.needs,
            "wasm": assemble(opcode_wat(answer.opcode)).hex(),
            "operands": [operand.hex() for operand in answer.operands],
            "result": answer.result.hex(),
        }


def _lines(head: dict[str, Any], cases: Iterator[Mapping[str, Any]]) -> str:
    """JSON with one case a line, so that a changed case is a changed line."""
    body = ",\n".join(json.dumps(case) for case in cases)
    return f'{json.dumps(head)[:-1]}, "cases": [\n{body}\n]}}\n'
