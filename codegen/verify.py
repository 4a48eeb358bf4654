"""A kernel against the oracle, against its own order of additions, against scalar, and against its contract.

The oracle demands bits where every partial sum is an f32 (`Expected.exact`), the class where scales are not finite,
and elsewhere the bound that docs/numerics.md proves; the order of additions demands bits wherever scales are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import wasmtime

from codegen import model
from codegen.assemble import assemble
from codegen.cases import ONE, Case, all_cases
from codegen.cost import Cost, cost
from codegen.errors import CodegenError
from codegen.formats import Q4_0, Q8_0
from codegen.judge import Report, bound, differs, mismatch
from codegen.memory_contract import check_contract, check_large, check_memory, check_module, check_traps
from codegen.plan import plan
from codegen.reference import Expected, Kind, dot, encode, f16_value
from codegen.render import render
from codegen.runtime import Kernel
from codegen.spec import KernelSpec
from codegen.strategies import Isa


def verify(spec: KernelSpec) -> Report:
    """Renders, assembles and verifies a kernel.

    Raises:
        AssembleError: its text does not assemble.
    """
    return verify_wasm(spec, assemble(render(spec)))


def verify_wasm(spec: KernelSpec, wasm: bytes) -> Report:
    """Verifies bytes that claim to be a kernel of this spec."""
    try:
        report = Report(spec.name, cost(wasm, spec.export, spec.unroll))
    except CodegenError as error:
        return Report(spec.name, Cost(0, 0, 0, 0, len(wasm)), failures=[str(error)])
    try:
        kernel = Kernel(spec, wasm)
        for check in _CHECKS:
            report.failures += check(kernel, report)
    except (wasmtime.WasmtimeError, CodegenError) as error:
        report.failures.append(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
    return report


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
    numbers = plan(kernel.spec)
    for (case, expected, terms), scalar in zip(_oracle(), _scalar(), strict=True):
        blocks = case.n // Q4_0.elements
        got = kernel.vec_dot(case.x, case.y, case.n)
        report.count(blocks, got, expected)
        if wrong := mismatch(got, expected, bound(numbers, blocks, expected.magnitude)):
            yield f"{case.name}: {wrong}"
        elif expected.kind is Kind.FINITE:
            if wrong := differs(got, model.result(numbers, terms)):
                yield f"{case.name}: {wrong}"
            elif (expected.exact or numbers.spec.unroll == 1) and got != scalar:
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
            report.cases, report.blocks = report.cases + len(halves), report.blocks + blocks * len(halves)
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


_CHECKS: Sequence[Callable[[Kernel, Report], Iterator[str]]] = (
    check_module,
    _check_cases,
    _check_all_halves,
    check_memory,
    check_contract,
    check_traps,
    check_large,
)
