from __future__ import annotations

import pytest

from codegen import Isa, KernelSpec, Memory
from codegen.base.errors import SpecError
from codegen.kernels.tuning import rivals_of
from codegen.spec.options import OPTIONS
from codegen.speed.bench.usual import baseline_of
from codegen.speed.tune import space
from tests.specs import DOTS
from tests.tunings import CONTRACT, spec


def of(*arguments: object) -> tuple[KernelSpec, ...]:
    return space.candidates(*arguments)[CONTRACT]  # type: ignore[arg-type]


def test_every_kernel_of_these_shapes_is_tried_once() -> None:
    wanted = {
        one
        for one in DOTS
        if one.contract == CONTRACT
        and one.unroll in (1, 2, 3, 4, 6, 8, 12, 16)
        and one.accumulators in (1, 2, 4)
        and one.memory is Memory.EXPORT
    }
    assert len(of()) == len(wanted)
    assert set(of()) == wanted


def test_every_candidate_is_a_kernel_of_its_contract_by_its_name() -> None:
    for contract, specs in space.candidates().items():
        assert {rivals_of(one) for one in specs} == {contract}
        assert tuple(KernelSpec.parse(one.name) for one in specs) == specs


def test_isas_and_unrolls_narrow_it() -> None:
    assert {one.isa for one in of((), [Isa.RELAXED])} == {Isa.RELAXED}
    assert {(one.unroll, one.accumulators) for one in of((), [Isa.RELAXED], [5, 10])} == {
        (5, 1), (10, 1), (10, 2),
    }  # fmt: skip


def test_patterns_narrow_it_and_a_full_name_need_not_be_in_it() -> None:
    assert {one.strategy for one in of(["*-dot32_*"])} == {"dot32"}
    free = spec("relaxed_u9_a3_import")
    assert of([free.name]) == (free,)
    assert of(["*__scalar_u1", free.name, "*__scalar_u[12]"]) == (
        spec("scalar_u1"), free, spec("scalar_u2"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        (["nothing*"],),
        (["*scalar*"], [Isa.RELAXED]),
        ([f"{CONTRACT}__scalar_u2"], [], [3]),
        ([f"{CONTRACT}__scalar_u2"], [Isa.SIMD128]),
        (["relaxed_u2"],),
    ],
)
def test_an_empty_space_is_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(SpecError):
        of(*arguments)


def test_the_baseline_is_the_registrys_plainest_kernel() -> None:
    assert baseline_of(spec("relaxed_u9_a3_overflow")) == spec("scalar_u1")


OF_MATRICES = {
    "gemv_q4_0_q8_0": {
        "gemv_q4_0_q8_0_16x1__relaxed-dot32_u1_broadcast_rolled",
        "gemv_q4_0_q8_0_4x1__scalar_u1",
    },
    "gemm_q4_0_q8_0": {
        "gemm_q4_0_q8_0_16x8__simd128_u1_rolled",
        "gemm_q4_0_q8_0_8x1__relaxed_u1_broadcast_output",
    },
    "quantize_row_q8_0": {"quantize_row_q8_0__relaxed_u12"},
}


@pytest.mark.parametrize("contract", OF_MATRICES)
def test_every_tile_and_option_of_other_operations_is_tried(contract: str) -> None:
    found = space.candidates()[contract]
    assert {one.name for one in found} >= OF_MATRICES[contract]
    assert len(set(found)) == len(found)
    operation = found[0].operation
    for field in operation.options:
        assert {getattr(one, field) for one in found} == set(OPTIONS[field])
    assert {one.tile for one in found} == ({t for t in operation.tiles if t[1] in space.COLUMNS} or {None})
    assert {one.strategy for one in found} <= {one.name for one in operation.strategies}
    assert all(one.memory is Memory.EXPORT for one in found)


def test_operations_narrow_it() -> None:
    assert set(space.candidates(ops=["gemm", "quantize_row"])) == {"gemm_q4_0_q8_0", "quantize_row_q8_0"}
    with pytest.raises(SpecError):
        space.candidates(["gemm*"], ops=["gemv"])


@pytest.mark.parametrize(
    ("name", "plainest"),
    [
        ("gemm_q4_0_q8_0_8x4__relaxed_u1", "vec_dot_q4_0_q8_0__scalar_u1"),
        ("gemv_q4_0_q8_0_8x1__relaxed_u1", "vec_dot_q4_0_q8_0__scalar_u1"),
        ("pack_activations_q8_0__relaxed_u4", "quantize_row_q8_0__scalar_u1"),
        ("repack_q4_0__simd128_u1", "repack_q4_0__scalar_u1"),
    ],
)
def test_the_baseline_does_the_same_work_and_one_block_a_turn_is_no_reason_against_a_kernel(
    name: str, plainest: str
) -> None:
    spec = KernelSpec.parse(name)
    assert baseline_of(spec).name == plainest


def test_of_tiles_more_rows_come_first_then_activations_that_stand_once_then_fewer_columns() -> None:
    names = ("16x8__relaxed_u1", "8x2__relaxed_u1", "8x4__relaxed_u1", "8x2__relaxed_u1_broadcast")
    specs = [KernelSpec.parse(f"gemm_q4_0_q8_0_{name}") for name in names]
    assert sorted(specs, key=space.complexity) == specs


def test_a_sweep_tries_mul_mat_with_tiles_of_most_rows_only_but_for_scalar_code() -> None:
    found = space.candidates(ops=("mul_mat",))["mul_mat_q4_0"]
    assert {one.tile[0] for one in found if one.tile and one.isa is not Isa.SCALAR} == {16}
    assert [one.name for one in found if one.isa is Isa.SCALAR] == ["mul_mat_q4_0_4x1__scalar_u1"]
    small = "mul_mat_q4_0_8x4__relaxed_u1"
    assert [one.name for one in space.candidates((small,))["mul_mat_q4_0"]] == [small]
