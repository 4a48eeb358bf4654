"""f32 columns times interleaved weights for any engine, with the bits that must come out."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.formats.layouts import Activations, Kind, Record
from codegen.kernels.spec import KernelSpec
from codegen.verify.calls import Call
from codegen.verify.job import Case as VectorCase
from codegen.verify.job import Output
from codegen.verify.mul_mat.verification import call_of, results_of
from codegen.verify.tile.cases import Case, random_case
from codegen.verify.tile.vectors import results
from codegen.verify.vector_cases import PLACES, case_of, idle, traps

_SHAPES = (
    (1, 1, 1),
    (3, 2, 1),
    (5, 4, 2),
    (16, 1, 5),
    (17, 5, 1),
    (19, 9, 1),
    (33, 4, 1),
    (2, 33, 1),
    (5, 2, 0),
)
"""Rows, columns and blocks, around tiles and panels."""

_LARGEST = Record(Kind.WIDE, Activations.BROADCAST)
"""Scratch memory for this is enough for any kernel: each says which records its own are, and vectors are for all."""

_REFUSED = (
    {"n": 31},
    {"n": -32},
    {"n": 1 << 30},
    {"bs": 4},
    {"nr": -1},
    {"nc": -1},
    {"nc": 1 << 30},
    {"by": -4},
    {"s": "x"},
    {"s": "y"},
    {"s": "work"},
    {"work": "x"},
    {"work": "y"},
    {"work": -64},
    {"vy": -64},
)
"""Arguments outside the contract, of 5 rows by 2 columns."""


def cases(spec: KernelSpec) -> Iterator[VectorCase]:
    """All of them; they are the same for any kernel."""
    kinds = ("left-over rows", "left-over columns", "odd block count")
    for rows, columns, blocks in _SHAPES:
        name = f"shape-{rows}x{columns}-b{blocks}"
        yield _product(random_case(name, rows, columns, blocks, "usual", kinds))
    for residue in range(16):
        case = random_case(f"align-{residue}", 5, 2, 1, "usual", ("unaligned addresses",))
        yield {**_product(case), "align": residue}
    for place, faults in PLACES.items():
        for rows, columns in ((5, 2), (19, 5)):
            case = random_case(f"{place}-of-memory-{rows}x{columns}", rows, columns, 1, "usual", faults)
            yield {**_product(case), "place": place}
    call = _call(random_case("trap", 5, 2, 1))
    yield from traps(call, _REFUSED)
    yield from idle(call, ({"nr": 0}, {"nc": 0}))


def _call(case: Case) -> Call:
    return call_of(_LARGEST, case)


def _product(case: Case) -> VectorCase:
    call = _call(case)
    outputs: dict[str, Output] = {
        "s": results(results_of(case)),
        "work": {"scratch": len(call.outputs["work"])},
    }
    return {**case_of(case.name, case.kinds, call), "outputs": outputs}
