"""Matrix kernels: any tile and option gives the same bits for any shape, and rows may be split among callers."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import EngineOptions, KernelSpec, MatrixKernel, MulMat, Repacker
from codegen.base.errors import KernelCallError
from codegen.formats.layouts import GROUP_BYTES, GROUP_ROWS
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels.registry import registered
from codegen.oracle.inputs import rng_of
from codegen.oracle.matrix import interleave, prepare
from codegen.verify.tile.cases import Case, random_case
from codegen.verify.tile.model import products
from codegen.verify.tile.verification import weights_of
from tests.specs import EVERY_SPEC

MATRIX = [spec for spec in EVERY_SPEC if spec.op in ("gemv", "gemm") and spec.memory == "export"]
SHIPPED = [spec for spec in registered() if spec.op in ("gemv", "gemm")]
MUL_MATS = [spec for spec in registered() if spec.op == "mul_mat"]


@cache
def loaded(spec: KernelSpec) -> MatrixKernel:
    return MatrixKernel.load(spec)


def computed(kernel: MatrixKernel, case: Case) -> np.ndarray:
    x = weights_of(kernel.spec, case.x, case.rows, case.n)
    return kernel.multiply(x, prepare(case.y, kernel.record), case.n, case.rows, case.columns)


def wanted(case: Case) -> np.ndarray:
    return products(case.x, case.y, case.rows, case.columns, case.n)


@pytest.mark.parametrize("op", ["gemv", "gemm"])
def test_every_tile_and_option_gives_the_same_bits(op: str) -> None:
    """Rows and columns that fill tiles, and some that do not."""
    case = random_case("every-tile", 35, 11, 3, "usual")
    for spec in MATRIX:
        if spec.op == op:
            assert (computed(MatrixKernel.load(spec), case) == wanted(case)).all(), spec.name


@settings(deadline=None, max_examples=60)
@given(
    spec=st.sampled_from(SHIPPED),
    rows=st.integers(1, 40),
    columns=st.integers(1, 70),
    blocks=st.integers(0, 4),
    scales=st.sampled_from(["powers", "usual", "finite"]),
)
def test_any_shape_gives_the_bits_of_additions_in_order(
    spec: KernelSpec, rows: int, columns: int, blocks: int, scales: str
) -> None:
    case = random_case(f"any-{rows}-{columns}-{blocks}", rows, columns, blocks, scales)
    assert (computed(loaded(spec), case) == wanted(case)).all()


@pytest.mark.parametrize("spec", MUL_MATS, ids=lambda spec: spec.name)
def test_rows_can_be_split_among_callers(spec: KernelSpec) -> None:
    """Two calls, each with some rows and scratch memory of its own, give what one call does."""
    case = random_case("split", 50, 5, 4, "usual")
    blocks = case.n // 32
    y = rng_of("split").standard_normal((case.columns, case.n)).astype(np.float32)
    kernel = MulMat.load(spec)
    weights = kernel.place(interleave(case.x, case.rows, case.n), case.rows, case.n)
    whole = kernel.multiply(weights, y)
    at_y = kernel.arena.put(y.view(np.uint8).reshape(-1))
    s = kernel.arena.allocate(4 * whole.size)
    kernel.arena.view(s, 4 * whole.size)[:] = 0xFF
    for first, last in ((20, case.rows), (0, 20)):
        work = kernel.arena.allocate(case.columns * blocks * kernel.record.bytes)
        part = weights.at + first // GROUP_ROWS * blocks * GROUP_BYTES
        rows, stride = last - first, 4 * case.n
        kernel.invoke(case.n, s + 4 * first, case.rows, part, at_y, stride, case.columns, rows, work)
    parts = kernel.arena.view(s, 4 * whole.size).view("<f4").reshape(whole.shape)
    assert (parts == whole).all()
    assert (whole == products(case.x, quantize_q8_0(y), case.rows, case.columns, case.n)).all()


@pytest.mark.parametrize(
    "spec", [spec for spec in SHIPPED if spec.isa == "relaxed"], ids=lambda spec: spec.name
)
def test_relaxed_kernels_give_the_same_bits_where_relaxed_is_deterministic(spec: KernelSpec) -> None:
    case = random_case("deterministic", 21, 9, 5, "finite")
    strict = MatrixKernel.load(spec, EngineOptions(relaxed_simd_deterministic=True))
    assert (computed(strict, case) == computed(loaded(spec), case)).all()


def test_operands_of_another_size_are_refused() -> None:
    kernel = loaded(SHIPPED[0])
    case = random_case("sizes", 5, 2, 1)
    x, y = weights_of(kernel.spec, case.x, 5, case.n), prepare(case.y, kernel.record)
    with pytest.raises(KernelCallError, match=r"^x: "):
        kernel.multiply(x[:-1], y, case.n, 5, 2)
    with pytest.raises(KernelCallError, match=r"^y: "):
        kernel.multiply(x, y, case.n, 5, 3)


def test_matrices_stay_until_they_are_cleared() -> None:
    kernel, other = MulMat.load(MUL_MATS[0]), MulMat.load(MUL_MATS[0])
    cases = [random_case(f"stays-{rows}", rows, 1, 2) for rows in (5, 9, 4)]
    y = rng_of("stays").standard_normal((3, 64)).astype(np.float32)
    placed = [kernel.place(interleave(case.x, case.rows, 64), case.rows, 64) for case in cases]
    for _ in range(2):
        for case, weights in zip(cases, placed, strict=True):
            assert (kernel.multiply(weights, y) == products(case.x, quantize_q8_0(y), case.rows, 3, 64)).all()
    with pytest.raises(KernelCallError, match="not in this kernel's memory"):
        other.multiply(placed[0], y)
    kernel.clear()
    with pytest.raises(KernelCallError, match="cleared since"):
        kernel.multiply(placed[0], y)


def test_operands_are_bytes_of_any_shape() -> None:
    case = random_case("bytes", 8, 1, 2)
    rows = np.frombuffer(case.x, np.uint8).reshape(8, -1)
    repacker = Repacker.load(KernelSpec.parse("repack_q4_0__simd128_u1"))
    assert repacker.repack(rows, 8, 64) == interleave(case.x, 8, 64)
    kernel = MulMat.load(MUL_MATS[0])
    for place in (repacker.repack, kernel.place):
        with pytest.raises(KernelCallError, match="must be blocks as bytes, not items of 4 bytes"):
            place(np.zeros(rows.size, np.float32), 8, 64)  # type: ignore[arg-type]
        with pytest.raises(KernelCallError, match="must be contiguous"):
            place(np.zeros((8, 2 * rows.shape[1]), np.uint8)[:, ::2], 8, 64)
    weights = kernel.place(np.frombuffer(interleave(case.x, 8, 64), np.uint8).reshape(2, -1), 8, 64)
    with pytest.raises(KernelCallError, match="y: list; pass an array"):
        kernel.multiply(weights, [0.0] * 64)  # type: ignore[arg-type]


def test_activations_of_another_type_or_shape_are_refused() -> None:
    kernel = MulMat.load(MUL_MATS[0])
    case = random_case("types", 4, 1, 2)
    with pytest.raises(KernelCallError, match="repack"):
        kernel.place(case.x[:-1], 4, case.n)
    weights = kernel.place(interleave(case.x, 4, case.n), 4, case.n)
    for y in (np.zeros((1, 64)), np.zeros(64, np.float32), np.zeros((1, 32), np.float32)):
        with pytest.raises(KernelCallError, match=r"^y: "):
            kernel.multiply(weights, y)  # type: ignore[arg-type]
