"""What counts as right: bits where they are promised, classes where scales are not finite, else the proven bound."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np

from codegen.kernels.dot.plan import DotPlan
from codegen.oracle.dot import Expected, Kind

HALF_ULP = Fraction(1, 1 << 24)
"""f32's unit roundoff."""


def roundings(plan: DotPlan, blocks: int) -> int:
    """The most roundings that any term goes through on its way into the result: docs/numerics.md."""
    turns, rest = divmod(blocks, plan.spec.unroll)
    per_turn = max(
        sum(group.accumulator == a for group in plan.groups) for a in range(plan.spec.accumulators)
    )
    joins = (len(plan.vectors) + 1 if plan.vectors else 0) + len(plan.scalars)
    return 1 + turns * per_turn + rest + joins


def bound(plan: DotPlan, blocks: int, magnitude: Fraction) -> Fraction:
    """The proven error bound: gamma_m * sum of |S * dx * dy|, with m roundings of at most half an ulp."""
    growth = roundings(plan, blocks) * HALF_ULP
    return growth / (1 - growth) * magnitude


def mismatch(got: float, expected: Expected, limit: Fraction) -> str | None:
    """Why `got` is not what is expected; None where it is."""
    if expected.kind is Kind.NAN:
        return None if np.isnan(got) else f"{got!r}, expected NaN"
    if expected.kind is not Kind.FINITE:
        return None if got == float(expected.kind) else f"{got!r}, expected {expected.kind}"
    if not np.isfinite(got):
        return f"{got!r}, expected {float(expected.value)!r}"
    if expected.exact:
        same = struct.pack("<f", got) == struct.pack("<f", float(expected.value))
        return None if same else f"{got!r}, expected exactly {float(expected.value)!r}"
    error = abs(Fraction(got) - expected.value)
    if error > limit:
        return f"{got!r}, expected {float(expected.value)!r} within {float(limit):.3g}, is off by {float(error):.3g}"
    return None


def differs(got: float, wanted: np.float32) -> str | None:
    """Why `got` does not have the bits it should have; None where it has."""
    same = struct.pack("<f", got) == struct.pack("<f", wanted)
    return None if same else f"{got!r}, its additions in order give {float(wanted)!r}"


def ulps(got: float, expected: Expected) -> float:
    """The error in ulps of the sum of |S * dx * dy|; zero where that does not say anything."""
    if expected.kind is not Kind.FINITE or not expected.magnitude or not np.isfinite(got):
        return 0.0
    return float(abs(Fraction(got) - expected.value) / expected.magnitude / (2 * HALF_ULP))
