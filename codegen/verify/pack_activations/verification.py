"""A kernel that prepares activations against the oracle, byte for byte, and against its contract."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from codegen.formats import Q8_0
from codegen.formats.layouts import Record
from codegen.kernels.spec import KernelSpec
from codegen.oracle.matrix import prepare
from codegen.runtime.pack_activations import Preparer
from codegen.verify.calls import Call
from codegen.verify.memory_contract import check_large, check_memory, check_refused
from codegen.verify.memory_ranges import check_idle, check_ranges
from codegen.verify.pack_activations.cases import GAPS, call_of, matrix, overlapping
from codegen.verify.placement import Place, put, wrong_outputs
from codegen.verify.quantize_row.cases import ending_in_zeros
from codegen.verify.quantize_row.verification import oracle
from codegen.verify.report import Report

_MOST = (1 << 31) - 1

REFUSED = (
    *({"n": n} for n in (1, 31, 33, 48, -1, -32, -(1 << 31), (1 << 31) - 1)),
    *({"nr": nr} for nr in (-1, -2, -(1 << 31))),
    *({"n": 0, "nr": -1}, {"n": 1, "nr": 0}, {"n": -32, "nr": 0}, {"n": -(1 << 31), "nr": 0}),
    # beyond any memory, and beyond 32 or 64 bits where that is not looked at
    *({"nr": nr} for nr in (1 << 26, 1 << 27, 1 << 29, 1 << 30, _MOST)),
    *(
        {"n": n, "nr": nr, "bx": 0}
        for n in (1 << 28, 1 << 30, (1 << 31) - 32)
        for nr in (1, 4, 1 << 24, _MOST)
    ),
    {"n": 128, "nr": 1 << 30, "bx": 0},
    *({"nr": nr, "bx": bx} for nr in (2, 3, 5, 1 << 16, _MOST) for bx in (1 << 31, -(1 << 30), -1, -128)),
)
"""Calls outside the contract, or of matrices that no memory holds."""

IDLE = ({"nr": 0}, {"n": 0}, {"n": 0, "nr": 0}, {"n": 0, "nr": _MOST, "bx": -1}, {"n": 1 << 30, "nr": 0})
"""Calls with nothing to do."""


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel, unroll = Preparer(spec, wasm), spec.unroll
    record = kernel.record
    # the last block of a column in either loop, and columns at any residue of the one before
    columns = [matrix("memory", 2, blocks) for blocks in (2 * unroll, 2 * unroll + 1)]
    calls = [call_of(each, 5, record) for each in (*columns, *map(ending_in_zeros, columns))]
    yield from check_memory(kernel, calls, report)
    yield from check_refused(kernel, calls[0], REFUSED, report)
    yield from check_ranges(kernel, call_of(matrix("ranges", 3, unroll + 1), 2, record), report)
    yield from check_idle(kernel, calls[1], IDLE, report)
    yield from _check_strides(kernel, record, report)
    # after those that look at all of memory, since these make it large
    for name, values, wanted in known_records(record):
        for rows in (
            values,
            values.reshape(-1, Q8_0.elements),
        ):  # one column, and blocks that loops leave over
            yield from wrong_records(name, kernel.prepare(rows), wanted, record)
            report.count(values.size // Q8_0.elements)
    yield from check_large(kernel, call_of(matrix("large", 2, 3 * unroll - 1), 0, record), report)


def _check_strides(kernel: Preparer, record: Record, report: Report) -> Iterator[str]:
    calls = {
        f"{columns} columns of {blocks} blocks, {gap} bytes between": call_of(
            matrix(f"stride-{columns}-{blocks}-{gap}", columns, blocks), gap, record
        )
        for columns in (1, 2, 3, 7)
        for blocks in (1, kernel.spec.unroll, 2 * kernel.spec.unroll + 1)
        for gap in GAPS
    } | {f"columns {stride} bytes apart": overlapping(stride, 5, 3, record) for stride in (0, 1, 4, 130)}
    for what, call in calls.items():
        yield from _run(kernel, call, what)
        report.count(call.blocks)


def _run(kernel: Preparer, call: Call, what: str) -> Iterator[str]:
    place = Place(what, put(kernel, call))
    kernel.invoke(*call.placed(place.addresses))
    yield from wrong_outputs(kernel, call, place)


@cache
def known_records(record: Record) -> list[tuple[str, np.ndarray, bytes]]:
    """Every row that finds faults in a quantiser, as a matrix of one column."""
    return [(case.name, case.values.reshape(1, -1), prepare(blocks, record)) for case, blocks in oracle()]


def wrong_records(name: str, got: bytes, wanted: bytes, record: Record) -> Iterator[str]:
    """The first record that is not what is wanted."""
    if got == wanted:
        return
    here, there = (np.frombuffer(data, "<u4").reshape(-1, record.bytes // 4) for data in (got, wanted))
    wrong = np.flatnonzero((here != there).any(axis=1))
    block = int(wrong[0])
    word = int(np.flatnonzero(here[block] != there[block])[0])
    what = f"word {word} is 0x{here[block, word]:08x}, expected 0x{there[block, word]:08x}"
    yield f"{name}: record {block}: {what} ({len(wrong)} records wrong)"
