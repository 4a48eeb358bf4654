"""Exact dot products of every format, against their definition: one element at a time, in fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.base.errors import SpecError
from codegen.formats import FORMATS, Blocks, Format, blocks_of, decode, encode
from codegen.formats.codes import Codes
from codegen.formats.decoding import Factors, f32_of
from codegen.formats.format import Factor, Number
from codegen.oracle.dot import Kind, dot, dot_rows

WEIGHTS = {name: block for name, block in FORMATS.items() if block.activations}

every_format = pytest.mark.parametrize("block", WEIGHTS.values(), ids=WEIGHTS)


def fractions_of(rng: np.random.Generator, factor: Factor, blocks: int) -> np.ndarray:
    """Finite ones, from the least to the greatest."""
    patterns = rng.integers(0, 1 << 8 * factor.number.bytes, (blocks, factor.count)).astype(np.uint32)
    return np.where(np.isfinite(f32_of(patterns, factor.number)), patterns, np.uint32(0))


def integers_of(rng: np.random.Generator, codes: Codes | None, blocks: int) -> np.ndarray | None:
    """Random ones, or all the least or the greatest."""
    if codes is None:
        return None
    lowest, highest = codes.raw
    made = rng.integers(lowest, highest + 1, (blocks, codes.count))
    made[rng.random(blocks) < 0.2] = lowest
    made[rng.random(blocks) < 0.2] = highest
    return made.astype(np.int16)


def random_blocks(rng: np.random.Generator, block: Format, blocks: int) -> bytes:
    codes = integers_of(rng, block.codes, blocks)
    assert codes is not None
    minimum = block.minimum
    parts = blocks_of(
        block,
        codes,
        fractions_of(rng, block.scale, blocks),
        integers_of(rng, block.scale.codes, blocks),
        fractions_of(rng, minimum, blocks) if minimum else None,
        integers_of(rng, minimum.codes, blocks) if minimum else None,
    )
    if block.sums and block.sums.scaled:  # any finite ones: they need not be those of the codes
        halves = fractions_of(rng, Factor(Number.F16, 0), blocks)
        parts = replace(parts, sums=halves.astype(np.uint16).view(np.int16))
    return encode(parts)


def factor_of(parts: Factors, entry: Factor, at: int, i: int, elements: int) -> Fraction:
    """The factor of element i of block `at`."""
    fraction = parts.patterns[at, i * entry.count // elements]
    whole = Fraction(float(f32_of(np.array([fraction], np.uint32), entry.number)[0]))
    if parts.codes is None or entry.codes is None:
        return whole
    return whole * (int(parts.codes[at, i * entry.groups // elements]) - entry.codes.zero)


def slow_dot(x: Blocks, y: Blocks, n: int) -> Fraction:
    """The sum of products of elements; where activations store a scaled sum, that times each minimum instead."""
    total = Fraction(0)
    weights, activations = x.format, y.format
    for element in range(n):
        at, i = divmod(element, weights.elements)
        y_at, j = divmod(element, activations.elements)
        weight = factor_of(x.scale, weights.scale, at, i, weights.elements) * int(x.values[at, i])
        stored = activations.sums is not None and activations.sums.scaled
        if x.minimum and weights.minimum and not stored:
            least = factor_of(x.minimum, weights.minimum, at, i, weights.elements)
            weight += weights.minimum.sign * least
        total += (
            weight
            * factor_of(y.scale, activations.scale, y_at, j, activations.elements)
            * int(y.values[y_at, j])
        )
        if x.minimum and weights.minimum and stored and j == 0:
            assert y.sums is not None
            least = factor_of(x.minimum, weights.minimum, at, i, weights.elements)
            total += weights.minimum.sign * least * Fraction(float(y.sums.view(np.float16)[y_at, 0]))
    return total


@every_format
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), blocks=st.integers(0, 3))
def test_a_dot_product_is_the_sum_of_its_elements_products(block: Format, seed: int, blocks: int) -> None:
    rng = np.random.default_rng(seed)
    activations = FORMATS[block.activations]
    n = blocks * block.elements
    x, y = random_blocks(rng, block, blocks), random_blocks(rng, activations, activations.blocks(n))
    found = dot(x, y, n, block, activations)
    assert found.kind is Kind.FINITE
    assert found.value == slow_dot(decode(x, block), decode(y, activations), n)
    assert found.magnitude >= abs(found.value)


@every_format
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "each"])
def test_rows_are_dot_products_one_by_one(block: Format, shared: bool) -> None:
    rng = np.random.default_rng(len(block.name))
    activations, rows, n = FORMATS[block.activations], 3, 2 * block.elements
    x = random_blocks(rng, block, 2 * rows)
    y = random_blocks(rng, activations, activations.blocks(n) * (1 if shared else rows))
    x_step, y_step = len(x) // rows, 0 if shared else len(y) // rows
    length = len(y) if shared else y_step
    assert dot_rows(x, y, rows, n, block, activations) == [
        dot(x[x_step * r : x_step * (r + 1)], y[y_step * r : y_step * r + length], n, block, activations)
        for r in range(rows)
    ]


@pytest.mark.parametrize(("name", "at"), [("q4_1", 2), ("q4_K", 2), ("q4_K", 0), ("q6_K", 208), ("q8_0", 0)])
@pytest.mark.parametrize("pattern", [0x7C00, 0xFC00, 0x7E01])
def test_a_fraction_that_is_not_finite_decides_the_kind(name: str, at: int, pattern: int) -> None:
    block = FORMATS[name]
    activations = FORMATS[block.activations]
    rng = np.random.default_rng(3)
    x, y = (
        bytearray(random_blocks(rng, f, f.blocks(256) if f is activations else 256 // f.elements))
        for f in (block, activations)
    )
    x[at : at + 2] = pattern.to_bytes(2, "little")
    found = dot(x, y, 256, block, activations)
    parts, others = decode(x, block), decode(y, activations)
    with np.errstate(all="ignore"):
        factors = [f32_of(one.patterns, Number.F16)[0, 0] for one in (parts.scale, parts.minimum) if one]
    assert not all(np.isfinite(factors))
    assert found.kind is not Kind.FINITE
    assert found.value == 0
    if np.isnan(factors).any():
        assert found.kind is Kind.NAN
    assert others.format is activations


def test_minima_without_sums_are_refused() -> None:
    block, activations = FORMATS["q4_1"], FORMATS["q8_0"]
    with pytest.raises(SpecError, match="q4_1 x q8_0: minima need activations that have sums"):
        dot(bytes(block.bytes), bytes(activations.bytes), 32, block, activations)


def test_a_sum_beyond_24_bits_is_not_exact() -> None:
    block, activations = FORMATS["q6_K"], FORMATS["q8_K"]
    ones = np.full((1, 16), 1, np.int16)
    y = encode(blocks_of(activations, np.full((1, 256), 127, np.int16), np.full(1, 0x3F800000)))
    codes = np.full((1, 256), 63, np.int16)
    small = encode(blocks_of(block, codes, np.full(1, 0x3C00), ones))
    assert dot(small, y, 256, block, activations).exact
    ones[0, ::2], codes[0, 16] = 127, 62  # so that the sum is odd
    large = encode(blocks_of(block, codes, np.full(1, 0x3C00), ones))
    assert not dot(large, y, 256, block, activations).exact


@pytest.mark.parametrize(
    ("scale", "exact"), [(0x00000001, False), (0x01000000, True), (0x7F000000, True), (0x7F7FFFFF, False)]
)
def test_products_of_scales_that_are_no_f32_are_not_exact(scale: int, exact: bool) -> None:
    """d = 1/2 makes of the smallest f32 none, d = 1 and 127 * 63 of the largest none."""
    block, activations = FORMATS["q6_K"], FORMATS["q8_K"]
    half = 0x3800 if scale < 0x3F800000 else 0x0001
    codes = np.full((1, 256), 32, np.int16)
    codes[0, 0] = 34  # the value 2, of the integer scale 1
    x = encode(blocks_of(block, codes, np.full(1, half), np.full((1, 16), 1, np.int16)))
    quants = np.zeros((1, 256), np.int16)
    quants[0, 0] = 1 if scale != 0x7F7FFFFF else 127
    y = encode(blocks_of(activations, quants, np.full(1, scale)))
    assert dot(x, y, 256, block, activations).exact is exact
