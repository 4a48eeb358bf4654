"""Dot products for any engine: what each must come to, told without this package."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from codegen.formats import FORMATS, Format
from codegen.kernels.spec import KernelSpec
from codegen.oracle.dot import Expected, Kind, dot
from codegen.verify.dot.cases import Case, Cases
from codegen.verify.dot.judge import HALF_ULP
from codegen.verify.job import Case as VectorCase
from codegen.verify.job import Output, Wide
from codegen.verify.vector_cases import PLACES

FURTHER_ROUNDINGS = 20
"""What a kernel may add to one rounding a term and one a block: joining accumulators, lanes and leftovers."""

_BITS = {Kind.PLUS_INFINITY: 0x7F800000, Kind.MINUS_INFINITY: 0xFF800000}


def cases(spec: KernelSpec) -> Iterator[VectorCase]:
    """All of them."""
    x = FORMATS[spec.x]
    dots = Cases(x)
    for case in dots.all():
        yield _dot(case, x)
    for residue in range(16):
        aligned = _dot(dots.random(f"align-{residue}", 9, "powers", ("unaligned addresses",)), x)
        yield {**aligned, "align": residue}
    for place, kinds in PLACES.items():
        for blocks in (1, 2, 3, 4, 5, 8, 9, 17):
            yield {
                **_dot(dots.random(f"{place}-of-memory-b{blocks}", blocks, "powers", kinds), x),
                "place": place,
            }
    for n, nrc in ((1, 1), (31, 1), (33, 1), (48, 1), (-32, 1), (-1, 1), (32, 0), (32, 2), (0, 0)):
        case = dots.random("trap", 2, "powers", ("broken contract",))
        untouched: dict[str, Output] = {"s": {"untouched": 4}}
        arguments = _arguments(n, nrc)
        name = f"trap-n{n}-nrc{nrc}"
        yield {**_dot(case, x), "name": name, "arguments": arguments, "outputs": untouched, "trap": True}


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


def _dot(case: Case, x: Format) -> VectorCase:
    result = expectation(dot(case.x, case.y, case.n, x), case.n // x.elements)
    return {
        "name": case.name,
        "kinds": list(case.kinds),
        "arguments": _arguments(case.n, 1),
        "inputs": {"x": case.x.hex(), "y": case.y.hex()},
        "outputs": {"s": {"f32": [result]}},
    }


def _arguments(n: int, nrc: int) -> list[int | str | Wide]:
    return [n, "s", 0, "x", 0, "y", 0, nrc]
