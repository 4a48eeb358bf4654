"""Blocks taken apart and put together again."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.formats import FORMATS, Blocks, Format, blocks_of, decode, encode
from codegen.formats.codes import Codes, Trits
from codegen.formats.decoding import Factors, exact, f32_of
from codegen.formats.format import Factor, Number
from codegen.oracle.inputs import rng_of

every_format = pytest.mark.parametrize("block", FORMATS.values(), ids=FORMATS)
seeds = st.integers(0, 2**32 - 1)


def random_codes(rng: np.random.Generator, codes: Codes, blocks: int) -> npt.NDArray[np.int16]:
    lowest, highest = codes.raw
    return rng.integers(lowest, highest + 1, (blocks, codes.count)).astype(np.int16)


def random_factors(rng: np.random.Generator, factor: Factor, blocks: int) -> Factors:
    patterns = rng.integers(0, 1 << 8 * factor.number.bytes, (blocks, factor.count))
    codes = random_codes(rng, factor.codes, blocks) if factor.codes else None
    return Factors(patterns.astype(np.uint32), codes)


def random_parts(rng: np.random.Generator, block: Format, blocks: int) -> Blocks:
    sums = rng.integers(-(1 << 15), 1 << 15, (blocks, block.sums.count)) if block.sums else None
    return Blocks(
        block,
        random_codes(rng, block.codes, blocks),
        random_factors(rng, block.scale, blocks),
        random_factors(rng, block.minimum, blocks) if block.minimum else None,
        None if sums is None else sums.astype(np.int16),
    )


def assert_same_parts(one: Blocks, other: Blocks) -> None:
    assert one.format is other.format
    assert np.array_equal(one.codes, other.codes)
    for first, second in ((one.scale, other.scale), (one.minimum, other.minimum)):
        assert (first is None) == (second is None)
        if first and second:
            assert np.array_equal(first.patterns, second.patterns)
            assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(one.sums, other.sums)


@every_format
@settings(max_examples=40, deadline=None)
@given(seed=seeds, blocks=st.integers(0, 5))
def test_decode_gives_the_parts_that_encode_was_given(block: Format, seed: int, blocks: int) -> None:
    parts = random_parts(np.random.default_rng(seed), block, blocks)
    raw = encode(parts)
    assert len(raw) == blocks * block.bytes
    assert_same_parts(decode(raw, block), parts)


@every_format
@settings(max_examples=40, deadline=None)
@given(data=st.data(), blocks=st.integers(0, 3))
def test_encode_gives_the_bytes_that_decode_was_given(
    block: Format, data: st.DataObject, blocks: int
) -> None:
    raw = data.draw(st.binary(min_size=blocks * block.bytes, max_size=blocks * block.bytes))
    again = encode(decode(raw, block))
    if any(isinstance(plane, Trits) for plane in block.codes.planes):
        # 256 bytes hold 243 combinations of digits: the bytes may differ, the digits may not.
        assert_same_parts(decode(again, block), decode(raw, block))
    else:
        assert again == raw


@every_format
@pytest.mark.parametrize("end", [0, 1], ids=["least", "greatest"])
def test_codes_reach_both_ends_of_their_range(block: Format, end: int) -> None:
    parts = random_parts(rng_of(block.name), block, 2)
    for codes, entry in [
        (parts.codes, block.codes),
        (parts.scale.codes, block.scale.codes),
        (parts.minimum.codes if parts.minimum else None, block.minimum.codes if block.minimum else None),
    ]:
        if codes is not None and entry is not None:
            codes[:] = entry.raw[end]
    assert_same_parts(decode(encode(parts), block), parts)


@pytest.mark.parametrize("number", Number)
def test_fractions_are_exact(number: Number) -> None:
    if number is Number.F32:
        patterns = rng_of("f32").integers(0, 1 << 32, 20_000, np.uint32)
    else:
        patterns = np.arange(1 << 8 * number.bytes, dtype=np.uint32)
    values, (mantissas, exponents) = f32_of(patterns, number), exact(patterns, number)
    for value, mantissa, exponent in zip(values, mantissas.tolist(), exponents.tolist(), strict=True):
        wanted = Fraction(float(value)) if np.isfinite(value) else 0
        assert mantissa * Fraction(2) ** exponent == wanted


def test_activations_get_the_sums_of_their_codes() -> None:
    rng = rng_of("sums")
    codes = rng.integers(-128, 128, (3, 256)).astype(np.int16)
    made = blocks_of(FORMATS["q8_K"], codes, np.full(3, 0x3F800000))
    assert made.sums is not None
    assert made.sums.tolist() == [
        [sum(row[16 * g : 16 * g + 16]) for g in range(16)] for row in codes.tolist()
    ]
    made = blocks_of(FORMATS["q8_1"], codes[:, :32], np.full(3, 0x3800))  # d = 0.5
    assert made.sums is not None
    assert made.sums.view(np.float16)[:, 0].tolist() == [sum(row[:32]) / 2 for row in codes.tolist()]
