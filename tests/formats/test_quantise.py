"""Quantised activations, against GGML's reference quantisers."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from codegen.formats import FORMATS, decode
from codegen.formats.quantise import quantize_q8_0, quantize_q8_1, quantize_q8_K
from codegen.oracle.inputs import rng_of
from tests.formats.native_ggml import quantized

F32 = npt.NDArray[np.float32]
Quantiser = Callable[[F32], bytes]

QUANTISERS: dict[str, Quantiser] = {"q8_0": quantize_q8_0, "q8_1": quantize_q8_1, "q8_K": quantize_q8_K}

every_quantiser = pytest.mark.parametrize("name", QUANTISERS)

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


def assert_ggmls_bytes(name: str, values: F32) -> None:
    assert QUANTISERS[name](values) == quantized(values, FORMATS[name])


@every_quantiser
@pytest.mark.parametrize("scale", [1e-37, 1e-30, 1e-6, 1e-3, 1.0, 300.0, 1e6, 1e30])
def test_bytes_are_ggmls(name: str, scale: float) -> None:
    values = rng_of(f"quantise-{scale}").standard_normal(256 * 300) * scale
    assert_ggmls_bytes(name, values.astype(np.float32))


@every_quantiser
@settings(deadline=None)
@given(numbers=arrays(np.float32, 256, elements=finite, fill=finite))
def test_bytes_are_ggmls_for_any_finite_numbers(name: str, numbers: F32) -> None:
    assert_ggmls_bytes(name, numbers)


@every_quantiser
@pytest.mark.parametrize("sign", [1, -1])
def test_halves_between_two_quants_round_as_ggml_rounds_them(name: str, sign: int) -> None:
    halves = np.arange(-127, 127, dtype=np.float32) + np.float32(0.5)
    rows = np.zeros((len(halves), 256), np.float32)
    rows[:, ::32], rows[:, 1::32] = sign * 127, halves[:, None]
    assert_ggmls_bytes(name, rows.reshape(-1))


@every_quantiser
def test_of_equal_magnitudes_the_first_decides_as_in_ggml(name: str) -> None:
    rows = np.zeros((4, 256), np.float32)
    rows[0, [3, 7]], rows[1, [3, 7]] = (5, -5), (-5, 5)
    rows[2], rows[3] = 5, np.tile([5, -5], 128)
    assert_ggmls_bytes(name, rows.reshape(-1))


@every_quantiser
def test_zeros_and_the_smallest_numbers_are_ggmls(name: str) -> None:
    rows = np.zeros((6, 256), np.float32)
    rows[1] = -0.0
    rows[2, 100] = np.float32(1e-45)
    rows[3, ::7] = np.finfo(np.float32).tiny
    rows[4, ::5] = -np.finfo(np.float32).max
    rows[5] = np.linspace(-1e-38, 1e-38, 256)
    assert_ggmls_bytes(name, rows.reshape(-1))


def test_infinities_and_nan_among_activations_of_k_quants_are_ggmls() -> None:
    rows = rng_of("odd").standard_normal((4, 256)).astype(np.float32)
    rows[0, 5], rows[1, 5], rows[2, [5, 9]], rows[3] = np.inf, -np.inf, (np.nan, np.inf), np.nan
    assert_ggmls_bytes("q8_K", rows.reshape(-1))


@pytest.mark.parametrize("name", ["q8_0", "q8_1"])
def test_a_block_with_a_nan_has_that_scale_and_no_quants(name: str) -> None:
    rows = rng_of("odd").standard_normal((2, 32)).astype(np.float32)
    rows[0, 5], rows[1, 5] = np.nan, np.inf
    parts = decode(QUANTISERS[name](rows.reshape(-1)), FORMATS[name])
    assert parts.scale.patterns[:, 0].tolist() == [0x7E00, 0x7C00]
    assert not parts.codes.any()
