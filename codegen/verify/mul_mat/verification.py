"""mul_mat against the oracle of its two halves, quantising and multiplying, and against its contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from codegen.formats import Q4_0, Q8_0
from codegen.formats.decoding import F32
from codegen.formats.layouts import GROUP_BYTES, Record, interleaved_bytes
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import PANEL, tile_of
from codegen.oracle.inputs import ONE, rng_of
from codegen.oracle.matrix import interleave, prepare
from codegen.runtime.instance import Space
from codegen.runtime.mul_mat import MulMat
from codegen.verify.calls import Call
from codegen.verify.memory_contract import check_large, check_memory, check_refused
from codegen.verify.memory_ranges import check_idle, check_ranges
from codegen.verify.pack_activations.verification import known_records, wrong_records
from codegen.verify.quantize_row.cases import ending_in_zeros
from codegen.verify.quantize_row.verification import oracle
from codegen.verify.report import Report
from codegen.verify.tile.cases import Case, all_cases, random_case
from codegen.verify.tile.model import products
from codegen.verify.tile.verification import (
    HALVES,
    Known,
    known,
    one_value,
    refused,
    with_gaps,
    wrong_bits,
    wrong_results,
)

_SPECIAL = (0.0, -0.0, 1e-40, 3e38, np.inf, -np.inf, np.nan)
"""Activations that quantisers get wrong."""


_ZEROS = ("columns that end in zeros",)


@dataclass(frozen=True)
class Values:
    """f32 columns, shape (columns, n), and the same matrices with what these are quantised to."""

    y: F32
    known: Known


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel = MulMat(spec, wasm)
    for values in known_values():
        case = values.known.case
        kernel.clear()
        weights = kernel.place(interleave(case.x, case.rows, case.n), case.rows, case.n)
        yield from wrong_results(values.known, kernel.multiply(weights, values.y), report)
    rows, columns = tile_of(spec)
    calls = [
        call_of(kernel.record, random_case("mul_mat-memory", rows + 3, columns + 1, 2), 3),
        call_of(kernel.record, random_case("mul_mat-columns", rows, 5, 3), 1),
        call_of(kernel.record, random_case("mul_mat-one-column", 2 * rows + 1, 1, 3), 0),
        call_of(kernel.record, random_case("mul_mat-panels", 4, PANEL + 2, 1), 0),
        call_of(kernel.record, random_case("mul_mat-empty-rows", rows, columns, 0), 0),
        call_of(kernel.record, random_case("mul_mat-tiles", 2 * rows, 2 * columns, 5), 0),
    ]
    zeros = [  # in the last block of either loop that quantises
        call_of(kernel.record, random_case(f"mul_mat-zeros-{blocks}", rows, 2, blocks, kinds=_ZEROS), 0)
        for blocks in (4, 5)
    ]
    yield from check_memory(kernel, (*calls, *zeros), report)
    yield from check_refused(kernel, calls[0], refused(calls[0]), report)
    yield from check_idle(kernel, calls[0], ({"nr": 0}, {"nc": 0}), report)
    for call in (calls[0], calls[2]):
        yield from check_ranges(kernel, call, report)
    yield from check_memory(kernel, [calls[2].asking(bs=0)], report)
    # after those that look at all of memory, since these make it large
    yield from _check_records(kernel, report)
    yield from _check_blocks(kernel, report)
    yield from _check_all_halves(kernel, report)
    for call in (calls[-1], calls[0], *zeros):
        yield from check_large(kernel, call, report)


def _check_records(kernel: MulMat, report: Report) -> Iterator[str]:
    """Every row that finds faults in a quantiser, as one column: what of it is in `work` after the call."""
    for name, values, wanted in known_records(kernel.record):
        n, weights = values.size, np.zeros(interleaved_bytes(1, values.size), np.uint8)
        kernel.clear()
        arguments = kernel.put(n, Space(4), 1, weights, values, 4 * n, 1, 1, Space(len(wanted)))
        kernel.invoke(*arguments)
        got = kernel.arena.view(arguments[-1], len(wanted)).tobytes()
        yield from wrong_records(name, got, wanted, kernel.record)
        report.count(kernel.x.blocks(n))


def _check_blocks(kernel: MulMat, report: Report) -> Iterator[str]:
    """Every block of those rows as a column of its own, which unrolled loops leave over."""
    one = random_case("mul_mat-blocks", 1, 1, 1)
    kernel.clear()
    weights = kernel.place(interleave(one.x, 1, one.n), 1, one.n)
    for case, blocks in oracle():
        y = case.values.reshape(-1, one.n)
        bits = products(one.x, blocks, 1, len(y), one.n)
        yield from wrong_bits(f"{case.name}, blocks alone", kernel.multiply(weights, y), bits)
        report.count(bits.size, cases=bits.size)


def _check_all_halves(kernel: MulMat, report: Report) -> Iterator[str]:
    """All 65,536 halves as scales of weights, with 1, few and many columns, and of activations."""
    rows, columns = tile_of(kernel.spec)
    cases = [
        (f"every half as a weights' scale, {count} columns", HALVES, np.full(count, 1, np.float16))
        for count in sorted({1, columns, PANEL})
    ]
    cases += [("every half as an activations' scale", np.full(rows, ONE), HALVES.view(np.float16))]
    for name, dx, dy in cases:
        x, y = one_value(dx, Q4_0), np.zeros((len(dy), Q8_0.elements), np.float32)
        with np.errstate(invalid="ignore"):  # of a signaling NaN
            y[:, 13] = 127 * dy.astype(np.float32)
        kernel.clear()
        weights = kernel.place(interleave(x, len(dx), Q4_0.elements), len(dx), Q4_0.elements)
        bits = products(x, quantize_q8_0(y), len(dx), len(dy), Q4_0.elements)
        yield from wrong_bits(name, kernel.multiply(weights, y), bits)
        report.count(bits.size, cases=bits.size)


@cache
def known_values() -> tuple[Values, ...]:
    """Every matrix of gemm's cases, times f32 columns."""
    return tuple(_values(case) for case in all_cases())


def values_of(case: Case) -> F32:
    """f32 columns for a case: of another size in each column, and some with numbers that are special."""
    rng = rng_of(f"values-{case.name}")
    y = rng.standard_normal((case.columns, case.n)) * 2.0 ** rng.integers(-6, 7, (case.columns, 1))
    found = y.astype(np.float32)
    if case.kinds == ("non-finite scales",):
        places = rng.integers(0, found.size, len(_SPECIAL))
        found.reshape(-1)[places] = _SPECIAL
    return ending_in_zeros(found) if case.kinds == _ZEROS else found


def quantized(case: Case, y: F32) -> Case:
    """The same weights with columns quantised."""
    return Case(case.name, case.kinds, case.rows, case.columns, case.n, case.x, quantize_q8_0(y))


def results_of(case: Case) -> F32:
    """What a case's weights times its f32 columns come to."""
    return products(case.x, quantized(case, values_of(case)).y, case.rows, case.columns, case.n)


def call_of(record: Record, case: Case, gap: int = 0) -> Call:
    """A case's weights times f32 columns as a call, with floats between columns of results and of activations."""
    y = values_of(case)
    blocks = case.n // Q4_0.elements
    inside = quantized(case, y)
    apart = np.full((case.columns, gap), np.float32(7e30))
    padded = np.concatenate([y, apart], axis=1).reshape(-1)[: y.size + gap * (case.columns - 1)]
    records, column = prepare(inside.y, record), blocks * record.bytes
    work = bytearray(min(case.columns, PANEL) * column)
    for start in range(0, case.columns, PANEL):  # a panel after the other, the last one perhaps shorter
        part = records[start * column : (start + PANEL) * column]
        work[: len(part)] = part
    return Call(
        arguments={
            "n": case.n,
            "s": "s",
            "bs": case.rows + gap,
            "vx": "x",
            "vy": "y",
            "by": 4 * (case.n + gap),
            "nr": case.columns,
            "nc": case.rows,
            "work": "work",
        },
        inputs={"x": interleave(case.x, case.rows, case.n), "y": padded.astype("<f4").tobytes()},
        outputs={
            "s": with_gaps(results_of(case), gap),
            "work": bytes(work),
        },
        block_bytes={"x": GROUP_BYTES, "y": 4 * Q4_0.elements, "work": record.bytes},
        blocks=case.rows * case.columns * blocks,
    )


def _values(case: Case) -> Values:
    y = values_of(case)
    return Values(y, known(quantized(case, y)))
