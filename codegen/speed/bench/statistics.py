"""What rounds of samples say: medians, spread, outliers, and how sure a ratio is."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2_000
_CONFIDENCE = 95

LEAST_ROUNDS = 6
"""With fewer, not even the extremes of the samples hold the median with that confidence: 1 - 2 / 2^5 is below it."""


@dataclass(frozen=True)
class Summary:
    """Of one contestant's samples.

    Attributes:
        median, low, high: nanoseconds; the middle one, and the quartiles.
        best, worst: nanoseconds; the extremes.
        outliers: samples more than 1.5 times the quartiles' distance beyond them (Tukey's fences).
    """

    median: float
    low: float
    high: float
    best: float
    worst: float
    outliers: int

    @property
    def spread(self) -> float:
        """The quartiles' distance over the median."""
        return (self.high - self.low) / self.median


def summarize(samples: tuple[float, ...]) -> Summary:
    """The summary of at least one sample."""
    values = np.array(samples)
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75))
    fence = 1.5 * (high - low)
    outliers = int(((values < low - fence) | (values > high + fence)).sum())
    return Summary(float(median), float(low), float(high), float(values.min()), float(values.max()), outliers)


@dataclass(frozen=True)
class Ratio:
    """How many times as fast, with a 95% bootstrap confidence interval; of too few rounds, from 0 to infinity."""

    value: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether the interval tells which of the two is faster."""
        return self.low > 1 or self.high < 1

    @property
    def drawn(self) -> tuple[float, float]:
        """The interval as a picture has it: nothing but the value where rounds were too few."""
        return (self.low, self.high) if math.isfinite(self.high) else (self.value, self.value)

    @property
    def interval(self) -> str:
        """As a table has it; empty where rounds were too few."""
        return f"{self.low:.2f} to {self.high:.2f}" if math.isfinite(self.high) else ""


def speedup(slow: tuple[float, ...], fast: tuple[float, ...]) -> Ratio:
    """Median of `slow` over median of `fast`, sampled in the same rounds.

    Rounds are resampled, not samples: what slowed a whole round down slowed both. (Efron's percentile bootstrap.)
    """
    over, under = np.array(slow), np.array(fast)
    value = float(np.median(over) / np.median(under))
    if len(over) < LEAST_ROUNDS:
        return Ratio(value, 0.0, math.inf)
    rng = np.random.default_rng(zlib.crc32(b"bootstrap"))
    rounds = rng.integers(0, len(over), (_RESAMPLES, len(over)))
    ratios = np.median(over[rounds], axis=1) / np.median(under[rounds], axis=1)
    low, high = np.percentile(ratios, (50 - _CONFIDENCE / 2, 50 + _CONFIDENCE / 2))
    return Ratio(value, float(low), float(high))
