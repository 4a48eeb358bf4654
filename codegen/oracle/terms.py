"""The terms of dot products, exactly: an integer times two fractions, one for each run of elements that share both.

Fractions are those that blocks store. A block of K-quants adds its groups' sums times their integer scales first, so
it makes one term; its minimum makes another, of the sums of codes that the activations store.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.base.errors import SpecError
from codegen.formats import Blocks
from codegen.formats.decoding import Factors, Ints, Patterns, exact, f32_of, stand_for
from codegen.formats.format import Factor, Number


@dataclass(frozen=True)
class Fractions:
    """Fractions that blocks store, exactly.

    Attributes:
        mantissas: integers; 0 for an infinity or NaN.
        exponents: of the powers of two that they are multiplied by.
        values: the same as f64, infinities and NaN included.
    """

    mantissas: Ints
    exponents: Ints
    values: npt.NDArray[np.float64]

    @classmethod
    def of(cls, patterns: Patterns, number: Number) -> Fractions:
        """Those with these bits."""
        with np.errstate(invalid="ignore"):  # NaN that signal
            return cls(*exact(patterns, number), f32_of(patterns, number).astype(np.float64))


@dataclass(frozen=True)
class Terms:
    """Terms integers * left * right; a row's dot product is the sum of its terms.

    Attributes:
        integers: sums of products, shape (rows, terms).
        left: the scales or minima of the weights, shape (rows, terms).
        right: the scales of the activations, or their scaled sums, shape (rows, terms), or (1, terms) if all share it.
    """

    integers: Ints
    left: Fractions
    right: Fractions

    @property
    def mantissas(self) -> Ints:
        """The products of the fractions' mantissas; 0 where one is not finite."""
        return self.left.mantissas * self.right.mantissas

    @property
    def exponents(self) -> Ints:
        """Of the powers of two that those are multiplied by."""
        return self.left.exponents + self.right.exponents

    @property
    def factors(self) -> npt.NDArray[np.float64]:
        """The products of the fractions as f64, infinities and NaN included; large and small ones are rounded."""
        with np.errstate(invalid="ignore"):
            return self.left.values * self.right.values


def terms(x: Blocks, y: Blocks, n: int) -> tuple[Terms, ...]:
    """The terms of dot products of n elements: those of the scales, then those of the minima if there are any.

    Args:
        x: the weights, row after row.
        y: the activations, one row that all share or as many rows as x has.
        n: elements of a row, not 0.

    Raises:
        SpecError: weights that have minima meet activations that have no sums.
    """
    weights, activations = x.format, y.format
    group = min(weights.elements // weights.scale.groups, activations.elements)
    left, right = (side.values.reshape(-1, n // group, group) for side in (x, y))
    sums = np.einsum("rge,rge->rg", left, np.broadcast_to(right, left.shape), dtype=np.int64)
    if x.scale.codes is not None and weights.scale.codes:
        sums *= stand_for(x.scale.codes, weights.scale.codes).reshape(sums.shape)
    run = min(weights.elements // weights.scale.count, activations.elements)
    scaled = Terms(
        sums.reshape(-1, n // run, run // group).sum(axis=2),
        _fractions(x.scale, weights.scale, n, weights.elements, run),
        _fractions(y.scale, activations.scale, n, activations.elements, run),
    )
    return (
        (scaled, _minima(x.minimum, weights.minimum, x, y, n)) if x.minimum and weights.minimum else (scaled,)
    )


def _minima(minimum: Factors, entry: Factor, x: Blocks, y: Blocks, n: int) -> Terms:
    stored = y.format.sums
    if y.sums is None or stored is None:
        raise SpecError(f"{x.format.name} x {y.format.name}: minima need activations that have sums of codes")
    run = x.format.elements
    left = _fractions(minimum, entry, n, run, run)
    if stored.scaled:
        sums = Fractions.of(y.sums.view(np.uint16).astype(np.uint32).reshape(-1, n // run), Number.F16)
        return Terms(np.full(left.mantissas.shape, entry.sign, np.int64), left, sums)
    # One sum of codes a group of weights, however many the activations have.
    of_groups = y.sums.astype(np.int64).reshape(-1, n // run, entry.groups, stored.count // entry.groups)
    minima = np.ones((1, 1, 1), np.int64)
    if minimum.codes is not None and entry.codes:
        minima = stand_for(minimum.codes, entry.codes).astype(np.int64).reshape(-1, n // run, entry.groups)
    integers = entry.sign * (minima * of_groups.sum(axis=3)).sum(axis=2)
    return Terms(integers, left, _fractions(y.scale, y.format.scale, n, y.format.elements, run))


def _fractions(parts: Factors, entry: Factor, n: int, elements: int, run: int) -> Fractions:
    """The fractions of each `run` elements, shape (rows, n / run); `elements` are those of a block."""
    share = elements // entry.count
    patterns = parts.patterns.reshape(-1, n // share).repeat(share // run, axis=1)
    return Fractions.of(patterns, entry.number)
