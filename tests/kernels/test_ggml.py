"""A second oracle: GGML itself, as its prebuilt libraries compute.

Its dot product adds partial sums of a block in floats, so its error is relative to the sum of |w * a|, not of |S|;
and its AVX2 code negates activations in i8, so that it is wrong for -128, which its quantiser never makes.
"""

import ctypes
import functools
import struct
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import Isa, Kernel, KernelSpec
from codegen.base.errors import InputError
from codegen.formats import Q4_0, Q8_0
from codegen.kernels.dot.plan import dot_plan
from codegen.oracle.dot import dot, f16_value
from codegen.oracle.inputs import random_halves, rng_of
from codegen.runtime.quantize_row import Quantizer
from codegen.speed.bench import native
from codegen.verify.dot.cases import Cases
from codegen.verify.dot.judge import HALF_ULP, bound, mismatch

try:
    BASE, CPU = native.load()
except InputError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture
def base() -> ctypes.CDLL:
    return BASE


@pytest.fixture
def cpu() -> ctypes.CDLL:
    return CPU


def native_dot(cpu: ctypes.CDLL, symbol: str, x: bytes, y: bytes, n: int) -> float:
    result = ctypes.c_float(float("nan"))
    zero = ctypes.c_size_t(0)
    cpu[symbol](n, ctypes.byref(result), zero, x, zero, y, zero, 1)
    return result.value


def quantized(base: ctypes.CDLL, symbol: str, values: npt.NDArray[np.float32], block_bytes: int) -> bytes:
    out = ctypes.create_string_buffer(len(values) // 32 * block_bytes)
    pointer = values.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    base[symbol](pointer, out, ctypes.c_int64(len(values)))
    return out.raw


@pytest.mark.parametrize("symbol", ["ggml_vec_dot_q4_0_q8_0", "ggml_vec_dot_q4_0_q8_0_generic"])
@pytest.mark.parametrize("scales", ["usual", "finite", "powers"])
@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 7, 8, 33, 128])
def test_the_same_blocks_give_ggmls_result_within_the_bound(
    cpu: ctypes.CDLL, symbol: str, scales: str, blocks: int
) -> None:
    rng = rng_of(f"ggml-{scales}-{blocks}")
    weights = rng.integers(-8, 8, (blocks, 32)).astype(np.int16)
    activations = rng.integers(-127, 128, (blocks, 32)).astype(np.int16)
    dx, dy = random_halves(rng, blocks, scales), random_halves(rng, blocks, scales)
    made = Cases(Q4_0).case("ggml", (), weights, activations, dx, dy)
    theirs = native_dot(cpu, symbol, made.x, made.y, made.n)
    expected = dot(made.x, made.y, made.n)
    products = np.abs(weights.astype(np.int64) * activations).sum(axis=1)
    spread = sum(
        int(p) * abs(Fraction(f16_value(int(a))) * Fraction(f16_value(int(b))))
        for p, a, b in zip(products, dx, dy, strict=True)
    )
    assert abs(Fraction(theirs) - expected.value) <= (blocks + 10) * HALF_ULP * spread
    for isa in Isa:
        spec = KernelSpec(isa, unroll=4)
        ours = Kernel.load(spec).vec_dot(made.x, made.y, made.n)
        assert mismatch(ours, expected, bound(dot_plan(spec), blocks, expected.magnitude)) is None
        assert abs(Fraction(ours) - Fraction(theirs)) <= 2 * (blocks + 10) * HALF_ULP * spread


def test_every_half_is_what_ggml_converts_it_to(base: ctypes.CDLL) -> None:
    base.ggml_fp16_to_fp32.restype = ctypes.c_float
    base.ggml_fp16_to_fp32.argtypes = [ctypes.c_uint16]
    for half in range(1 << 16):
        theirs, ours = base.ggml_fp16_to_fp32(half), f16_value(half)
        assert struct.pack("<f", theirs) == struct.pack("<f", ours) or (theirs != theirs and ours != ours), (
            hex(half)
        )


@settings(max_examples=100, deadline=None)
@given(
    numbers=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=160, max_size=160)
)
def test_our_quantising_kernels_give_the_bytes_of_ggmls(numbers: list[float]) -> None:
    values = np.array(numbers, np.float32)
    theirs = quantized(BASE, "quantize_row_q8_0_ref", values, Q8_0.bytes)
    for how in (
        "scalar_u1",
        "simd128_u1",
        "simd128_u4",
        "relaxed_u4",
    ):  # one drawing of numbers for all: it takes longest
        assert quantizer(how).quantize(values) == theirs, how


@functools.cache
def quantizer(how: str) -> Quantizer:
    return Quantizer.load(KernelSpec.parse(f"quantize_row_q8_0__{how}"))
