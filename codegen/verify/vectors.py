"""Conformance vectors: inputs and exact answers in files that any engine, and any project, can read.

The format is described in tests/vectors/README.md. The files are a function of this package's code: writing them
again gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from codegen.kernels import registry
from codegen.kernels.spec import KernelSpec
from codegen.render.text import render_kernel
from codegen.verify.dot import vectors as dot
from codegen.verify.job import Case, Job, kernel_entry
from codegen.verify.mul_mat import vectors as mul_mat
from codegen.verify.opcodes import known_answers, opcode_wat
from codegen.verify.pack_activations import vectors as pack_activations
from codegen.verify.quantize_row import vectors as quantize_row
from codegen.verify.repack import vectors as repack
from codegen.verify.tile import vectors as matrix
from codegen.wasm.assemble import assemble

_CASES: dict[str, Callable[[KernelSpec], Iterator[Case]]] = {
    "vec_dot": dot.cases,
    "quantize_row": quantize_row.cases,
    "pack_activations": pack_activations.cases,
    "repack": repack.cases,
    "gemv": matrix.cases,
    "gemm": matrix.cases,
    "mul_mat": mul_mat.cases,
}

OPCODES = "opcodes.json"


def files() -> dict[str, str]:
    """Name and text of every vector file: one an interface of the kernels that we ship, and one for opcodes."""
    texts = {f"{spec.interface}.json": _of(spec) for spec in _one_each(registry.registered())}
    return texts | {OPCODES: _opcode_text()}


def vector_cases(spec: KernelSpec) -> Iterator[Case]:
    """The cases of a kernel's interface."""
    return _CASES[spec.op](spec)


def job(specs: Sequence[KernelSpec]) -> Job:
    """Kernels and the vectors of their interfaces, for engines to run."""
    kernels = [
        kernel_entry(
            spec.name,
            spec.interface,
            spec.isa.value,
            assemble(render_kernel(spec)),
            spec.export,
            [kind for _, kind in spec.parameters],
            spec.memory.value,
        )
        for spec in specs
    ]
    return {
        "kernels": kernels,
        "vectors": {spec.interface: json.loads(_of(spec)) for spec in _one_each(specs)},
        "opcodes": json.loads(_opcode_text()),
    }


def _one_each(specs: Sequence[KernelSpec]) -> Iterator[KernelSpec]:
    """A kernel of each interface: what they share is all that vectors depend on."""
    yield from {spec.interface: spec for spec in reversed(specs)}.values()


def _of(spec: KernelSpec) -> str:
    record = {"record": spec.record.name} if spec.record else {}
    head = {"format": "ggml-wasm-vectors", "version": 2, "contract": spec.contract, **record}
    return _lines(head, vector_cases(spec))


def _opcode_text() -> str:
    return _lines({"format": "ggml-wasm-opcodes", "version": 1}, _opcodes())


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
