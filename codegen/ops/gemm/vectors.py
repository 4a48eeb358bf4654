"""Matrix products for any engine, with the bits that must come out: the same for every kernel of an interface."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from codegen.engines.job import Case as VectorCase
from codegen.engines.job import Output, Wide
from codegen.inputs import INFINITY, NAN, ONE, rng_of
from codegen.layouts import Record
from codegen.ops.gemm.cases import Case, extremes, made, random_case
from codegen.ops.gemm.model import F32, products
from codegen.reference_matrix import interleave, prepare
from codegen.vectors import PLACES

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
)
"""Arguments outside the contract, of 5 rows by 2 columns."""


def cases(op: str, record: Record) -> Iterator[VectorCase]:
    """All of them, for operations on interleaved weights or, gemv_rows, on rows as they are."""
    kinds = ("left-over rows", "left-over columns", "odd block count")
    for rows, columns, blocks in _SHAPES:
        name = f"shape-{rows}x{columns}-b{blocks}"
        yield _product(op, record, random_case(name, rows, columns, blocks, "usual", kinds))
    yield _product(op, record, random_case("nothing", 5, 2, 0))
    yield _product(op, record, random_case("any-finite-scale", 18, 4, 1, "finite", ("subnormals",)))
    yield _product(op, record, extremes())
    for label, half in (("inf", INFINITY), ("nan", NAN)):
        yield _product(op, record, _not_finite(label, half))
    for residue in range(16):
        case = random_case(f"align-{residue}", 5, 2, 1, "usual", ("unaligned addresses",))
        yield {**_product(op, record, case), "align": residue}
    for place, of in PLACES.items():
        for rows, columns in ((5, 2), (16, 4), (19, 9)):
            case = random_case(f"{place}-of-memory-{rows}x{columns}", rows, columns, 1, "usual", of)
            yield {**_product(op, record, case), "place": place}
    case = random_case("trap", 5, 2, 1, "usual", ("broken contract",))
    for arguments in _REFUSED:
        words = "-".join(f"{name}{value}" for name, value in arguments.items())
        untouched: dict[str, Output] = {"s": {"untouched": 4 * case.rows * case.columns}}
        yield {
            **_product(op, record, case),
            "name": f"trap-{words}",
            "arguments": _arguments(case, **arguments),
            "outputs": untouched,
            "trap": True,
        }


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


def _product(op: str, record: Record, case: Case) -> VectorCase:
    x = case.x if op == "gemv_rows" else interleave(case.x, case.rows, case.n)
    return {
        "name": case.name,
        "kinds": list(case.kinds),
        "arguments": _arguments(case),
        "inputs": {"x": x.hex(), "y": prepare(case.y, record).hex()},
        "outputs": {"s": results(products(case.x, case.y, case.rows, case.columns, case.n))},
    }


def _arguments(case: Case, **changed: int) -> list[int | str | Wide]:
    arguments: dict[str, int | str | Wide] = {
        "n": case.n,
        "s": "s",
        "bs": case.rows,
        "vx": "x",
        "vy": "y",
        "nr": case.columns,
        "nc": case.rows,
    }
    return [*{**arguments, **changed}.values()]
