"""Every operation in a module that repeats it, on problems of its own: the bits come out right in each engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from codegen import KernelSpec
from codegen.kernels.operations import OPERATIONS
from codegen.spec.options import Memory
from codegen.speed.bench.contestant import Host, WrongResultError
from codegen.speed.bench.entries import kernel_entry
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.bench.usual import usual
from codegen.speed.bench.wasmtime_host import WasmtimeHost

KERNELS = {
    "vec_dot": ("vec_dot_q4_0_q8_0__scalar_u1", "vec_dot_q4_0_q8_0__relaxed_u4_import"),
    "quantize_row": ("quantize_row_q8_0__scalar_u1", "quantize_row_q8_0__relaxed_u4"),
    "pack_activations": ("pack_activations_q8_0__scalar_u1", "pack_activations_q8_0__simd128_u4_broadcast"),
    "repack": ("repack_q4_0__scalar_u1", "repack_q4_0__simd128_u1"),
    "gemv": ("gemv_q4_0_q8_0_4x1__scalar_u1", "gemv_q4_0_q8_0_16x1__relaxed-dot32_u1_broadcast"),
    "gemm": ("gemm_q4_0_q8_0_8x4__relaxed_u1", "gemm_q4_0_q8_0_12x1__simd128_u1_output"),
    "mul_mat": ("mul_mat_q4_0_4x1__scalar_u1", "mul_mat_q4_0_8x4__relaxed_u1"),
}
"""Names of kernels by operation."""

SHAPES = ((64, 1, 1), (64, 16, 1), (64, 66, 3), (96, 130, 37), (5216, 67, 1))
"""Elements, rows, columns: rows and groups that repeat, groups left open, distinct rows that are no whole groups."""


NO_MATTER = Problem(32, 1, "l1")
"""Entries have all that an engine needs of a problem."""


def problem(op: str, n: int, rows: int, columns: int) -> Problem:
    work = usual(op).work
    return Problem(n, rows, "l1", columns if work is Work.PRODUCTS else 1, work)


def test_every_operation_has_kernels_here() -> None:
    assert set(KERNELS) >= set(OPERATIONS)


def test_what_is_repeated_gives_the_bits_that_are_expected() -> None:
    entries = [
        replace(made, name=f"{made.name} on {shape}")
        for op in OPERATIONS
        for shape in SHAPES
        for made in (kernel_entry(KernelSpec.parse(name), problem(op, *shape)) for name in KERNELS[op])
    ]
    assert_right(WasmtimeHost(), entries)


def test_engines_are_told_all_of_it(node: Host) -> None:
    """Which takes long there: modules are warmed up."""
    assert_right(
        node, [kernel_entry(KernelSpec.parse(KERNELS[op][1]), problem(op, 96, 66, 3)) for op in OPERATIONS]
    )


def test_kernels_of_every_memory_are_timed(engine: Host) -> None:
    """With operands that memory has to grow for."""
    names = ("vec_dot_q4_0_q8_0__relaxed_u4", "mul_mat_q4_0_8x4__relaxed_u1")
    entries = [
        kernel_entry(replace(KernelSpec.parse(name), memory=memory), Problem(5216, 300, "l2", columns=2))
        for name in names
        for memory in Memory
    ]
    assert_right(engine, entries)


def assert_right(host: Host, entries: list[Entry]) -> None:
    with host.open(entries, NO_MATTER) as found:
        assert [one.name for one in found] == [one.name for one in entries]
        for one in found:
            one.sample()


@pytest.mark.parametrize("op", OPERATIONS)
def test_all_kernels_of_an_operation_do_the_same_units(op: str) -> None:
    entries = [kernel_entry(KernelSpec.parse(name), problem(op, 64, 66, 3)) for name in KERNELS[op]]
    assert {one.units for one in entries} == {198 if usual(op).work is Work.PRODUCTS else 66}


def spoiled(entry: Entry, name: str, byte: int) -> Entry:
    """An entry with one bit of an operand's pattern changed, and what it should be left as it was."""
    buffers = []
    for one in entry.buffers:
        if one.name == name:
            assert one.pattern is not None
            data = np.resize(one.pattern, one.bytes).copy()
            data[byte] ^= 1
            one = replace(one, pattern=data)
        buffers.append(one)
    return replace(entry, buffers=tuple(buffers))


def spoiled_ends(op: str) -> Iterator[Entry]:
    """Of each kernel's operands a bit of the last row or column, which no result of another has."""
    asked = problem(op, 64, 66, 3)
    for name in KERNELS[op]:
        right = kernel_entry(KernelSpec.parse(name), asked)
        for operand, size in {
            one.name: one.bytes for one in right.buffers if one.pattern is not None
        }.items():
            open_group = operand == "x" and size > asked.bytes  # whose second row is the last there is
            yield spoiled(right, operand, size - 9 if open_group else size - 1)


def test_every_row_and_column_is_looked_at(engine: Host) -> None:
    entries = [one for op in OPERATIONS for one in spoiled_ends(op)]
    with engine.open(entries, NO_MATTER) as found:
        assert len(found) == len(entries)
        for one in found:
            with pytest.raises(WrongResultError, match=one.name):
                one.sample()
