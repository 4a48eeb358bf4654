"""Activations to prepare for any engine, with the records that must come out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from codegen.formats.layouts import Record
from codegen.kernels.spec import KernelSpec
from codegen.verify.calls import Call
from codegen.verify.job import Case as VectorCase
from codegen.verify.pack_activations.cases import call_of, matrix
from codegen.verify.quantize_row.cases import F32, N
from codegen.verify.vector_cases import PLACES, case_of, idle, traps

_SHAPES = ((1, 1, 0), (1, 4, 0), (1, 5, 0), (2, 1, 1), (3, 2, 6), (2, 5, 130))
"""Columns, blocks of each, bytes between them."""

_REFUSED = ({"n": 31}, {"n": 48}, {"n": -32}, {"nr": -1}, {"nr": 1 << 30}, {"nr": 2, "bx": 1 << 31})


def cases(spec: KernelSpec) -> Iterator[VectorCase]:
    """All of them, for kernels that give the same records."""
    record = spec.record
    assert record is not None, "every strategy has one"
    for columns, blocks, gap in _SHAPES:
        name = f"{columns}-columns-of-{blocks}-blocks-{gap}-between"
        kinds = ("block count", "tail", "row strides")
        yield case_of(name, kinds, call_of(matrix(name, columns, blocks), gap, record))
    yield case_of("special", ("special values", "non-finite values", "subnormals"), _one(_special(), record))
    for at in (0, 3, 4):
        row = matrix(f"nan-{at}", 1, 5)
        row[0, at * N + 7 * at] = np.nan
        yield case_of(f"nan-in-block-{at}", ("non-finite values",), call_of(row, 0, record))
    for residue in range(16):
        name = f"align-{residue}"
        call = call_of(matrix(name, 1, 1), 0, record)
        yield {**case_of(name, ("unaligned addresses",), call), "align": residue}
    for place, faults in PLACES.items():
        name = f"{place}-of-memory"
        yield {**case_of(name, faults, call_of(matrix(name, 1, 5), 0, record)), "place": place}
    # -64 as an address is 64 bytes before 4 GiB, where no memory of another case is
    refused = (*_REFUSED, {"s": "vx"}, {"vx": -64}, {"s": -64})
    call = call_of(matrix("trap", 1, 2), 0, record)
    yield from traps(call, refused)
    yield from idle(call, ({"nr": 0}, {"n": 0}))


def _one(values: F32, record: Record) -> Call:
    return call_of(values.reshape(1, -1), 0, record)


def _special() -> F32:
    """Blocks of zeros, infinities, NaN, tiny and huge numbers, and of the largest sums that there are."""
    ramp = (np.arange(N) - 15).astype(np.float32)
    signs = np.where(np.arange(N) % 4 < 2, 1, -1).astype(np.float32)
    halves = np.repeat(np.array([1, -1], np.float32), N // 2)
    lone = np.zeros((4, N), np.float32)
    lone.view(np.uint32)[np.arange(4), (3, 17, 30, 8)] = (0x00000001, 0x7F800000, 0xFF800000, 0x7F800001)
    tiny = [ramp * np.float32(127 * 2.0**-127 * part / 16) for part in (0.48, 0.501, 0.996, 1.004)]
    rows = (
        *(0 * ramp, -0.0 * signs, *lone, *tiny),
        *(np.full(N, 5, np.float32), np.full(N, -5, np.float32), signs, -3 * signs, halves),
        *(ramp * np.float32(2.0**-24), ramp * np.float32(2.0**-16), ramp * np.float32(3e38 / 16)),
    )
    return np.concatenate(rows).astype(np.float32)
