"""Rows to quantise for any engine, with the blocks that must come out."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.formats import Q8_0
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels.spec import KernelSpec
from codegen.verify.job import Case as VectorCase
from codegen.verify.job import Output, Wide
from codegen.verify.quantize_row.cases import Case, small_cases, usual
from codegen.verify.vector_cases import PLACES


def cases(spec: KernelSpec) -> Iterator[VectorCase]:
    """All of them."""
    for case in small_cases():
        yield _row(case)
    for residue in range(16):
        name = f"align-{residue}"
        yield {**_row(Case(name, ("unaligned addresses",), usual(name, 5))), "align": residue}
    for place, kinds in PLACES.items():
        for blocks in (1, 2, 3, 4, 5, 8, 9):
            name = f"{place}-of-memory-b{blocks}"
            yield {**_row(Case(name, kinds, usual(name, blocks))), "place": place}
    for k in (1, 31, 33, 48, -32, -1, 1 << 30, (1 << 32) + 32, 1 << 62, -(1 << 63)):
        yield _trap(f"trap-k{k}", _arguments(k))
    # -64 as an address is 64 bytes before 4 GiB, where no memory of another case is
    yield _trap("trap-overlap", ["x", "x", *_arguments(64)[2:]])
    yield _trap("trap-x-past-memory", [-64, *_arguments(64)[1:]])
    yield _trap("trap-y-past-memory", ["x", -64, *_arguments(64)[2:]])


def _row(case: Case) -> VectorCase:
    return {
        "name": case.name,
        "kinds": list(case.kinds),
        "arguments": _arguments(len(case.values)),
        "inputs": {"x": case.values.astype("<f4").tobytes().hex()},
        "outputs": {"y": {"bytes": quantize_q8_0(case.values).hex()}},
    }


def _trap(name: str, arguments: list[int | str | Wide]) -> VectorCase:
    untouched: dict[str, Output] = {"y": {"untouched": 2 * Q8_0.bytes}}
    row = _row(Case(name, ("broken contract",), usual("trap", 2)))
    return {**row, "arguments": arguments, "outputs": untouched, "trap": True}


def _arguments(k: int) -> list[int | str | Wide]:
    return ["x", "y", {"i64": str(k)}]
