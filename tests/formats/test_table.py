"""The table of formats: sizes, fields that cover a block, and bounds."""

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gguf.constants import GGML_QUANT_SIZES

from codegen.base.errors import SpecError
from codegen.formats import FORMATS, Format, blocks_of, decode, encode
from codegen.formats.codes import Codes, Plane
from codegen.formats.format import LARGEST_ACTIVATION, Bounds
from codegen.formats.table import Q2_K, Q4_0, Q5_0, Q5_K
from tests.formats.native_ggml import library

BOUNDS = {
    "q4_0": Bounds(3_840, 61_440, 0),
    "q4_1": Bounds(3_840, 61_440, 0),
    "q5_0": Bounds(7_936, 126_976, 0),
    "q5_1": Bounds(7_936, 126_976, 0),
    "q8_0": Bounds(32_512, 520_192, 0),
    "q2_K": Bounds(768, 6_144, 1_474_560),
    "q3_K": Bounds(1_792, 14_336, 7_340_032),
    "q4_K": Bounds(3_840, 61_440, 30_965_760),
    "q5_K": Bounds(7_936, 126_976, 63_995_904),
    "q6_K": Bounds(16_128, 129_024, 264_241_152),
    "iq4_nl": Bounds(32_512, 520_192, 0),
    "iq4_xs": Bounds(32_512, 520_192, 133_169_152),
    "mxfp4": Bounds(3_072, 49_152, 0),
    "nvfp4": Bounds(3_072, 24_576, 0),
    "tq1_0": Bounds(512, 65_536, 0),
    "tq2_0": Bounds(512, 65_536, 0),
    "q1_0": Bounds(256, 4_096, 0),
    "q2_0": Bounds(768, 12_288, 0),
}

every_format = pytest.mark.parametrize("block", FORMATS.values(), ids=FORMATS)


@every_format
def test_a_blocks_size_is_that_of_ggml(block: Format) -> None:
    if block.gguf_type is None:
        assert block.name == "q2_0"
        return
    if block.name != "q8_1":  # gguf's table has the block of 40 bytes that GGML had once
        assert GGML_QUANT_SIZES[block.gguf_type] == (block.elements, block.bytes)
    ggml = library()
    ggml.ggml_blck_size.restype, ggml.ggml_type_size.restype = ctypes.c_int64, ctypes.c_size_t
    number = int(block.gguf_type)
    assert (ggml.ggml_blck_size(number), ggml.ggml_type_size(number)) == (block.elements, block.bytes)


@every_format
def test_a_format_names_one_that_holds_activations(block: Format) -> None:
    weights = block.sums is None
    assert bool(block.activations) == weights
    if weights:
        assert block.elements % FORMATS[block.activations].elements == 0


def test_bounds_are_those_of_the_widest_codes() -> None:
    assert {name: block.bounds for name, block in FORMATS.items() if block.bounds} == BOUNDS


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_reached(name: str) -> None:
    block = FORMATS[name]
    assert block.bounds
    within = FORMATS[block.activations].elements

    def widest(codes: Codes) -> int:
        """A code that the quantiser makes and whose operand is the largest."""
        made = (
            range(codes.raw[0], codes.raw[1] + 1)
            if codes.used is None
            else range(codes.used[0], codes.used[1] + 1)
        )
        return max(made, key=lambda code: abs(codes.table[code] if codes.table else code))

    def least(codes: Codes) -> int:
        return max(codes.raw, key=lambda code: abs(code - codes.zero))

    scale, minimum = block.scale, block.minimum
    raw = encode(
        blocks_of(
            block,
            np.full((1, block.elements), widest(block.codes), np.int16),
            np.zeros((1, scale.count), np.uint32),
            np.full((1, scale.groups), least(scale.codes), np.int16) if scale.codes else None,
            np.zeros((1, 1), np.uint32) if minimum else None,
            np.zeros((1, minimum.groups), np.int16) if minimum and minimum.codes else None,
        )
    )
    parts = decode(raw, block)
    table = np.array(block.codes.table) if block.codes.table else None
    operands = (table[parts.codes] if table is not None else parts.codes)[0].astype(np.int64)
    products = operands * -LARGEST_ACTIVATION
    groups = products.reshape(-1, min(block.group, within)).sum(axis=1)
    assert abs(products[:2].sum()) == block.bounds.pair
    assert abs(groups).max() == block.bounds.group
    if parts.scale.codes is not None and scale.codes:
        scales = parts.scale.codes[0].astype(np.int64) - scale.codes.zero
        assert abs((groups * scales).sum()) == block.bounds.block


@every_format
def test_integers_of_a_block_fit_in_i32(block: Format) -> None:
    if block.bounds:
        assert max(block.bounds.group, block.bounds.block) < 1 << 31
        assert block.bounds.pair < 1 << 15


@pytest.mark.parametrize(
    ("block", "change", "told"),
    [
        (Q4_0, {"codes": Codes(32, (Plane(1, bits=4, run=16),), zero=8)}, "overlaps"),
        (Q4_0, {"codes": Codes(32, (Plane(3, bits=4, run=16),), zero=8)}, "ends past the block"),
        (Q4_0, {"bytes": 19}, "no field has all bits of byte 18"),
        (Q4_0, {"codes": Codes(16, (Plane(2, bits=4, run=8),), zero=8)}, "16 codes for 32 elements"),
        (Q2_K, {"scale": replace(Q2_K.scale, codes=Codes(16, (Plane(0, 4, 16, (4,)),)))}, "overlaps"),
        (
            Q2_K,
            {"scale": replace(Q2_K.scale, codes=Codes(16, (Plane(0, 3, 16, (0,)),)))},
            "all bits of byte 0",
        ),
        (Q5_0, {"codes": Codes(32, (Plane(6, bits=4, run=16),), zero=16)}, "all bits of byte 2"),
        (Q5_K, {"scale": replace(Q5_K.scale, codes=None)}, "all bits of byte 4"),
        (
            Q4_0,
            {"scale": replace(Q4_0.scale, codes=Codes(3, (Plane(0, 4, 3, (0,)),)))},
            "groups do not divide",
        ),
    ],
)
def test_an_entry_whose_fields_do_not_cover_the_block_is_refused(
    block: Format, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(SpecError, match=told) as refused:
        replace(block, **change)
    assert str(refused.value).startswith(f"{block.name}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: Codes(8, (Plane(0, 4, 4, codes=range(4)),)), "same number of bits"),
        (lambda: Codes(30, (Plane(0, bits=4, run=16),)), "no whole number of its runs"),
        (lambda: Codes(32, (Plane(0, bits=4, run=16),), table=(1, 2, 3)), "table of 3 values"),
        (lambda: Codes(32, (Plane(0, bits=4, run=16),), used=(0, 16)), "used codes"),
    ],
)
def test_codes_that_contradict_themselves_are_refused(made: Any, told: str) -> None:
    with pytest.raises(SpecError, match=told):
        made()


@pytest.mark.parametrize("n", [-32, 1, 31, 33])
def test_elements_that_do_not_fill_blocks_are_refused(n: int) -> None:
    with pytest.raises(SpecError, match=f"n = {n}: q4_0 needs"):
        Q4_0.blocks(n)
