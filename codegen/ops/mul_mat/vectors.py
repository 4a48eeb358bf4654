"""f32 columns times interleaved weights for any engine, with the bits that must come out."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.engines.job import Case as VectorCase
from codegen.engines.job import Output, Wide
from codegen.ops.gemm.cases import Case, random_case
from codegen.ops.gemm.model import products
from codegen.ops.gemm.plan import PANEL
from codegen.ops.gemm.vectors import results
from codegen.ops.mul_mat.verification import quantized, values_of
from codegen.reference_matrix import interleave
from codegen.vectors import PLACES

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

_MOST_RECORD_BYTES = 288
"""Of any record: a kernel says which its own are, and vectors are for all kernels."""

_REFUSED = (
    {"n": 31},
    {"n": -32},
    {"n": 1 << 30},
    {"bs": 4},
    {"nr": -1},
    {"nc": -1},
    {"nc": 1 << 30},
    {"by": -4},
)


def cases() -> Iterator[VectorCase]:
    """All of them."""
    kinds = ("left-over rows", "left-over columns", "odd block count")
    for rows, columns, blocks in _SHAPES:
        yield _product(
            random_case(f"shape-{rows}x{columns}-b{blocks}", rows, columns, blocks, "usual", kinds)
        )
    for residue in range(16):
        case = random_case(f"align-{residue}", 5, 2, 1, "usual", ("unaligned addresses",))
        yield {**_product(case), "align": residue}
    for place, of in PLACES.items():
        for rows, columns in ((5, 2), (19, 5)):
            case = random_case(f"{place}-of-memory-{rows}x{columns}", rows, columns, 1, "usual", of)
            yield {**_product(case), "place": place}
    case = random_case("trap", 5, 2, 1, "usual", ("broken contract",))
    for arguments in _REFUSED:
        words = "-".join(f"{name}{value}" for name, value in arguments.items())
        untouched: dict[str, Output] = {"s": {"untouched": 4 * case.rows * case.columns}}
        yield {
            **_product(case),
            "name": f"trap-{words}",
            "arguments": _arguments(case, **arguments),
            "outputs": untouched,
            "trap": True,
        }


def _product(case: Case) -> VectorCase:
    y = values_of(case)
    bits = products(case.x, quantized(case, y).y, case.rows, case.columns, case.n)
    scratch = min(case.columns, PANEL) * case.n // 32 * _MOST_RECORD_BYTES
    return {
        "name": case.name,
        "kinds": list(case.kinds),
        "arguments": _arguments(case),
        "inputs": {
            "x": interleave(case.x, case.rows, case.n).hex(),
            "y": y.astype("<f4").tobytes().hex(),
            "work": bytes(scratch).hex(),
        },
        "outputs": {"s": results(bits)},
    }


def _arguments(case: Case, **changed: int) -> list[int | str | Wide]:
    arguments: dict[str, int | str | Wide] = {
        "n": case.n,
        "s": "s",
        "bs": case.rows,
        "vx": "x",
        "vy": "y",
        "by": 4 * case.n,
        "nr": case.columns,
        "nc": case.rows,
        "work": "work",
    }
    return [*{**arguments, **changed}.values()]
