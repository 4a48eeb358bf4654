"""The oracle, against arithmetic that shares nothing with it."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.formats import Q4_0, Q8_0
from codegen.formats.quantise import quantize_q8_0
from codegen.oracle.dot import Kind, decode, dot, dot_rows, encode, f16_value
from codegen.oracle.inputs import INFINITY, NAN, ONE
from codegen.verify.dot.cases import Cases

finite_halves = st.integers(0, 0xFFFF).filter(lambda h: h & 0x7C00 != 0x7C00)


def slow_dot(x: bytes, y: bytes, blocks: int) -> tuple[Fraction, Fraction]:
    """One weight at a time, in fractions, by the format's definition."""
    value = magnitude = Fraction(0)
    for b in range(blocks):
        xb, yb = x[18 * b : 18 * b + 18], y[34 * b : 34 * b + 34]
        scale = Fraction(f16_value(int.from_bytes(xb[:2], "little"))) * Fraction(
            f16_value(int.from_bytes(yb[:2], "little"))
        )
        total = 0
        for j in range(16):
            low, high = (xb[2 + j] & 15) - 8, (xb[2 + j] >> 4) - 8
            total += low * int.from_bytes(yb[2 + j : 3 + j], "little", signed=True)
            total += high * int.from_bytes(yb[18 + j : 19 + j], "little", signed=True)
        value += total * scale
        magnitude += abs(total * scale)
    return value, magnitude


@settings(deadline=None)
@given(st.data(), st.integers(0, 9))
def test_the_oracle_is_the_formats_definition(data: st.DataObject, blocks: int) -> None:
    x, y = (
        b"".join(
            data.draw(finite_halves).to_bytes(2, "little")
            + data.draw(st.binary(min_size=size, max_size=size))
            for _ in range(blocks)
        )
        for size in (16, 32)
    )
    found = dot(x, y, 32 * blocks)
    assert (found.value, found.magnitude) == slow_dot(x, y, blocks)
    assert found.kind is Kind.FINITE


@settings(deadline=None)
@given(st.data(), st.integers(1, 6))
def test_exact_means_every_order_of_addition_is_exact(data: st.DataObject, blocks: int) -> None:
    scales = st.sampled_from([ONE, 0x3800, 0xBC00, 0x0001, 0x5400, 0x3555])
    x = b"".join(
        data.draw(scales).to_bytes(2, "little") + data.draw(st.binary(min_size=16, max_size=16))
        for _ in range(blocks)
    )
    y = b"".join(
        data.draw(scales).to_bytes(2, "little") + data.draw(st.binary(min_size=32, max_size=32))
        for _ in range(blocks)
    )
    found = dot(x, y, 32 * blocks)
    terms = [slow_dot(x[18 * b : 18 * b + 18], y[34 * b : 34 * b + 34], 1)[0] for b in range(blocks)]
    order = data.draw(st.permutations(terms))
    total, exact = Fraction(0), True
    for term in order:
        exact &= Fraction(float(np.float32(float(term)))) == term
        total += term
        exact &= Fraction(float(np.float32(float(total)))) == total
    if found.exact:
        assert exact


def test_f16_values_are_numpys_for_all_65536() -> None:
    with np.errstate(invalid="ignore"):
        theirs = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
    ours = np.array([f16_value(h) for h in range(1 << 16)])
    assert np.array_equal(ours, theirs, equal_nan=True)
    assert np.array_equal(np.signbit(ours[~np.isnan(ours)]), np.signbit(theirs[~np.isnan(theirs)]))


@given(st.integers(1, 5), st.data())
def test_decode_inverts_encode(blocks: int, data: st.DataObject) -> None:
    for block in (Q4_0, Q8_0):
        raw = data.draw(st.binary(min_size=blocks * block.bytes, max_size=blocks * block.bytes))
        parts = decode(raw, block)
        assert encode(parts.scales, parts.values, block) == raw


@pytest.mark.parametrize(
    ("dx", "dy", "weight", "kind"),
    [
        (INFINITY, ONE, 1, Kind.PLUS_INFINITY),
        (INFINITY | 0x8000, ONE, 1, Kind.MINUS_INFINITY),
        (INFINITY, ONE, -1, Kind.MINUS_INFINITY),
        (INFINITY, 0, 1, Kind.NAN),
        (INFINITY, ONE, 0, Kind.NAN),
        (NAN, ONE, 1, Kind.NAN),
        (ONE, NAN, 0, Kind.NAN),
    ],
)
def test_non_finite_scales_give_what_ieee_arithmetic_gives(dx: int, dy: int, weight: int, kind: Kind) -> None:
    case = Cases(Q4_0).constant("x", (), 3, weight, 1, dx, dy)
    assert dot(case.x, case.y, case.n).kind is kind


def test_rows_are_dots_one_by_one() -> None:
    cases = [case for case in Cases(Q4_0).all() if case.n == 5 * 32][:20]
    x, y = b"".join(c.x for c in cases), b"".join(c.y for c in cases)
    assert dot_rows(x, y, len(cases), 160) == [dot(c.x, c.y, 160) for c in cases]
    assert dot_rows(x, cases[3].y, len(cases), 160) == [dot(c.x, cases[3].y, 160) for c in cases]


def test_the_quantiser_rounds_half_away_from_zero() -> None:
    values = np.zeros(32, np.float32)
    values[:6] = [127, 0.5, -0.5, 1.5, 2.5, -2.5]
    parts = decode(quantize_q8_0(values), Q8_0)
    assert parts.values[0, :6].tolist() == [127, 1, -1, 2, 3, -3]
    assert parts.scales[0] == ONE


def test_the_quantiser_does_not_round_a_number_just_below_a_half_up() -> None:
    values = np.zeros(32, np.float32)
    values[:2] = [127, np.nextafter(np.float32(0.5), np.float32(0))]
    assert decode(quantize_q8_0(values), Q8_0).values[0, 1] == 0


def test_the_quantiser_takes_zeros() -> None:
    assert quantize_q8_0(np.zeros(64, np.float32)) == bytes(68)


def test_cases_have_unique_names_and_whole_blocks() -> None:
    cases = list(Cases(Q4_0).all())
    assert len({case.name for case in cases}) == len(cases) > 800
    for case in cases:
        assert (len(case.x), len(case.y)) == (case.n // 32 * 18, case.n // 32 * 34), case.name
        assert case.kinds, case.name


def test_numbers_that_are_none_have_no_quants() -> None:
    row = np.linspace(-1, 1, 32, dtype=np.float32)
    for value, scale in ((np.nan, 0x7E00), (-np.nan, 0x7E00), (np.inf, 0x7C00), (-np.inf, 0x7C00)):
        for at in (0, 31):
            odd = row.copy()
            odd[at] = value
            assert quantize_q8_0(odd) == struct.pack("<H", scale) + bytes(32)
    odd[3] = np.nan  # beside an infinity
    assert quantize_q8_0(odd) == struct.pack("<H", 0x7E00) + bytes(32)


def test_rows_so_small_that_a_scale_has_no_inverse_have_no_quants() -> None:
    assert quantize_q8_0(np.full(32, 127 * 2.0**-129, np.float32)) == bytes(34)
    assert quantize_q8_0(np.full(32, -127 * 2.0**-127, np.float32)) == bytes(2) + bytes([0x81] * 32)
