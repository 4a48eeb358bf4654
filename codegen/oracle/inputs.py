"""Numbers that inputs are made of: seeded by name, so that they are the same in every run and on every machine."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt

Halves = npt.NDArray[np.uint16]

ONE = 0x3C00
INFINITY, NAN = 0x7C00, 0x7E00
LARGEST, SMALLEST, LARGEST_SUBNORMAL, SMALLEST_NORMAL = 0x7BFF, 0x0001, 0x03FF, 0x0400
SIGN = 0x8000
"""f16 patterns, and the bit that makes them negative."""


def rng_of(name: str) -> np.random.Generator:
    """A generator seeded by a name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def random_halves(rng: np.random.Generator, count: int, kind: str) -> Halves:
    """f16 bits: `powers` of two near one, `usual` scales of models, or any `finite` pattern."""
    if kind == "powers":
        bits = rng.integers(14, 17, count) << 10 | rng.integers(0, 2, count) << 15
    elif kind == "usual":
        bits = (
            (rng.choice([-1.0, 1.0], count) * rng.uniform(0.002, 0.03, count))
            .astype(np.float16)
            .view(np.uint16)
        )
    else:
        bits = rng.integers(0, 0x7C00, count) | rng.integers(0, 2, count) << 15
    return bits.astype(np.uint16)
