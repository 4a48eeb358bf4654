"""Which unit does which opcode: by the names that WABT's disassembler has for those of every kernel's main loop."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codegen import KernelSpec
from codegen.kernels.plans import make_plan
from codegen.kernels.registry import registered
from codegen.speed.bench.entries import kernel_entry
from codegen.speed.bench.limits import Unit, unit_of
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.work import work
from codegen.wasm.cost import main_loop
from tests.unit.test_cost import FREE, disassembled_loop

VECTORS = re.compile(
    r"(v128|i8x16|i16x8|i32x4|i64x2|f32x4|f64x2)\.|f(32|64)\.|i\d\d\.(reinterpret|trunc_f|trunc_sat)"
)


def intended(name: str) -> Unit | None:
    if ".load" in name or re.search(r"\.store(8|16|32)?$", name):
        return None
    if name in ("i32.mul", "i64.mul"):
        return Unit.MULTIPLY
    return Unit.VECTOR if VECTORS.match(name) else Unit.SCALAR


@pytest.mark.parametrize(
    "spec", [spec for spec in registered() if spec.op == "vec_dot"], ids=lambda spec: spec.name
)
def test_every_opcode_of_a_kernel_belongs_to_its_unit(spec: KernelSpec, tmp_path: Path) -> None:
    problem = Problem(32 * spec.unroll * 3, 2, "l1")
    entry = kernel_entry(spec, problem)
    names = [
        name
        for name in disassembled_loop(entry.wasm, make_plan(spec).main_loop, tmp_path)
        if name not in FREE and not name.endswith(".const")
    ]
    found = main_loop(entry.wasm, make_plan(spec).main_loop)
    assert len(names) == len(found)
    for name, opcode in zip(names, found, strict=True):
        assert unit_of(opcode) is intended(name), name
    done = work(spec, entry, problem)
    assert done.pop(Unit.MEMORY) == problem.x_step
    units = [intended(name) for name in names]
    assert done == {unit: 3 * units.count(unit) for unit in Unit if unit in units}


@pytest.mark.parametrize(
    ("opcode", "unit"),
    [(0x2A, None), (0x35, None), (0x36, None), (0x38, None), (0x3E, None), (0x3F, Unit.SCALAR),
     (0x5B, Unit.VECTOR), (0x66, Unit.VECTOR), (0x67, Unit.SCALAR),
     (0x8A, Unit.SCALAR), (0x8B, Unit.VECTOR), (0xA6, Unit.VECTOR), (0xA7, Unit.SCALAR), (0xA8, Unit.VECTOR),
     (0xAC, Unit.SCALAR), (0xAE, Unit.VECTOR), (0xBB, Unit.VECTOR), (0xBF, Unit.VECTOR), (0xC0, Unit.SCALAR),
     (0x6C, Unit.MULTIPLY), (0x7E, Unit.MULTIPLY), (0x94, Unit.VECTOR), ((0xFD, 84), None), ((0xFD, 92), None),
     ((0xFD, 11), None), ((0xFD, 13), Unit.VECTOR), ((0xFD, 88), Unit.VECTOR),
     ((0xFD, 0x112), Unit.VECTOR), (0x0D, Unit.SCALAR)],
)  # fmt: skip
def test_opcodes_at_the_ends_of_ranges(opcode: int | tuple[int, int], unit: Unit | None) -> None:
    assert unit_of(opcode) is unit


TILED = (
    "gemv_q4_0_q8_0_8x1__relaxed_u1",
    "gemm_q4_0_q8_0_8x4__relaxed_u1",
    "gemm_q4_0_q8_0_8x1__relaxed_u1_output",
)


def vectors(name: str, columns: int) -> float:
    spec, problem = KernelSpec.parse(name), Problem(96, 16, "l1", columns=columns)
    done = work(spec, kernel_entry(spec, problem), problem)
    assert done[Unit.MEMORY] == pytest.approx(problem.x_step / columns)
    return done[Unit.VECTOR]


@pytest.mark.parametrize(("name", "columns"), [(TILED[0], 1), (TILED[0], 8), (TILED[1], 8), (TILED[2], 32)])
def test_whole_tiles_do_the_work_of_the_main_loop_and_weights_arrive_once(name: str, columns: int) -> None:
    spec = KernelSpec.parse(name)
    main = make_plan(spec).main_loop
    entry = kernel_entry(spec, Problem(96, 16, "l1", columns=columns))
    counted = [one for one in main_loop(entry.wasm, main) if unit_of(one) is Unit.VECTOR]
    assert vectors(name, columns) == pytest.approx(3 * len(counted) / main.blocks)


@pytest.mark.parametrize("name", TILED)
def test_one_column_is_the_work_of_a_gemv_and_left_over_columns_are_too(name: str) -> None:
    one = vectors(TILED[0], 1)
    assert vectors(name, 1) == pytest.approx(one)
    assert vectors(name, 33) == pytest.approx((32 * vectors(name, 32) + one) / 33)
    assert vectors(TILED[1], 6) == pytest.approx((4 * vectors(TILED[1], 4) + 2 * one) / 6)


def test_weights_that_are_unpacked_once_cost_less_the_more_columns_share_them() -> None:
    unpacking = 12 / 4 * 3  # vector operations of a row: of four rows 12 a block, and three blocks
    scales = 2 / 4 * 3
    for columns in (2, 3, 31):
        shared = (unpacking + scales) * (1 / columns - 1 / 32)
        assert vectors(TILED[2], columns) == pytest.approx(vectors(TILED[2], 32) + shared)
