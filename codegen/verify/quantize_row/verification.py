"""A quantiser against the oracle, byte for byte, and against its contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from codegen.formats import Q8_0
from codegen.formats.quantise import quantize_q8_0
from codegen.kernels.quantize_row.blocks import VALUE_BYTES
from codegen.kernels.spec import KernelSpec
from codegen.runtime.quantize_row import Quantizer
from codegen.verify.calls import Call
from codegen.verify.memory_contract import check_large, check_memory, check_refused
from codegen.verify.memory_ranges import check_ranges
from codegen.verify.quantize_row.cases import F32, Case, ending_in_zeros, small_cases, sweeps, usual
from codegen.verify.report import Report

_REFUSED = tuple(
    {"k": k}
    for k in (
        1,
        31,
        33,
        48,
        -1,
        -32,
        1 << 30,
        1 << 31,
        1 << 32,
        (1 << 32) + 32,
        1 << 62,
        -(1 << 63),
        (1 << 63) - 1,
    )
)
"""Lengths outside the contract."""

_FEW, _APART = 40, 199
"""Blocks of a long row that are also quantised alone: the first ones, and then those so far apart."""


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel, unroll = Quantizer(spec, wasm), spec.unroll
    # the last block in either loop
    rows = [usual(f"memory-b{blocks}", blocks) for blocks in (2 * unroll, 2 * unroll + 1)]
    calls = [call_of(row) for row in (*rows, *map(ending_in_zeros, rows))]
    yield from check_memory(kernel, calls, report)
    yield from check_refused(kernel, calls[0], _REFUSED, report)
    yield from check_ranges(kernel, calls[1], report)
    # after those that look at all of memory, since these make it large
    for case, wanted in (*oracle(), *_alone()):
        yield from _differences(case, kernel.quantize(case.values), wanted)
        report.count(len(case.values) // Q8_0.elements)
    # with leftovers, to straddle in each loop; without; and nothing at all, which touches no memory
    for blocks in (3 * unroll - 1, 2 * unroll, 0):
        yield from check_large(kernel, call_of(usual("large", blocks)), report)


def call_of(values: F32) -> Call:
    """A row as a call."""
    return Call(
        arguments={"x": "x", "y": "y", "k": len(values)},
        inputs={"x": values.astype("<f4").tobytes()},
        outputs={"y": quantize_q8_0(values)},
        block_bytes={"x": Q8_0.elements * VALUE_BYTES, "y": Q8_0.bytes},
        blocks=len(values) // Q8_0.elements,
    )


@cache
def oracle() -> Sequence[tuple[Case, bytes]]:
    """Rows, and the blocks that they become."""
    return [(case, quantize_q8_0(case.values)) for case in (*small_cases(), *sweeps())]


@cache
def _alone() -> Sequence[tuple[Case, bytes]]:
    """Blocks in rows of their own, which unrolled loops leave over: all of short rows, and some of long ones."""
    return [
        (Case(f"{case.name}: block {at} alone", case.kinds, block), quantize_q8_0(block))
        for case, _ in oracle()
        for at, block in enumerate(case.values.reshape(-1, Q8_0.elements))
        if at % _APART == 0 or at < _FEW
    ]


def _differences(case: Case, got: bytes, wanted: bytes) -> Iterator[str]:
    if got == wanted:
        return
    here, there = (np.frombuffer(data, np.uint8).reshape(-1, Q8_0.bytes) for data in (got, wanted))
    wrong = np.flatnonzero((here != there).any(axis=1))
    block, at = int(wrong[0]), int(np.flatnonzero(here[wrong[0]] != there[wrong[0]])[0])
    what = f"scale 0x{here[block, :2].tobytes()[::-1].hex()}, expected 0x{there[block, :2].tobytes()[::-1].hex()}"
    if at >= Q8_0.quants_offset:
        element = at - Q8_0.quants_offset
        value = case.values[block * Q8_0.elements + element]
        got_q, wanted_q = (int(data.view(np.int8)[block, at]) for data in (here, there))
        what = f"{value!r} at {element} is quant {got_q}, expected {wanted_q}"
    yield f"{case.name}: block {block}: {what} ({len(wrong)} blocks wrong)"
