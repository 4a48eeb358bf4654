"""Known answers for the npm package: the cases of the conformance vectors that broken engines fail, and no more.

They are few since every page computes them before it trusts an engine, and cruel: extremes of one sign, -128,
subnormal, infinite and NaN scales, odd block counts, rows and columns that fill no tile.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from codegen.assemble import assemble
from codegen.engines.job import Case, Output
from codegen.javascript.bundles import Bundle
from codegen.opcodes import known_answers, opcode_wat
from codegen.options import Activations
from codegen.spec import KernelSpec
from codegen.strategies import Isa

CASES: dict[str, tuple[str, ...]] = {
    "vec_dot": (
        *("count-b0", "count-b1", "count-b19", "extreme-w-8-a-128-b5", "extreme-w7-a-128-b17"),
        *("scales-0001-7bff-b5", "inf-minus-inf-b5", "scale-inf-x4-b5", "scale-nan-y3-b5"),
    ),
    "quantize_row": ("count-b9", "ties-e0", "tiny-501", "alone-00000001", "nan-at-45", "-inf-at-127"),
    "quantize_mat": ("2-columns-of-5-blocks-130-between", "special", "nan-in-block-3"),
    "repack": ("5-rows-of-5-blocks", "3-rows-of-1-blocks"),
    "gemv": ("extremes", "shape-17x5-b1", "any-finite-scale", "scales-inf", "scales-nan"),
    "gemm": ("extremes", "shape-19x9-b2", "any-finite-scale", "scales-inf", "scales-nan"),
    "mul_mat": ("shape-16x1-b5", "shape-19x9-b1", "shape-2x33-b1"),
}
"""Of each operation, by name."""

OPCODES: dict[Isa, tuple[str, ...]] = {
    Isa.RELAXED: ("i16x8.relaxed_dot_i8x16_i7x16_s", "i32x4.relaxed_dot_i8x16_i7x16_add_s"),
    Isa.SIMD128: ("i32x4.dot_i16x8_s",),
    Isa.SCALAR: (),
}
"""What is tried by itself: who computes one of these wrongly is trusted with no kernel of that ISA."""

_RECORDS = {"quantize_mat": "s", "gemv": "y", "gemm": "y"}
"""The buffer that holds records, by operation: each word once here, however often a kernel wants it."""

_NAN = 0x7FC00000


def interface_of(spec: KernelSpec) -> str:
    """The cases that a kernel runs: those of its contract, and of its kind of record."""
    return spec.contract + (f"-{spec.record.kind}" if spec.record else "")


def cases(bundles: Iterable[Bundle]) -> dict[str, list[dict[str, Any]]]:
    """Cases by interface."""
    specs = {interface_of(spec): spec for spec in chain.from_iterable(one.specs for one in bundles)}
    return {interface: list(_of(spec)) for interface, spec in sorted(specs.items())}


def opcodes() -> dict[str, list[dict[str, Any]]]:
    """Single opcodes by the ISA that stands or falls with them."""
    return {
        isa.value: [
            {
                "name": answer.name,
                "wasm": _base64(assemble(opcode_wat(answer.opcode))),
                "operands": [_base64(operand) for operand in answer.operands],
                "result": _base64(answer.result),
            }
            for answer in known_answers()
            if answer.opcode.text in names
        ]
        for isa, names in OPCODES.items()
    }


def _of(spec: KernelSpec) -> Iterator[dict[str, Any]]:
    if spec.record:
        spec = replace(spec, activations=Activations.COMPACT)
    wanted = CASES[spec.op]
    found = {case["name"]: case for case in spec.operation.stage("vectors").cases(spec)}
    for name in wanted:
        yield _answer(spec, found[name])


def _answer(spec: KernelSpec, case: Case) -> dict[str, Any]:
    written = case["outputs"].items()
    return {
        "name": case["name"],
        "arguments": case["arguments"],
        "inputs": {name: _base64(bytes.fromhex(data)) for name, data in case["inputs"].items()},
        "outputs": {name: _base64(_expected(one)) for name, one in written if "scratch" not in one},
        "records": _RECORDS.get(spec.op),
        "scratch": {name: one["scratch"] for name, one in written if "scratch" in one},
    }


def _expected(output: Output) -> bytes:
    """The bytes that must be there, or the bits of f32, of which any NaN will do."""
    if "bytes" in output:
        return bytes.fromhex(output["bytes"])
    bits = [_NAN if one.get("class") == "nan" else int(one["bits"], 16) for one in output["f32"]]
    return struct.pack(f"<{len(bits)}I", *bits)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
