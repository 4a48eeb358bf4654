"""What counts as right: bits where they are promised, classes where scales are not finite, else the proven bound."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from codegen.cost import Cost
from codegen.plan import Plan
from codegen.reference import Expected, Kind

HALF_ULP = Fraction(1, 1 << 24)
"""f32's unit roundoff."""


def roundings(numbers: Plan, blocks: int) -> int:
    """The most roundings that any term goes through on its way into the result: docs/numerics.md."""
    turns, rest = divmod(blocks, numbers.spec.unroll)
    per_turn = max(
        sum(group.accumulator == a for group in numbers.groups) for a in range(numbers.spec.accumulators)
    )
    joins = (len(numbers.vectors) + 1 if numbers.vectors else 0) + len(numbers.scalars)
    return 1 + turns * per_turn + rest + joins


def bound(numbers: Plan, blocks: int, magnitude: Fraction) -> Fraction:
    """The proven error bound: gamma_m * sum of |S * dx * dy|, with m roundings of at most half an ulp."""
    growth = roundings(numbers, blocks) * HALF_ULP
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


@dataclass
class Report:
    """What verification found.

    Attributes:
        kernel: the kernel's name.
        cases: dot products compared.
        blocks: blocks in them.
        worst_ulp: the largest error, in ulps of the sum of |S * dx * dy|.
        cost: what the assembled kernel costs.
        failures: one line each; empty where the kernel is right.
    """

    kernel: str
    cost: Cost
    cases: int = 0
    blocks: int = 0
    worst_ulp: float = 0.0
    failures: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def count(self, blocks: int, got: float, expected: Expected) -> None:
        """Counts one dot product, and its error where it has one."""
        self.cases += 1
        self.blocks += blocks
        self.worst_ulp = max(self.worst_ulp, ulps(got, expected))
