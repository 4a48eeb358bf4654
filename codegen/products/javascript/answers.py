"""Known answers for the npm package: the cases of the conformance vectors that broken engines fail, and no more.

They are few since every page computes them before it trusts an engine, and cruel: extremes of one sign, -128,
subnormal, infinite and NaN scales, odd block counts, rows and columns that fill no tile.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from codegen.formats.layouts import Activations
from codegen.kernels.spec import KernelSpec
from codegen.products.javascript.bundles import Bundle
from codegen.products.javascript.modules import module_text, text
from codegen.spec.strategies import Isa
from codegen.verify.job import Case, Output
from codegen.verify.opcodes import KnownAnswer, known_answers, opcode_wat
from codegen.verify.vectors import vector_cases
from codegen.wasm.assemble import assemble

_PRODUCTS = ("extremes", "shape-19x9-b2", "any-finite-scale", "scales-inf")

CASES: dict[str, tuple[str, ...]] = {
    "vec_dot": (
        *("count-b0", "count-b1", "count-b9", "extreme-w-8-a-128-b5", "extreme-w7-a-128-b5"),
        *("scales-0001-7bff-b5", "inf-minus-inf-b5", "scale-inf-x4-b5", "scale-nan-y3-b5"),
    ),
    "quantize_row": ("count-b5", "ties-e0", "tiny-501", "alone-00000001", "nan-at-45"),
    "pack_activations": ("3-columns-of-2-blocks-6-between", "nan-in-block-3"),
    "repack": ("5-rows-of-5-blocks", "3-rows-of-1-blocks"),
    "gemv": _PRODUCTS,
    "gemm": _PRODUCTS,
    "mul_mat": ("shape-5x4-b2", "shape-19x9-b1"),
}
"""Of each operation, by name."""

OPCODES: dict[Isa, tuple[str, ...]] = {
    Isa.RELAXED: ("i16x8.relaxed_dot_i8x16_i7x16_s", "i32x4.relaxed_dot_i8x16_i7x16_add_s"),
    Isa.SIMD128: ("i32x4.dot_i16x8_s",),
    Isa.SCALAR: (),
}
"""What is tried by itself: who computes one of these wrongly is trusted with no kernel of that ISA."""

_RECORDS: dict[str, str] = {"pack_activations": "s", "gemv": "y", "gemm": "y"}
"""The buffer that holds records, by operation: each word once here, however often a kernel wants it."""

_NAN = 0x7FC00000


@dataclass
class Answers:
    """Known answers as data: what is the same in several of them stands in `data` once, and each says where.

    Attributes:
        data: contents of buffers, and parts of modules, in base64.
        cases: by interface.
        opcodes: by the ISA that stands or falls with them.
    """

    data: list[str] = field(default_factory=list)
    cases: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    opcodes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def place(self, data: bytes) -> int:
        """Where these bytes are."""
        return self.place_text(text(data))

    def place_text(self, base64: str) -> int:
        """Where the bytes are that this text stands for."""
        if base64 not in self.data:
            self.data.append(base64)
        return self.data.index(base64)


def interface_of(spec: KernelSpec) -> str:
    """What decides which cases a kernel runs: its contract, and its kind of record."""
    return spec.contract + (f"-{spec.record.kind}" if spec.record else "")


def answers(bundles: Iterable[Bundle]) -> Answers:
    """All that these kernels need."""
    found = Answers()
    for spec in chain.from_iterable(one.specs for one in bundles):
        if interface_of(spec) not in found.cases:
            found.cases[interface_of(spec)] = [_answer(found, spec.op, case) for case in _cases(spec)]
    for isa, names in OPCODES.items():
        tried = (answer for answer in known_answers() if answer.opcode.text in names)
        found.opcodes[isa.value] = [_opcode(found, answer) for answer in tried]
    return found


def _cases(spec: KernelSpec) -> Iterator[Case]:
    if spec.record:
        spec = replace(spec, activations=Activations.COMPACT)
    by_name = {case["name"]: case for case in vector_cases(spec)}
    return (by_name[name] for name in CASES[spec.op])


def _answer(found: Answers, op: str, case: Case) -> dict[str, Any]:
    written = case["outputs"].items()
    scratch = {name: one["scratch"] for name, one in written if "scratch" in one}
    return {
        "name": case["name"],
        "arguments": case["arguments"],
        "inputs": {name: found.place(bytes.fromhex(data)) for name, data in case["inputs"].items()},
        "outputs": {name: found.place(_expected(one)) for name, one in written if "scratch" not in one},
        **({"records": _RECORDS[op]} if op in _RECORDS else {}),
        **({"scratch": scratch} if scratch else {}),
    }


def _opcode(found: Answers, answer: KnownAnswer) -> dict[str, Any]:
    parts = module_text(assemble(opcode_wat(answer.opcode, imported=True)))
    return {
        "name": answer.name,
        "wasm": [found.place_text(part) for part in parts],
        "operands": [found.place(operand) for operand in answer.operands],
        "result": found.place(answer.result),
    }


def _expected(output: Output) -> bytes:
    """The bytes that must be there, or the bits of f32, of which any NaN will do."""
    if "bytes" in output:
        return bytes.fromhex(output["bytes"])
    bits = [_NAN if one.get("class") == "nan" else int(one["bits"], 16) for one in output["f32"]]
    return struct.pack(f"<{len(bits)}I", *bits)
