"""Matrix products for any engine, with the bits that must come out: the same for every kernel of an interface."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from codegen.kernels.spec import KernelSpec
from codegen.oracle.inputs import INFINITY, NAN, ONE, rng_of
from codegen.verify.job import Case as VectorCase
from codegen.verify.job import Output
from codegen.verify.tile.cases import Case, extremes, made, random_case
from codegen.verify.tile.model import F32, products
from codegen.verify.tile.verification import call_of
from codegen.verify.vector_cases import PLACES, case_of, idle, traps

_SHAPES = (
    (1, 1, 1),
    (3, 2, 1),
    (4, 3, 2),
    (5, 4, 1),
    (16, 1, 2),
    (17, 5, 1),
    (19, 9, 2),
    (33, 4, 1),
    (2, 33, 1),
)
"""Rows, columns and blocks, around tiles and panels."""

_REFUSED = (
    {"n": 31},
    {"n": -32},
    {"n": 1 << 30},
    {"bs": 4},
    {"bs": -1},
    {"nr": -1},
    {"nc": -1},
    {"nc": 1 << 30},
    {"nr": (1 << 31) - 1},
    {"s": "x"},
    {"s": "y"},
    {"s": -64},
    {"vx": -64},
    {"vy": -64},
)
"""Arguments outside the contract, of 5 rows by 2 columns; -64 as an address is 64 bytes before 4 GiB."""


def cases(spec: KernelSpec) -> Iterator[VectorCase]:
    """All of them."""
    kinds = ("left-over rows", "left-over columns", "odd block count")
    for rows, columns, blocks in _SHAPES:
        name = f"shape-{rows}x{columns}-b{blocks}"
        yield _product(spec, random_case(name, rows, columns, blocks, "usual", kinds))
    yield _product(spec, random_case("no-elements", 5, 2, 0))
    yield _product(spec, random_case("any-finite-scale", 18, 4, 1, "finite", ("subnormals",)))
    yield _product(spec, extremes())
    for label, half in (("inf", INFINITY), ("nan", NAN)):
        yield _product(spec, _not_finite(label, half))
    for residue in range(16):
        case = random_case(f"align-{residue}", 5, 2, 1, "usual", ("unaligned addresses",))
        yield {**_product(spec, case), "align": residue}
    for place, faults in PLACES.items():
        for rows, columns in ((5, 2), (16, 4), (19, 9)):
            case = random_case(f"{place}-of-memory-{rows}x{columns}", rows, columns, 1, "usual", faults)
            yield {**_product(spec, case), "place": place}
    call = call_of(spec, random_case("trap", 5, 2, 1))
    yield from traps(call, _REFUSED)
    yield from idle(call, ({"nr": 0}, {"nc": 0}))


def results(bits: F32) -> Output:
    """A matrix of results, columns one after the other: bytes, or a list where some are NaN of any kind."""
    flat = bits.reshape(-1)
    if not np.isnan(flat).any():
        return {"bytes": flat.astype("<f4").tobytes().hex()}
    words = flat.view(np.uint32)
    return {
        "f32": [
            {"class": "nan"} if np.isnan(value) else {"bits": f"0x{word:08x}"}
            for value, word in zip(flat, words, strict=True)
        ]
    }


def _not_finite(label: str, half: int) -> Case:
    """A scale in each lane of a tile's groups, and one of a column."""
    rng = rng_of(f"vector-{label}")
    dx, dy = np.full(37, ONE), np.full(3, ONE)
    dx[[1, 6, 11, 12, 35]], dy[2] = half, half
    weights, quants = rng.integers(-8, 8, (37, 32)), rng.integers(-127, 128, (3, 32))
    return made(f"scales-{label}", ("non-finite scales",), (37, 3, 1), weights, quants, dx, dy)


def _product(spec: KernelSpec, case: Case) -> VectorCase:
    bits = products(case.x, case.y, case.rows, case.columns, case.n)
    return {**case_of(case.name, case.kinds, call_of(spec, case)), "outputs": {"s": results(bits)}}
