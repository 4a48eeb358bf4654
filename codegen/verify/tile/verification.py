"""A matrix kernel against the oracle, against the additions that all of them share, and against its contract."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from codegen.formats import Q4_0, Q8_0, Format
from codegen.formats.decoding import Bytes
from codegen.formats.layouts import GROUP_BYTES, Record
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.plan import PANEL, record_of, tile_of
from codegen.oracle.dot import Expected, dot_rows, encode, f16_value
from codegen.oracle.inputs import INFINITY, ONE, rng_of
from codegen.oracle.matrix import interleave, prepare
from codegen.runtime.gemm import MatrixKernel
from codegen.verify.calls import Call
from codegen.verify.dot.judge import HALF_ULP, mismatch, ulps
from codegen.verify.memory_contract import check_large, check_memory, check_refused
from codegen.verify.memory_ranges import check_idle, check_ranges
from codegen.verify.placement import FILL
from codegen.verify.report import Report
from codegen.verify.tile.cases import Case, all_cases, random_case
from codegen.verify.tile.model import F32, products

HALVES = rng_of("halves").permutation(1 << 16).astype(np.uint16)
"""All f16, in a random order: one that is not finite mostly stands alone in a tile, in any of its rows and columns.
Where others stand beside it, they hide that a kernel does not notice it."""


@dataclass(frozen=True)
class Known:
    """A case, its exact results by column, and the bits that additions in order give."""

    case: Case
    expected: Sequence[Sequence[Expected]]
    bits: F32


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel = MatrixKernel(spec, wasm)
    for each in known_cases():
        case = each.case
        x, y = weights_of(spec, case.x, case.rows, case.n), prepare(case.y, kernel.record)
        yield from wrong_results(each, kernel.multiply(x, y, case.n, case.rows, case.columns), report)
    yield from _check_all_halves(kernel, report)
    calls = [call_of(spec, case, gap) for case, gap in _memory_cases(spec)]
    _, columns = tile_of(spec)
    yield from check_memory(kernel, calls, report)
    yield from check_refused(kernel, calls[0], refused(calls[0]), report)
    yield from check_idle(kernel, calls[0], ({"nr": 0}, {"nc": 0}), report)
    for call in (calls[0], calls[3]):
        yield from check_ranges(kernel, call, report)
    yield from check_memory(kernel, [calls[3].asking(bs=0)], report)
    for call in (calls[-1], calls[0], call_of(spec, _ending_in_infinity(columns))):
        yield from check_large(kernel, call, report)


@cache
def known_cases() -> tuple[Known, ...]:
    """All cases with what they come to."""
    return tuple(known(case) for case in all_cases())


def weights_of(spec: KernelSpec, x: Bytes, rows: int, n: int) -> bytes:
    """Rows as a kernel wants them."""
    return interleave(x, rows, n)


def call_of(spec: KernelSpec, case: Case, gap: int = 0) -> Call:
    """A case as a call, with so many floats between columns of results that nobody may write."""
    record = record_of(spec)
    return Call(
        arguments={
            "n": case.n,
            "s": "s",
            "bs": case.rows + gap,
            "vx": "x",
            "vy": "y",
            "nr": case.columns,
            "nc": case.rows,
        },
        inputs={
            "x": weights_of(spec, case.x, case.rows, case.n),
            "y": prepare(case.y, record),
        },
        outputs={"s": with_gaps(products(case.x, case.y, case.rows, case.columns, case.n), gap)},
        block_bytes={"x": GROUP_BYTES, "y": record.bytes},
        blocks=case.rows * case.columns * case.n // Q4_0.elements,
    )


def with_gaps(results: F32, gap: int) -> bytes:
    """Results in memory, columns so many floats apart, which hold what they held before."""
    between = np.full((len(results), 4 * gap), FILL, np.uint8)
    joined = np.concatenate([results.astype("<f4").view(np.uint8), between], axis=1)
    return joined.tobytes()[: joined.size - 4 * gap]


def refused(call: Call) -> list[dict[str, int]]:
    """Arguments outside the contract, of a call of several columns."""
    rows = int(call.arguments["nc"])
    sizes = [{"n": n} for n in (1, 31, 33, 48, -1, -32, -(1 << 31), (1 << 31) - 32, 1 << 30)]
    counts = [{name: count} for name in ("nr", "nc") for count in (-1, -(1 << 31), (1 << 31) - 1, 1 << 30)]
    strides = [{"bs": bs} for bs in (0, 1, rows - 1, -1, 1 << 31, 1 << 30, (1 << 30) + rows)]
    # 4 * ((nr - 1) * bs + nc) is 2^64, and what is left of that in 64 bits lies in memory
    wrapping = {"n": 0, "nr": (1 << 31) - 1, "bs": (1 << 31) + 2}
    return [*sizes, *counts, *strides, wrapping, {"n": 0, "bs": 0}, {"n": 0, "nr": -1}]


def bound(blocks: int, expected: Expected) -> Fraction:
    """The proven error bound: a term is rounded once, and at each addition but the first (docs/numerics.md)."""
    growth = blocks * HALF_ULP
    return growth / (1 - growth) * expected.magnitude


def known(case: Case) -> Known:
    """A case with what it comes to."""
    step = case.n // Q8_0.elements * Q8_0.bytes
    columns = [case.y[c * step : (c + 1) * step] for c in range(case.columns)]
    expected = [dot_rows(case.x, column, case.rows, case.n) for column in columns]
    return Known(case, expected, products(case.x, case.y, case.rows, case.columns, case.n))


def wrong_results(known: Known, got: F32, report: Report) -> Iterator[str]:
    """Where results of a case are not right: their bits, and against the exact ones."""
    case, blocks = known.case, known.case.n // Q4_0.elements
    yield from wrong_bits(case.name, got, known.bits)
    worst = 0.0
    for column, row in np.ndindex(got.shape):
        value, expected = float(got[column, row]), known.expected[column][row]
        worst = max(worst, ulps(value, expected))
        if wrong := mismatch(value, expected, bound(blocks, expected)):
            yield f"{case.name}: row {row}, column {column}: {wrong}"
            break
    report.count(blocks * got.size, worst, cases=got.size)


def wrong_bits(name: str, got: F32, bits: F32) -> Iterator[str]:
    """The first result, shape (columns, rows), that has not the bits that it should have; any NaN is one."""
    same = (got.view(np.uint32) == bits.view(np.uint32)) | (np.isnan(got) & np.isnan(bits))
    for column, row in np.argwhere(~same)[:1]:
        yield (
            f"{name}: row {row}, column {column}: {got[column, row]!r}, its additions in order give "
            f"{bits[column, row]!r} ({(~same).sum()} results wrong)"
        )


def _check_all_halves(kernel: MatrixKernel, report: Report) -> Iterator[str]:
    """All 65,536 halves as scales of weights, with 1, few and many columns, and of activations."""
    rows, columns = tile_of(kernel.spec)
    x = weights_of(kernel.spec, one_value(HALVES, Q4_0), len(HALVES), 32)
    for count in sorted({1, columns, PANEL}):
        y = prepare(one_value(np.full(count, ONE), Q8_0), kernel.record)
        for got in kernel.multiply(x, y, 32, len(HALVES), count):
            yield from _wrong_halves("weights'", got, report)
    x = weights_of(kernel.spec, one_value(np.full(rows, ONE), Q4_0), rows, 32)
    table = kernel.multiply(x, _all_activations(kernel.record), 32, rows, len(HALVES))
    for row in range(rows):
        yield from _wrong_halves(f"row {row}, activations'", table[:, row], report)


def one_value(halves: np.ndarray, block: Format) -> bytes:
    """Blocks with these scales and a 1 among zeros."""
    values = np.zeros((len(halves), block.elements), np.int16)
    values[:, 13] = 1
    return encode(halves.astype(np.uint16), values, block)


@cache
def _all_activations(record: Record) -> bytes:
    return prepare(one_value(HALVES, Q8_0), record)


@cache
def _values() -> F32:
    return np.array([f16_value(int(half)) for half in HALVES], np.float32)


def _wrong_halves(whose: str, got: F32, report: Report) -> Iterator[str]:
    bad = ~((got == _values()) | (np.isnan(got) & np.isnan(_values())))
    report.count(len(HALVES), cases=len(HALVES))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        yield (
            f"half 0x{HALVES[at]:04x} as {whose} scale: {got[at]!r}, expected {_values()[at]!r}"
            f" ({int(bad.sum())} halves wrong)"
        )


def _ending_in_infinity(columns: int) -> Case:
    """A last scale of activations that is infinite: to be noticed wherever they end."""
    case = random_case("memory-infinity", 5, columns, 3)
    last = len(case.y) - Q8_0.bytes + Q8_0.scale_offset
    return replace(case, y=case.y[:last] + struct.pack("<H", INFINITY) + case.y[last + 2 :])


def _memory_cases(spec: KernelSpec) -> Iterator[tuple[Case, int]]:
    """With rows and columns that are left over, and gaps between columns; the last one in whole tiles."""
    rows, columns = tile_of(spec)
    yield random_case("memory", rows + 3, columns + 1, 2), 3
    yield random_case("memory-few-rows", 3, 2, 1), 0
    yield random_case("memory-many-columns", rows, 5, 3), 1
    yield random_case("memory-one-column", 2 * rows + 1, 1, 3), 0
    yield random_case("memory-empty-rows", rows, columns, 0), 0
    yield random_case("memory-tiles", 2 * rows, 2 * columns, 3), 0
