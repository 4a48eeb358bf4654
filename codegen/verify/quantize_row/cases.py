"""Rows that find faults in a quantiser: ties, amax everywhere, tiny and huge numbers, zeros, infinities, NaN.

`small_cases` are written down for other engines too. `sweeps` are long: they have every f16 as a scale, and
the f32 at which scales change from one to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.formats import Q8_0
from codegen.oracle.inputs import rng_of

F32 = npt.NDArray[np.float32]

N = Q8_0.elements

_TINY = float(np.float32(2.0**-149))
_EXPONENTS = (-140, -134, -127, -120, -30, -1, 0, 1, 9, 100, 120)
"""Of the scale, for ties: below 2^-127, where 2 / scale overflows, and far from it."""


@dataclass(frozen=True)
class Case:
    """One row to quantise."""

    name: str
    kinds: tuple[str, ...]
    values: F32


def usual(name: str, blocks: int) -> F32:
    """Normally distributed values, of another size in each block."""
    rng = rng_of(name)
    rows = rng.standard_normal((blocks, N)) * 2.0 ** rng.integers(-6, 7, (blocks, 1))
    return rows.astype(np.float32).reshape(-1)


def ending_in_zeros(values: F32) -> F32:
    """The same with zeros for the last block of each row: kernels have a path of its own for such scales."""
    found = values.copy()
    found[..., -N:] = 0
    return found


def ties(exponent: int, blocks: int = 8) -> F32:
    """Values at, just below and just above k + 1/2 times a scale that is a power of two, of both signs."""
    rng = rng_of(f"ties-{exponent}")
    halves = (rng.integers(-127, 127, (blocks, N)) + 0.5).astype(np.float32)
    rows = halves.view(np.int32) + rng.integers(-1, 2, halves.shape).astype(np.int32)
    values = rows.view(np.float32).astype(np.float64) * 2.0**exponent
    values[:, 0] = 127 * 2.0**exponent * rng.choice((-1, 1), blocks)
    return values.astype(np.float32).reshape(-1)


def near_ties(blocks: int) -> F32:
    """Values nearest to k + 1/2 times any scale, or next to that: what is off by a rounding comes out another quant."""
    rng = rng_of(f"near-ties-{blocks}")
    largest = (rng.uniform(1, 2, (blocks, 1)) * 2.0 ** rng.integers(-20, 20, (blocks, 1))).astype(np.float32)
    scales = largest / np.float32(127)
    rows = ((rng.integers(-127, 127, (blocks, N)) + 0.5) * scales).astype(np.float32)
    rows = (rows.view(np.int32) + rng.integers(-1, 2, rows.shape)).astype(np.int32).view(np.float32)
    rows[np.arange(blocks), np.arange(blocks) % N] = largest[:, 0]
    return rows.reshape(-1)


def small_cases() -> Iterator[Case]:
    """Rows of a few blocks."""
    for blocks in range(18):
        kinds = ("block count", "tail", "odd block count")
        yield Case(f"count-b{blocks}", kinds, usual(f"count-b{blocks}", blocks))
    for exponent in _EXPONENTS:
        yield Case(f"ties-e{exponent}", ("rounding of ties",), ties(exponent))
    yield Case("near-ties", ("rounding of ties", "multiplied with the inverse"), near_ties(32))
    for at in range(N):
        row = usual(f"amax-{at}", 1)
        row[at] = np.float32(-300 if at % 2 else 300)
        yield Case(f"amax-at-{at}", ("lane order", "largest magnitude"), row)
    for label, values in _special_rows():
        yield Case(label, ("special values",), np.array(values, np.float32))
    for label, value in (("nan", np.nan), ("inf", np.inf), ("-inf", -np.inf)):
        for at in (0, 13, 31):
            for block in range(5):
                row = usual(f"{label}-{at}-{block}", 5)
                row[block * N + at] = value
                yield Case(f"{label}-at-{block * N + at}", ("non-finite values",), row)
    for bits in (0x7F800001, 0xFF800001, 0xFFC00000, 0x7FFFFFFF):
        row = usual(f"nan-{bits}", 4)
        row.view(np.uint32)[40] = bits
        row[41] = np.inf
        yield Case(f"nan-bits-{bits:08x}", ("non-finite values",), row)
    for index, bits in enumerate((0x00000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF)):
        row = usual(f"lone-{index}", 4)
        row[2 * N : 3 * N] = 0
        row.view(np.uint32)[2 * N + 7 * index] = bits
        yield Case(f"alone-{bits:08x}", ("subnormals", "overflow"), row)


def _special_rows() -> Iterator[tuple[str, list[float]]]:
    yield "zeros", [0.0] * N
    yield "minus-zeros", [-0.0] * N
    yield "zeros-of-both-signs", [0.0, -0.0] * (N // 2)
    yield "zeros-between", [1.0] * N + [0.0] * N + [-2.0] * N + [-0.0] * N + [3.0] * N
    yield "all-the-same", [-7.25] * N
    yield "smallest", [_TINY * (i - 16) for i in range(N)]
    for thousandths in (480, 500, 501, 996, 1000, 1004, 2000):
        # 1 / d is finite from d = 2^-128 up, and 2 / d from 2^-127
        amax = 127 * 2.0**-127 * thousandths / 1000
        yield f"tiny-{thousandths}", [amax * (i - 15) / 16 for i in range(N)]
    yield "largest", [float(np.finfo(np.float32).max) * (i - 15) / 16 for i in range(N)]


def sweeps() -> Iterator[Case]:
    """Every f16 as a scale, and all f32 near where it changes; all exponents; many ties; any bits."""
    yield Case("every f16 scale", (), _scales_near_every_half())
    rng = rng_of("sweep-bits")
    bits = rng.integers(0, 1 << 32, (20_000, N)).astype(np.uint32)
    bits[::2] = bits[::2] & 0x807FFFFF | (rng.integers(0, 255, (10_000, 1)) << 23).astype(np.uint32)
    yield Case("any bits", (), bits.view(np.float32).reshape(-1))
    yield Case("near ties of any scale", (), near_ties(20_000))
    yield Case("ties at every exponent", (), np.concatenate([ties(e, 40) for e in range(-149, 121)]))
    yield Case("half a unit at every exponent", (), np.concatenate([_halves(e) for e in range(-149, 121)]))


def _halves(exponent: int) -> F32:
    """Half of a scale that is a power of two in every place, which rounding bits that are one less round to 0."""
    rows = np.full((4, N), 0.5)
    rows[range(4), range(4)] = 127
    rows[1::2] *= -1
    return (rows * 2.0**exponent).astype(np.float32).reshape(-1)


def _scales_near_every_half() -> F32:
    """For each f16 and each point between two, f32 scales there and next to there, as the row's largest over 127."""
    halves = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    halves[-1] = 65536  # where the next would be
    points = np.concatenate([halves, (halves[1:] + halves[:-1]) / 2])
    largest = (points * 127).astype(np.float32).view(np.int32)
    near = np.concatenate([np.maximum(largest + step, 0) for step in (-2, -1, 0, 1, 2)])
    rng = rng_of("sweep-scales")
    rows = rng.uniform(-1, 1, (len(near), 4)).astype(np.float32) * near.view(np.float32)[:, None]
    rows = np.tile(rows, (1, N // 4))
    places = np.arange(len(near))
    rows[places, places % N] = near.view(np.float32) * np.where(places % 3, 1, -1)
    return rows.astype(np.float32).reshape(-1)
