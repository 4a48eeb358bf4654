"""A kernel that interleaves rows against the oracle, byte for byte, and against its contract."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from codegen.formats import Q4_0
from codegen.kernels.spec import KernelSpec
from codegen.oracle.inputs import rng_of
from codegen.oracle.matrix import deinterleave
from codegen.runtime.repack import Repacker
from codegen.verify.memory_contract import check_large, check_memory, check_refused
from codegen.verify.memory_ranges import check_idle, check_ranges
from codegen.verify.placement import Place, put, wrong_outputs
from codegen.verify.repack.cases import GAPS, call_of
from codegen.verify.report import Report

_MOST = (1 << 31) - 1

REFUSED = (
    *({"n": n} for n in (1, 31, 33, 48, -1, -32, -(1 << 31), (1 << 31) - 1)),
    *({"nc": nc} for nc in (-1, -2, -(1 << 31))),
    *({"n": 0, "nc": -1}, {"n": 1, "nc": 0}, {"n": -32, "nc": 0}, {"n": -(1 << 31), "nc": 0}),
    # beyond any memory, and beyond 32 or 64 bits where that is not looked at
    *({"nc": nc} for nc in (1 << 26, 1 << 28, 1 << 29, 1 << 30, _MOST)),
    *({"n": n, "nc": nc, "bx": 0} for n in (1 << 30, (1 << 31) - 32) for nc in (5, 1 << 28, _MOST)),
    {"n": 512, "nc": 1 << 30, "bx": 0},
    *({"nc": nc, "bx": bx} for nc in (2, 3, 5, 1 << 16, _MOST) for bx in (1 << 31, -(1 << 30), -1, -18)),
)
"""Calls outside the contract, or of matrices that no memory holds."""

IDLE = ({"nc": 0}, {"n": 0}, {"n": 0, "nc": 0}, {"n": 0, "nc": _MOST, "bx": -1}, {"n": 1 << 30, "nc": 0})
"""Calls with nothing to do."""


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel = Repacker(spec, wasm)
    yield from _check_shapes(kernel, report)
    yield from _check_round_trips(kernel, report)
    both = [call_of("memory", rows, 3, 5) for rows in (4, 5, 7)]
    yield from check_memory(kernel, both, report)
    yield from check_refused(kernel, both[0], REFUSED, report)
    yield from check_ranges(kernel, call_of("ranges", 6, 2, 7), report)
    yield from check_idle(kernel, both[1], IDLE, report)
    yield from check_large(kernel, call_of("large", 7, 5), report)


def _check_shapes(kernel: Repacker, report: Report) -> Iterator[str]:
    """Every number of rows and blocks, at every kind of stride; and a matrix of a model's size."""
    shared = (-1, -4, -Q4_0.bytes)
    shapes = product(range(10), (1, 2, 3, 5, 8), (*GAPS, *shared))
    for rows, blocks, gap in (*shapes, (1027, 129, 2)):
        call = call_of(f"shape-{rows}-{blocks}-{gap}", rows, blocks, gap)
        place = Place(f"{rows} rows of {blocks} blocks, {gap} bytes between", put(kernel, call))
        kernel.invoke(*call.placed(place.addresses))
        yield from wrong_outputs(kernel, call, place)
        report.count(call.blocks)


def _check_round_trips(kernel: Repacker, report: Report) -> Iterator[str]:
    """What comes out has every bit of what went in, and nothing else but zeros."""
    for rows, blocks in product(range(10), (1, 3, 7)):
        size, n = rows * blocks * Q4_0.bytes, blocks * Q4_0.elements
        data = rng_of(f"trip-{rows}-{blocks}").bytes(size)
        packed = kernel.repack(data, rows, n)
        padded = deinterleave(packed, -(-rows // 4) * 4, n)
        if padded[:size] != data or any(padded[size:]):
            yield f"{rows} rows of {blocks} blocks: not the same when they are taken apart again"
        report.count(rows * blocks)
