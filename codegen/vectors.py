"""Conformance vectors: inputs and exact answers in files that any engine, and any project, can read.

The format is described in tests/vectors/README.md. The files are a function of this package's code: writing them
again gives the same bytes.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from codegen.assemble import assemble
from codegen.engines.job import Job, kernel_entry
from codegen.formats import Q4_0
from codegen.opcodes import known_answers, opcode_wat
from codegen.ops.vec_dot.cases import Case, all_cases, random_case
from codegen.ops.vec_dot.judge import HALF_ULP
from codegen.reference import Expected, Kind, dot
from codegen.render import render
from codegen.spec import KernelSpec

DOTS, OPCODES = "vec_dot_q4_0_q8_0.json", "opcodes.json"

FURTHER_ROUNDINGS = 20
"""What a kernel may add to one rounding a term and one a block: joining accumulators, lanes and leftovers."""

_PLACES = {
    "start": ("read before the start", "unaligned addresses"),
    "end": ("tail over-read", "end of memory"),
    "high": ("pointers over 2 GiB", "end of memory"),
}

_BITS = {Kind.PLUS_INFINITY: 0x7F800000, Kind.MINUS_INFINITY: 0xFF800000}


def files() -> dict[str, str]:
    """Name and text of every vector file."""
    return {
        DOTS: _lines({"format": "ggml-wasm-vectors", "version": 1, "op": "vec_dot_q4_0_q8_0"}, _dots()),
        OPCODES: _lines({"format": "ggml-wasm-opcodes", "version": 1}, _opcodes()),
    }


def job(specs: Sequence[KernelSpec]) -> Job:
    """Kernels and all vectors, for engines to run."""
    kernels = [
        kernel_entry(spec.name, spec.isa.value, assemble(render(spec)), spec.export, spec.memory.value)
        for spec in specs
    ]
    texts = files()
    return {"kernels": kernels, "vectors": json.loads(texts[DOTS]), "opcodes": json.loads(texts[OPCODES])}


def expectation(expected: Expected, blocks: int) -> dict[str, Any]:
    """What a vector says of a result: bits, or a class, or a value and the bound on any kernel's error."""
    if expected.kind is Kind.NAN:
        return {"class": "nan"}
    if expected.kind is not Kind.FINITE:
        return {"bits": f"0x{_BITS[expected.kind]:08x}"}
    if expected.exact:
        (bits,) = struct.unpack("<I", struct.pack("<f", float(expected.value)))
        return {"bits": f"0x{bits:08x}"}
    growth = (blocks + FURTHER_ROUNDINGS) * HALF_ULP
    limit = growth / (1 - growth) * expected.magnitude
    value = float(expected.value)
    limit += abs(Fraction(value) - expected.value)  # what an f64 cannot say of the value
    return {"value": value, "bound": math.nextafter(float(limit), math.inf)}


def _dots() -> Iterator[dict[str, Any]]:
    for case in all_cases():
        yield _dot(case)
    for residue in range(16):
        yield _dot(random_case(f"align-{residue}", 9, "powers", ("unaligned addresses",)), align=residue)
    for place, kinds in _PLACES.items():
        for blocks in (1, 2, 3, 4, 5, 8, 9, 17):
            yield _dot(random_case(f"{place}-of-memory-b{blocks}", blocks, "powers", kinds), place=place)
    for n, nrc in ((1, 1), (31, 1), (33, 1), (48, 1), (-32, 1), (-1, 1), (32, 0), (32, 2), (0, 0)):
        case = random_case("trap", 2, "powers", ("broken contract",))
        entry = _dot(case) | {"name": f"trap-n{n}-nrc{nrc}", "n": n, "nrc": nrc, "expect": {"trap": True}}
        yield entry


def _dot(case: Case, **more: Any) -> dict[str, Any]:
    return {
        "name": case.name,
        "kinds": list(case.kinds),
        "n": case.n,
        "x": case.x.hex(),
        "y": case.y.hex(),
        **more,
        "expect": expectation(dot(case.x, case.y, case.n), case.n // Q4_0.elements),
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


def _lines(head: dict[str, Any], cases: Iterator[dict[str, Any]]) -> str:
    """JSON with one case a line, so that a changed case is a changed line."""
    body = ",\n".join(json.dumps(case) for case in cases)
    return f'{json.dumps(head)[:-1]}, "cases": [\n{body}\n]}}\n'
