"""The quantisers against the oracle: any numbers, every shape, and the rounding that they are made of."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import EngineOptions, Isa, KernelSpec, verify_kernel
from codegen.base.errors import KernelCallError, KernelTrapError
from codegen.formats.quantise import quantize_q8_0
from codegen.oracle.inputs import rng_of
from codegen.runtime.quantize_row import Quantizer
from codegen.verify.quantize_row.cases import small_cases, usual
from tests.specs import EVERY_SPEC

QUANTISERS = [spec for spec in EVERY_SPEC if spec.op == "quantize_row"]
EXPORTING = [spec for spec in QUANTISERS if spec.memory == "export"]
KERNELS: dict[KernelSpec, Quantizer] = {}


def named(how: str) -> KernelSpec:
    return KernelSpec.parse(f"quantize_row_q8_0__{how}")


def loaded(spec: KernelSpec) -> Quantizer:
    if spec not in KERNELS:
        KERNELS[spec] = Quantizer.load(spec)
    return KERNELS[spec]


SHAPES = [loaded(named(how)) for how in ("scalar_u1", "simd128_u1", "simd128_u4", "simd128_u5", "relaxed_u4")]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["scalar_u2", "simd128_u5", "simd128_u12_import", "relaxed_u6"])
def test_kernels_that_are_not_shipped_verify_too(how: str) -> None:
    report = verify_kernel(named(how))
    assert report.passed, report.failures[:5]
    assert report.blocks > 100_000


@pytest.mark.parametrize("spec", EXPORTING, ids=lambda spec: spec.name)
def test_every_block_count_with_every_unroll(spec: KernelSpec) -> None:
    kernel = Quantizer.load(spec)
    for blocks in range(0, 40, 3 if spec.isa == "scalar" else 1):
        values = usual(f"count-{blocks}", blocks)
        assert kernel.quantize(values) == quantize_q8_0(values), blocks


ANY_BITS = st.integers(0, (1 << 32) - 1)
NEAR_EACH_OTHER = st.floats(-1e3, 1e3, width=32).map(lambda v: struct.unpack("<I", struct.pack("<f", v))[0])
SPECIAL = st.sampled_from(
    [0, 1 << 31, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(ANY_BITS | NEAR_EACH_OTHER | SPECIAL, min_size=160, max_size=160))
def test_any_bits_at_all(bits: list[int]) -> None:
    values = np.array(bits, np.uint32).view(np.float32)
    wanted = quantize_q8_0(values)
    for kernel in SHAPES:
        assert kernel.quantize(values) == wanted, kernel.spec.name


@settings(max_examples=300, deadline=None)
@given(exponent=st.integers(-149, 120), quarters=st.lists(st.integers(-508, 508), min_size=160, max_size=160))
def test_whole_numbers_halves_and_quarters_of_a_scale(exponent: int, quarters: list[int]) -> None:
    values = np.array(quarters, np.float64).reshape(-1, 32) / 4
    values[:, 7] = 127
    row = (values * 2.0**exponent).astype(np.float32).reshape(-1)
    for kernel in SHAPES:
        assert kernel.quantize(row) == quantize_q8_0(row), kernel.spec.name


def nearest(value: np.float32) -> int:
    """Half away from zero, exactly."""
    exact = Fraction(float(value))
    whole = int(abs(exact) + Fraction(1, 2))
    return whole if exact >= 0 else -whole


def test_both_ways_of_rounding_are_roundf_near_every_half_and_whole_number() -> None:
    points = np.arange(0, 256, dtype=np.float32) / 2
    bits = points.view(np.int32)
    near = np.concatenate([np.maximum(bits + step, 0) for step in range(-4, 5)]).view(np.float32)
    below_half = np.float32(0.5).view(np.int32) - 1
    for v in (*near, *-near, *rng_of("roundf").uniform(-127.5, 127.5, 20_000).astype(np.float32)):
        added = np.trunc(v + np.copysign(below_half.view(np.float32), v))
        n = int(np.trunc(np.float32(2) * v))
        assert added == nearest(v) == (n + (n >= 0)) >> 1, v


def test_a_scale_whose_inverse_overflows_is_where_the_fast_way_ends() -> None:
    """2 / d is a number from d = 2^-127 up, 1 / d from 2^-128: both sides of both are right."""
    steps = np.arange(-40, 41, dtype=np.int32)
    for exponent in (-128, -127, -126):
        largest = (np.float32(127 * 2.0**exponent).view(np.int32) + steps).view(np.float32)
        rows = rng_of("edge").uniform(-1, 1, (len(largest), 32)).astype(np.float32) * largest[:, None]
        rows[:, 3] = largest
        row = rows.astype(np.float32).reshape(-1)
        for kernel in SHAPES:
            assert kernel.quantize(row) == quantize_q8_0(row), (exponent, kernel.spec.name)


@pytest.mark.parametrize("unroll", [1, 4])
def test_relaxed_gives_the_same_bytes_with_deterministic_mode_on_and_off(unroll: int) -> None:
    spec = named(f"relaxed_u{unroll}")
    fast, defined = loaded(spec), Quantizer.load(spec, EngineOptions(relaxed_simd_deterministic=True))
    for case in small_cases():
        assert fast.quantize(case.values) == defined.quantize(case.values), case.name


def test_a_call_leaves_nothing_behind_for_the_next() -> None:
    plain, special = usual("plain", 9), np.full(9 * 32, np.nan, np.float32)
    for kernel in SHAPES:
        first = kernel.quantize(plain)
        kernel.quantize(special)
        assert kernel.quantize(plain) == first


@pytest.mark.parametrize("isa", Isa)
def test_a_kernel_validates_with_just_the_features_it_needs(isa: Isa) -> None:
    options = EngineOptions(simd=isa is not Isa.SCALAR, relaxed_simd=isa is Isa.RELAXED)
    values = usual("features", 3)
    assert Quantizer.load(named(f"{isa}_u1"), options).quantize(values) == quantize_q8_0(values)


@pytest.mark.parametrize("k", [-32, 31, 1 << 30, 1 << 32, (1 << 32) + 32, 1 << 62, (1 << 63) - 32])
def test_a_k_that_no_memory_holds_traps_and_says_it_is_the_contracts(k: int) -> None:
    with pytest.raises(KernelTrapError) as caught:
        SHAPES[0].invoke(0, 4096, k)
    assert caught.value.contract


def test_an_i64_that_does_not_fit_is_refused() -> None:
    with pytest.raises(KernelCallError, match="64 bits"):
        SHAPES[0].invoke(0, 4096, 1 << 64)


@pytest.mark.parametrize("values", [np.zeros(32), np.zeros((2, 32), np.float32), np.zeros(33, np.float32)])
def test_what_is_no_row_is_refused(values: np.ndarray) -> None:
    with pytest.raises(KernelCallError, match=r"^values: "):
        SHAPES[0].quantize(values)
