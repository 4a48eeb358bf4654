"""Interleaved weights: every row comes back, whatever the number of rows and blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import EngineOptions, Isa, KernelSpec, verify_kernel
from codegen.base.errors import KernelCallError, KernelTrapError
from codegen.oracle.matrix import deinterleave, interleave
from codegen.runtime.repack import Repacker
from tests.specs import EVERY_SPEC

KERNELS = [Repacker.load(spec) for spec in EVERY_SPEC if spec.op == "repack" and spec.memory == "export"]


def rows_of(rows: int, blocks: int) -> bytes:
    return np.random.default_rng(rows * 100 + blocks).bytes(rows * blocks * 18)


@pytest.mark.parametrize("isa", [Isa.SCALAR, Isa.SIMD128])
def test_a_kernel_that_imports_its_memory_verifies_too(isa: Isa) -> None:
    report = verify_kernel(KernelSpec.parse(f"repack_q4_0__{isa}_u1_import"))
    assert report.passed, report.failures[:5]


@settings(max_examples=150, deadline=None)
@given(rows=st.integers(0, 21), blocks=st.integers(0, 9))
def test_rows_come_back(rows: int, blocks: int) -> None:
    data = rows_of(rows, blocks)
    for kernel in KERNELS:
        packed = kernel.repack(data, rows, 32 * blocks)
        assert deinterleave(packed, rows, 32 * blocks) == data
        assert packed == interleave(data, rows, 32 * blocks)


def test_the_layout_byte_by_byte() -> None:
    """Of 5 rows of 2 blocks: where each byte goes, not by the oracle's way of moving them."""
    rows, blocks = 5, 2
    data = np.frombuffer(rows_of(rows, blocks), np.uint8).reshape(rows, blocks, 18)
    expected = np.zeros((2, blocks, 72), np.uint8)
    for row in range(rows):
        group, place = divmod(row, 4)
        for block in range(blocks):
            expected[group, block, 2 * place : 2 * place + 2] = data[row, block, :2]
            for byte in range(16):
                step, within = divmod(byte, 4)
                expected[group, block, 8 + 16 * step + 4 * place + within] = data[row, block, 2 + byte]
    for kernel in KERNELS:
        assert kernel.repack(data.tobytes(), rows, 32 * blocks) == expected.tobytes()


@pytest.mark.parametrize("isa", [Isa.SCALAR, Isa.SIMD128])
def test_a_kernel_validates_with_just_the_features_it_needs(isa: Isa) -> None:
    options = EngineOptions(simd=isa is not Isa.SCALAR, relaxed_simd=False)
    kernel = Repacker.load(KernelSpec.parse(f"repack_q4_0__{isa}_u1"), options)
    assert kernel.repack(rows_of(6, 3), 6, 96) == interleave(rows_of(6, 3), 6, 96)


@pytest.mark.parametrize("arguments", [(31, 4096, 0, 18, 1), (32, 4096, 0, 18, 1 << 31), (32, 0, 17, 18, 1)])
def test_what_is_outside_the_contract_traps_by_it(arguments: tuple[int, ...]) -> None:
    for kernel in KERNELS:
        with pytest.raises(KernelTrapError) as caught:
            kernel.invoke(*arguments)
        assert caught.value.contract


@pytest.mark.parametrize(
    ("size", "count", "n"), [(17, 1, 32), (36, 1, 32), (18, 1, 33), (18, -1, 32), (18, 1.5, 32)]
)
def test_numbers_that_do_not_fit_the_bytes_are_refused(size: int, count: int, n: int) -> None:
    with pytest.raises(KernelCallError):
        KERNELS[0].repack(bytes(size), count, n)
