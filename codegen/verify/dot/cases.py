"""Dot products that find faults: random blocks, and the blocks that kernels in the field got wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from codegen.formats import Q8_0, Format
from codegen.oracle.dot import encode
from codegen.oracle.inputs import (
    INFINITY,
    LARGEST,
    LARGEST_SUBNORMAL,
    NAN,
    ONE,
    SIGN,
    SMALLEST,
    SMALLEST_NORMAL,
    Halves,
    random_halves,
    rng_of,
)


@dataclass(frozen=True)
class Case:
    """One dot product to compute.

    Attributes:
        name: unique, and says what the case is.
        kinds: the kinds of fault it is there to find.
        n: elements.
        x: blocks of weights.
        y: Q8_0 blocks.
    """

    name: str
    kinds: tuple[str, ...]
    n: int
    x: bytes
    y: bytes


@dataclass(frozen=True)
class Cases:
    """Dot products of weights of one format."""

    weights: Format

    @property
    def least(self) -> int:
        """The least integer that the bits of a code can stand for."""
        return self.weights.codes.raw[0] - self.weights.codes.zero

    @property
    def greatest(self) -> int:
        """The greatest one."""
        return self.weights.codes.raw[1] - self.weights.codes.zero

    def random(self, name: str, blocks: int, scales: str, kinds: tuple[str, ...] = ("random",)) -> Case:
        """Random quants over their whole ranges, -128 included, with random scales."""
        rng = rng_of(name)
        weights = rng.integers(self.least, self.greatest + 1, (blocks, 32)).astype(np.int16)
        activations = rng.integers(-128, 128, (blocks, 32)).astype(np.int16)
        dx, dy = random_halves(rng, blocks, scales), random_halves(rng, blocks, scales)
        return self.case(name, kinds, weights, activations, dx, dy)

    def case(
        self,
        name: str,
        kinds: tuple[str, ...],
        weights: npt.NDArray[np.int16],
        activations: npt.NDArray[np.int16],
        dx: Halves,
        dy: Halves,
    ) -> Case:
        """A case from integers and scale bits, shapes (blocks, 32) and (blocks,)."""
        x, y = encode(dx, weights, self.weights), encode(dy, activations, Q8_0)
        return Case(name, kinds, self.weights.elements * len(dx), x, y)

    def constant(
        self,
        name: str,
        kinds: tuple[str, ...],
        blocks: int,
        weight: int,
        activation: int,
        dx: int = ONE,
        dy: int = ONE,
    ) -> Case:
        """Every weight, activation and scale the same."""
        return self.case(
            name,
            kinds,
            np.full((blocks, 32), weight, np.int16),
            np.full((blocks, 32), activation, np.int16),
            np.full(blocks, dx, np.uint16),
            np.full(blocks, dy, np.uint16),
        )

    def extremes(self, blocks: int) -> Iterator[Case]:
        """Quants at the ends of their ranges, all of one sign: where i16 sums overflow and -128 cannot be negated."""
        for weight, activation in product((self.least, -1, self.greatest), (-128, -127, 127)):
            name = f"extreme-w{weight}-a{activation}-b{blocks}"
            yield self.constant(name, ("same-sign extremes", "minus 128"), blocks, weight, activation)

    def one_hot(self, blocks: int) -> Iterator[Case]:
        """A single weight and activation that are not zero: nibble order, lanes and offsets, one position at a time."""
        for element in range(32):
            weights, activations = np.zeros((blocks, 32), np.int16), np.zeros((blocks, 32), np.int16)
            block = element % blocks
            weights[block, element] = 1 + element % 7
            activations[block, element] = element - 40
            ones = np.full(blocks, ONE, np.uint16)
            name = f"one-hot-e{element}-b{blocks}"
            yield self.case(
                name, ("nibble order", "lane order", "block offsets"), weights, activations, ones, ones
            )

    def special_scales(self, blocks: int) -> Iterator[Case]:
        """A scale of a special kind in each block in turn, of either side, the others being one."""
        specials = {
            "inf": INFINITY, "-inf": INFINITY | SIGN, "nan": NAN, "-nan": NAN | SIGN, "nan-payload": 0x7C01,
            "zero": 0, "-zero": SIGN, "smallest": SMALLEST, "largest-subnormal": LARGEST_SUBNORMAL,
            "smallest-normal": SMALLEST_NORMAL, "largest": LARGEST, "-largest": LARGEST | SIGN,
        }  # fmt: skip
        for (label, bits), side, at in product(specials.items(), "xy", range(blocks)):
            name = f"scale-{label}-{side}{at}-b{blocks}"
            rng = rng_of(name)
            scales = {"x": np.full(blocks, ONE, np.uint16), "y": np.full(blocks, ONE, np.uint16)}
            scales[side][at] = bits
            weights = rng.integers(self.least, self.greatest + 1, (blocks, 32)).astype(np.int16)
            activations = rng.integers(-128, 128, (blocks, 32)).astype(np.int16)
            yield self.case(
                name, ("f16 conversion", "special scales"), weights, activations, scales["x"], scales["y"]
            )

    def non_finite_pairs(self, blocks: int) -> Iterator[Case]:
        """Infinities that meet zeros, each other and zero sums: the class of the result is IEEE's."""
        rows: list[tuple[str, int, int, int]] = [
            ("inf-times-zero", INFINITY, 0, 1),
            ("zero-times-inf", 0, INFINITY, 1),
            ("inf-times-sum-zero", INFINITY, ONE, 0),
            ("inf-times-inf", INFINITY, INFINITY, 1),
            ("minus-inf-times-inf", INFINITY | SIGN, INFINITY, 1),
            ("inf-times-subnormal", INFINITY, SMALLEST, 1),
        ]
        for label, dx, dy, weight in rows:
            yield self.constant(f"{label}-b{blocks}", ("non-finite scales",), blocks, weight, 1, dx, dy)
        if blocks > 1:
            scales = np.full(blocks, ONE, np.uint16)
            scales[0], scales[-1] = INFINITY, INFINITY | SIGN
            ones = np.ones((blocks, 32), np.int16)
            yield self.case(
                f"inf-minus-inf-b{blocks}",
                ("non-finite scales",),
                ones,
                ones,
                scales,
                np.full(blocks, ONE, np.uint16),
            )

    def extreme_scales(self, blocks: int) -> Iterator[Case]:
        """Products of scales at the ends of f32's working range: nothing may overflow, underflow or flush."""
        for dx, dy in product((SMALLEST, LARGEST_SUBNORMAL, LARGEST, LARGEST | SIGN), repeat=2):
            yield self.constant(
                f"scales-{dx:04x}-{dy:04x}-b{blocks}",
                ("subnormals", "overflow"),
                blocks,
                self.least,
                -128,
                dx,
                dy,
            )

    def cancelling(self, blocks: int) -> Iterator[Case]:
        """Large terms that cancel: the error is small against the terms, not against the result."""
        name = f"cancelling-b{blocks}"
        rng = rng_of(name)
        weights = (
            np.where(np.arange(blocks) % 2, -self.greatest, self.greatest)
            .astype(np.int16)[:, None]
            .repeat(32, axis=1)
        )
        activations = rng.integers(120, 128, (blocks, 32)).astype(np.int16)
        dx, dy = random_halves(rng, blocks, "usual"), random_halves(rng, blocks, "usual")
        positive = np.uint16(0x7FFF)
        yield self.case(name, ("cancellation",), weights, activations, dx & positive, dy & positive)

    def block_counts(self) -> Iterator[Case]:
        """Every block count from 0 to 40, exact scales, so that a lost, doubled or stray block changes bits."""
        for blocks in range(41):
            yield self.random(
                f"count-b{blocks}", blocks, "powers", ("block count", "tail", "odd block count")
            )

    def all(self) -> Iterator[Case]:
        """Every case, small ones first."""
        yield from self.block_counts()
        for blocks in (1, 4, 5, 17):
            yield from self.extremes(blocks)
            yield from self.one_hot(blocks)
            yield from self.extreme_scales(blocks)
            yield from self.non_finite_pairs(blocks)
        for blocks in (1, 5, 18):
            yield from self.special_scales(blocks)
        for blocks in (2, 16, 33):
            yield from self.cancelling(blocks)
            yield self.random(f"usual-b{blocks}", blocks, "usual")
            yield self.random(f"finite-b{blocks}", blocks, "finite", ("subnormals", "random"))
        yield from self.extremes(128)
        yield self.random("usual-b128", 128, "usual")
        yield self.random("finite-b128", 128, "finite", ("subnormals", "random"))
