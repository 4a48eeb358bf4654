"""A dot product against the oracle, against its own order of additions, against scalar, and against its contract.

The oracle demands bits where every partial sum is an f32 (`Expected.exact`), the class where scales are not finite,
and elsewhere the bound that docs/numerics.md proves; the order of additions demands bits wherever scales are finite.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from codegen.calls import Call
from codegen.formats import Q4_0, Q8_0
from codegen.inputs import INFINITY, ONE
from codegen.judge import Report
from codegen.memory_contract import check_large, check_memory, check_refused, check_traps
from codegen.ops.vec_dot import model
from codegen.ops.vec_dot.cases import Case, all_cases, random_case
from codegen.ops.vec_dot.judge import bound, differs, mismatch, ulps
from codegen.ops.vec_dot.kernel import IGNORED, Kernel
from codegen.ops.vec_dot.plan import dot_plan
from codegen.reference import Expected, Kind, dot, encode, f16_value
from codegen.spec import KernelSpec
from codegen.strategies import Isa


def check(spec: KernelSpec, wasm: bytes, report: Report) -> Iterator[str]:
    """What is wrong with a kernel, one line each."""
    kernel, unroll = Kernel(spec, wasm), spec.unroll
    yield from _check_cases(kernel, report)
    yield from _check_all_halves(kernel, report)
    # the last block in either loop
    both = [
        _call(spec, random_case(f"memory-b{blocks}", blocks, "powers"))
        for blocks in (2 * unroll, 2 * unroll + 1)
    ]
    yield from check_memory(kernel, both, report)
    yield from check_refused(kernel, both[0], _REFUSED, report)
    trapping = _call(spec, random_case("trap", 2 * unroll + 1, "powers"))
    yield from check_traps(kernel, trapping, report)
    yield from _check_long(kernel)
    # with leftovers, to straddle in each loop, and in the one for scales that are not finite
    large = random_case("large", 3 * unroll - 1, "powers")
    for case in (large, replace(large, x=struct.pack("<H", INFINITY) + large.x[2:])):
        yield from check_large(kernel, _call(spec, case), report)


_REFUSED = (
    *({"n": n, "nrc": 1} for n in (1, 31, 33, 48, -1, -32, -(1 << 31), (1 << 31) - 1)),
    *({"n": 32, "nrc": nrc} for nrc in (0, 2, -1, 256, 257, -(1 << 31) + 1)),
    {"n": 0, "nrc": 0},
)
"""Calls outside the contract."""


@cache
def _oracle() -> tuple[tuple[Case, Expected, model.F32], ...]:
    with np.errstate(invalid="ignore"):  # terms of scales that are not finite are not looked at
        return tuple((c, dot(c.x, c.y, c.n), model.terms(c.x, c.y)) for c in all_cases())


@cache
def _scalar() -> tuple[float, ...]:
    kernel = Kernel.load(KernelSpec(Isa.SCALAR))
    return tuple(kernel.vec_dot(case.x, case.y, case.n) for case, _, _ in _oracle())


def _check_cases(kernel: Kernel, report: Report) -> Iterator[str]:
    """Every case against the oracle, the kernel's own additions, and scalar where all variants must agree."""
    plan = dot_plan(kernel.spec)
    for (case, expected, terms), scalar in zip(_oracle(), _scalar(), strict=True):
        blocks = case.n // Q4_0.elements
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
    zeros = np.zeros((blocks, 32), np.int16)
    for at in range(blocks):
        one = zeros.copy()
        one[at, 13] = 1
        ones = np.full(blocks, ONE, np.uint16)
        still = {Q4_0: encode(ones, one, Q4_0), Q8_0: encode(ones, one, Q8_0)}
        for block, other in ((Q4_0, Q8_0), (Q8_0, Q4_0)):
            swept = np.tile(np.frombuffer(still[block], np.uint8), (len(halves), 1))
            place = at * block.bytes + block.scale_offset
            swept[:, place : place + 2] = halves.astype("<u2")[:, None].view(np.uint8)
            got = _sweep(kernel, swept, still[other], block is Q4_0)
            bad = ~((got == wanted) | (np.isnan(got) & np.isnan(wanted)))
            report.count(blocks * len(halves), cases=len(halves))
            if bad.any():
                half = int(np.flatnonzero(bad)[0])
                side = "x" if block is Q4_0 else "y"
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
    long = random_case("long", 2049 + kernel.spec.unroll, "powers")
    wanted = model.result(dot_plan(kernel.spec), model.terms(long.x, long.y))
    if wrong := differs(kernel.vec_dot(long.x, long.y, long.n), wanted):
        yield f"n = {long.n}: {wrong}"


def _call(spec: KernelSpec, case: Case) -> Call:
    """A case as a call, whose result has the bits of the kernel's own additions."""
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
        outputs={"s": struct.pack("<f", model.result(dot_plan(spec), model.terms(case.x, case.y)))},
        block_bytes={"x": Q4_0.bytes, "y": Q8_0.bytes},
        blocks=case.n // Q4_0.elements,
    )
