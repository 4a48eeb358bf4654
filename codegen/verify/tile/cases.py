"""Matrices that find faults in products: shapes that fill no tile, extremes of one sign, scales of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.formats import Q4_0, Q8_0
from codegen.oracle.dot import encode
from codegen.oracle.inputs import INFINITY, LARGEST, NAN, ONE, SIGN, SMALLEST, random_halves, rng_of

_ROWS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 20, 31, 32, 33, 37)
_COLUMNS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 35, 65, 12, 6)
"""Around tiles and panels, as many as there are rows."""


@dataclass(frozen=True)
class Case:
    """Rows of Q4_0 weights, one after the other, and columns of Q8_0 activations."""

    name: str
    kinds: tuple[str, ...]
    rows: int
    columns: int
    n: int
    x: bytes
    y: bytes


def random_case(
    name: str, rows: int, columns: int, blocks: int, scales: str = "powers", kinds: tuple[str, ...] = ()
) -> Case:
    """Any quants, -128 too, with scales of a kind that codegen.oracle.inputs has."""
    rng = rng_of(name)
    left, right = rows * blocks, columns * blocks
    return made(
        name,
        kinds,
        (rows, columns, blocks),
        rng.integers(-8, 8, (left, Q4_0.elements)),
        rng.integers(-128, 128, (right, Q8_0.elements)),
        random_halves(rng, left, scales),
        random_halves(rng, right, scales),
    )


def made(
    name: str,
    kinds: tuple[str, ...],
    shape: tuple[int, int, int],
    weights: npt.NDArray[np.int64],
    quants: npt.NDArray[np.int64],
    dx: npt.NDArray[np.uint16],
    dy: npt.NDArray[np.uint16],
) -> Case:
    """A case of rows, columns and blocks a row, of what its blocks hold."""
    rows, columns, blocks = shape
    x = encode(dx.astype(np.uint16), weights.astype(np.int16), Q4_0)
    y = encode(dy.astype(np.uint16), quants.astype(np.int16), Q8_0)
    return Case(name, kinds, rows, columns, blocks * Q4_0.elements, x, y)


def all_cases() -> Iterator[Case]:
    """All of them."""
    for rows, columns in zip(_ROWS, _COLUMNS, strict=True):
        kinds = ("left-over rows", "left-over columns", "odd block count")
        yield random_case(f"shape-{rows}x{columns}", rows, columns, 1 + rows % 3, "powers", kinds)
    for blocks in (0, 1, 2, 5):
        yield random_case(f"blocks-{blocks}", 18, 6, blocks, "usual", ("block count",))
    yield random_case("any-finite-scale", 20, 9, 3, "finite", ("subnormals",))
    yield random_case("long", 17, 5, 129, "usual", ("long rows",))
    yield extremes()
    yield from _not_finite()


def extremes() -> Case:
    """Sums of one sign, in all bytes, in those of one accumulator of several, and of both signs."""
    weights = np.array([[7, 7], [-8, -8], [7, -8], [-8, 7]]).repeat(16, axis=1)
    weights = np.concatenate([weights, np.tile([7, 7, -8, -8], (1, 8)), np.tile([-8, 7], (1, 16))])
    quants = np.array([[127, 127], [-128, -128], [127, -128], [-128, 127]]).repeat(16, axis=1)
    quants = np.concatenate([quants, np.tile([127, 127, -128, -128], (1, 8)), np.tile([-128, 127], (1, 16))])
    rows = np.tile(weights, (4, 1))[:20]
    ones = np.full(max(len(rows), len(quants)), ONE, np.uint16)
    return made(
        "extremes",
        ("extremes of one sign", "i16 accumulators"),
        (len(rows), len(quants), 1),
        rows,
        quants,
        ones[: len(rows)],
        ones[: len(quants)],
    )


def _not_finite() -> Iterator[Case]:
    """Infinities and NaN as scales, of a row in every lane and group, of a column, and of sums that are zero."""
    kinds = ("non-finite scales",)
    for label, half in (
        ("inf", INFINITY),
        ("minus-inf", INFINITY | SIGN),
        ("nan", NAN),
        ("snan", INFINITY | 1),
    ):
        rng = rng_of(label)
        shape = rows, columns, blocks = 35, 9, 2
        weights, quants = (
            rng.integers(-8, 8, (rows * blocks, 32)),
            rng.integers(-127, 128, (columns * blocks, 32)),
        )
        dx, dy = random_halves(rng, rows * blocks, "usual"), random_halves(rng, columns * blocks, "usual")
        for row in (1, 6, 11, 12, 33):
            dx[row * blocks + row % blocks] = half
        yield made(f"weights-{label}", kinds, shape, weights, quants, dx, dy)
        dx, dy = random_halves(rng, rows * blocks, "usual"), dy.copy()
        dy[3 * blocks + 1] = half
        yield made(f"activations-{label}", kinds, shape, weights, quants, dx, dy)
        dx[4], quants = half, quants * (np.arange(columns * blocks) % 2)[:, None]
        yield made(f"zero-sums-{label}", kinds, shape, weights, quants, dx, dy)
    for label, half in (("largest", LARGEST), ("smallest", SMALLEST)):
        case = np.full(24, half, np.uint16)
        rng = rng_of(label)
        yield made(
            label,
            ("overflow", "subnormals"),
            (20, 4, 1),
            rng.integers(-8, 8, (20, 32)),
            rng.integers(-128, 128, (4, 32)),
            case[:20],
            case[:4],
        )
