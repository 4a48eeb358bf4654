"""Values of blocks, against GGML's two dequantisers and, where neither knows a format, its definition."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from gguf import quants

from codegen.formats import FORMATS, Format, dequantize
from codegen.formats.format import Factor, Number
from codegen.oracle.inputs import rng_of
from tests.formats.native_ggml import dequantized

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]

GGUF_HAS_NONE = {"q1_0", "q2_0", "q8_1", "q8_K"}
GGML_HAS_NONE = {"f16", "bf16", "f32", "q8_1"}

every_format = pytest.mark.parametrize("block", FORMATS.values(), ids=FORMATS)


def random_blocks(block: Format, count: int) -> U8:
    return rng_of(f"blocks of {block.name}").integers(0, 256, (count, block.bytes), np.uint8)


def assert_same(ours: F32, theirs: F32) -> None:
    """The same bits, but for those of NaN."""
    assert ours.shape == theirs.shape
    numbers = ~np.isnan(theirs)
    assert np.array_equal(np.isnan(ours), ~numbers)
    assert np.array_equal(ours[numbers].view(np.uint32), theirs[numbers].view(np.uint32))


def by_gguf(raw: U8, block: Format) -> F32:
    assert block.gguf_type is not None
    with np.errstate(all="ignore"):
        return quants.dequantize(raw, block.gguf_type).reshape(-1)


def patterns_of_fractions(block: Format) -> Iterator[U8]:
    """Blocks whose fractions have every pattern of 16 or 8 bits, and of 32 bits those that matter and many others."""
    for factor in block.factors:
        for index in range(factor.count):
            for chunk in np.array_split(patterns_of(factor), 16):
                raw = random_blocks(block, len(chunk))
                at, width = factor.at + index * factor.number.bytes, factor.number.bytes
                raw[:, at : at + width] = chunk.astype(f"<u{width}")[:, None].view(np.uint8)
                yield raw


def patterns_of(factor: Factor) -> npt.NDArray[np.uint32]:
    if factor.number is not Number.F32:
        return np.arange(1 << 8 * factor.number.bytes, dtype=np.uint32)
    edges = np.array(
        [0, 1, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000], np.uint32
    )
    others = rng_of("f32").integers(0, 1 << 32, 50_000, np.uint32)
    return np.concatenate([edges, edges | np.uint32(1 << 31), others])


@every_format
def test_every_pattern_of_a_fraction_gives_the_values_of_gguf(block: Format) -> None:
    if block.name in GGUF_HAS_NONE:
        pytest.skip(f"gguf does not dequantise {block.name}")
    for raw in patterns_of_fractions(block):
        assert_same(dequantize(raw, block), by_gguf(raw, block))


@every_format
def test_every_pattern_of_a_fraction_gives_the_values_of_ggml(block: Format) -> None:
    for raw in patterns_of_fractions(block):
        theirs = dequantized(raw, block)
        assert (theirs is None) == (block.name in GGML_HAS_NONE)
        if theirs is not None:
            assert_same(dequantize(raw, block), theirs)


@pytest.mark.parametrize("name", ["q1_0", "q2_0", "q8_1", "q8_K"])
def test_a_format_that_gguf_lacks_is_its_definition(name: str) -> None:
    block = FORMATS[name]
    for raw in random_blocks(block, 200):
        expected = [defined_value(name, raw, i) for i in range(block.elements)]
        assert_same(dequantize(raw, block), np.array(expected, np.float32))


def defined_value(name: str, raw: U8, i: int) -> np.float32:
    """One element, as ggml-common.h describes the block."""
    with np.errstate(all="ignore"):
        d = np.float32(raw[:4].copy().view(np.float32 if name == "q8_K" else np.float16)[0])
        match name:
            case "q1_0":
                return d if raw[2 + i // 8] >> i % 8 & 1 else -d
            case "q2_0":
                return d * np.float32(int(raw[2 + i // 4] >> 2 * (i % 4) & 3) - 1)
            case _:
                return d * np.float32(raw[4 + i : 5 + i].view(np.int8)[0])
