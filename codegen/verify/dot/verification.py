"""A dot product against the oracle, against its own order of additions, against scalar, and against its contract.

The oracle demands bits where every partial sum is an f32 (`Expected.exact`), the class where scales are not finite,
and elsewhere the bound that docs/numerics.md proves; the order of additions demands bits wherever scales are finite.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from codegen.formats import FORMATS, Format
from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.spec import KernelSpec
from codegen.oracle.dot import Expected, Kind, dot, encode, f16_value
from codegen.oracle.inputs import INFINITY, ONE
from codegen.runtime.vec_dot import IGNORED, Kernel
from codegen.spec.strategies import Isa
from codegen.verify.calls import Call
from codegen.verify.dot import model
from codegen.verify.dot.cases import Case, Cases
from codegen.verify.dot.judge import bound, differs, mismatch, ulps
from codegen.verify.memory_contract import check_large, check_memory, check_refused, check_traps
from codegen.verify.report import Report


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel, unroll, cases = Kernel(spec, wasm), spec.unroll, Cases(FORMATS[spec.x])
    yield from _check_cases(kernel, report)
    yield from _check_all_halves(kernel, report)
    # the last block in either loop
    both = [
        _call(spec, cases.random(f"memory-b{blocks}", blocks, "powers"))
        for blocks in (2 * unroll, 2 * unroll + 1)
    ]
    yield from check_memory(kernel, both, report)
    yield from check_refused(kernel, both[0], _REFUSED, report)
    trapping = _call(spec, cases.random("trap", 2 * unroll + 1, "powers"))
    yield from check_traps(kernel, trapping, report)
    yield from _check_long(kernel)
    # with leftovers, to straddle in each loop, and in the one for scales that are not finite; and without, to end there
    large = cases.random("large", 3 * unroll - 1, "powers")
    infinite = replace(large, x=struct.pack("<H", INFINITY) + large.x[2:])
    for case in (large, infinite, cases.random("large-whole", 12 * unroll, "usual")):
        yield from check_large(kernel, _call(spec, case), report)


_REFUSED = (
    *({"n": n, "nrc": 1} for n in (1, 31, 33, 48, -1, -32, -(1 << 31), (1 << 31) - 1)),
    *({"n": 32, "nrc": nrc} for nrc in (0, 2, -1, 256, 257, -(1 << 31) + 1)),
    {"n": 0, "nrc": 0},
)
"""Calls outside the contract."""


@cache
def _oracle(x: Format) -> tuple[tuple[Case, Expected, model.F32], ...]:
    with np.errstate(invalid="ignore"):  # terms of scales that are not finite are not looked at
        return tuple((c, dot(c.x, c.y, c.n, x), model.terms(c.x, c.y, x)) for c in Cases(x).all())


@cache
def _scalar(x: Format) -> tuple[float, ...]:
    kernel = Kernel.load(KernelSpec(Isa.SCALAR, x=x.name))
    return tuple(kernel.vec_dot(case.x, case.y, case.n) for case, _, _ in _oracle(x))


def _check_cases(kernel: Kernel, report: Report) -> Iterator[str]:
    """Every case against the oracle, the kernel's own additions, and scalar where all variants must agree."""
    plan = dot_plan(kernel.spec)
    for (case, expected, terms), scalar in zip(_oracle(kernel.x), _scalar(kernel.x), strict=True):
        blocks = case.n // kernel.x.elements
        got = kernel.vec_dot(case.x, case.y, case.n)
        report.count(blocks, ulps(got, expected))
        if wrong := mismatch(got, expected, bound(plan, blocks, expected.magnitude)):
            yield f"{case.name}: {wrong}"
        elif expected.kind is Kind.FINITE:
            if wrong := differs(got, model.result(plan, terms)):
                yield f"{case.name}: {wrong}"
            elif (expected.exact or plan.spec.unroll == 1) and got != scalar:
                yield f"{case.name}: {got!r}, scalar computes {scalar!r}"


def _check_all_halves(kernel: Kernel, report: Report) -> Iterator[str]:
    """All 65,536 halves as a scale, in every block position of the unrolled loop, on either side."""
    blocks, halves = kernel.spec.unroll, np.arange(1 << 16, dtype=np.uint16)
    wanted = np.array([f16_value(int(h)) for h in halves], np.float32)
    ones = np.full(blocks, ONE, np.uint16)
    for at, side in product(range(blocks), "xy"):
        one = np.zeros((blocks, 32), np.int16)
        one[at, 13] = 1
        moving, fixed = (kernel.x, kernel.y) if side == "x" else (kernel.y, kernel.x)
        swept = np.tile(np.frombuffer(encode(ones, one, moving), np.uint8), (len(halves), 1))
        place = at * moving.bytes + moving.scale_offset
        swept[:, place : place + 2] = halves.astype("<u2")[:, None].view(np.uint8)
        got = _sweep(kernel, swept, encode(ones, one, fixed), side == "x")
        bad = ~((got == wanted) | (np.isnan(got) & np.isnan(wanted)))
        report.count(blocks * len(halves), cases=len(halves))
        if bad.any():
            half = int(np.flatnonzero(bad)[0])
            yield (
                f"half 0x{half:04x} as {side} scale of block {at}: {got[half]!r}, expected {wanted[half]!r}"
                f" ({int(bad.sum())} halves wrong)"
            )


def _sweep(kernel: Kernel, swept: np.ndarray, still: bytes, x_side: bool) -> np.ndarray:
    """Rows that differ on one side and share the other."""
    rows, step = swept.shape
    kernel.arena.reset()
    s = kernel.arena.allocate(4 * rows)
    moving, fixed = kernel.arena.put(swept.reshape(-1)), kernel.arena.put(still)
    x, x_step, y, y_step = (moving, step, fixed, 0) if x_side else (fixed, 0, moving, step)
    kernel.call_rows(1, rows, kernel.spec.unroll * 32, s, x, x_step, y, y_step)
    return kernel.arena.view(s, 4 * rows).view("<f4").copy()


def _check_long(kernel: Kernel) -> Iterator[str]:
    """A row whose n is beyond 16 bits."""
    long = Cases(kernel.x).random("long", 2049 + kernel.spec.unroll, "powers")
    wanted = model.result(dot_plan(kernel.spec), model.terms(long.x, long.y, kernel.x))
    if wrong := differs(kernel.vec_dot(long.x, long.y, long.n), wanted):
        yield f"n = {long.n}: {wrong}"


def _call(spec: KernelSpec, case: Case) -> Call:
    """A case as a call, whose result has the bits of the kernel's own additions."""
    weights = FORMATS[spec.x]
    terms = model.terms(case.x, case.y, weights)
    return Call(
        arguments={
            "n": case.n,
            "s": "s",
            "bs": IGNORED,
            "vx": "x",
            "bx": IGNORED,
            "vy": "y",
            "by": IGNORED,
            "nrc": 1,
        },
        inputs={"x": case.x, "y": case.y},
        outputs={"s": struct.pack("<f", model.result(dot_plan(spec), terms))},
        block_bytes={"x": weights.bytes, "y": FORMATS[spec.y].bytes},
        blocks=case.n // weights.elements,
    )
