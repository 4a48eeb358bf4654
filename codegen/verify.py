"""A kernel against the oracle, against scalar, and against its memory contract.

Bits are demanded where every partial sum is an f32 (`Expected.exact`), the class where scales are not finite, and
elsewhere the bound that docs/numerics.md proves.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np
import wasmtime

from codegen.assemble import assemble
from codegen.cases import ONE, Case, all_cases, random_case
from codegen.cost import Cost, cost
from codegen.errors import CodegenError
from codegen.formats import Q4_0, Q8_0
from codegen.plan import Plan, plan
from codegen.reference import Expected, Kind, dot, encode, f16_value
from codegen.render import render
from codegen.runtime import Kernel
from codegen.spec import Isa, KernelSpec

HALF_ULP = Fraction(1, 1 << 24)
"""f32's unit roundoff."""

_SHOWN = 5


@dataclass
class Report:
    """What verification found.

    Attributes:
        kernel: the kernel's name.
        cases: dot products compared.
        blocks: blocks in them.
        worst_ulp: the largest error, in ulps of the sum of |S * dx * dy|.
        cost: what the assembled kernel costs.
        failures: one line each; empty where the kernel is right.
    """

    kernel: str
    cost: Cost
    cases: int = 0
    blocks: int = 0
    worst_ulp: float = 0.0
    failures: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures


def verify(spec: KernelSpec) -> Report:
    """Renders, assembles and verifies a kernel.

    Raises:
        AssembleError: its text does not assemble.
    """
    return verify_wasm(spec, assemble(render(spec)))


def verify_wasm(spec: KernelSpec, wasm: bytes) -> Report:
    """Verifies bytes that claim to be a kernel of this spec."""
    report = Report(spec.name, cost(wasm, f"ggml_{spec.contract}", spec.unroll))
    try:
        kernel = Kernel(spec, wasm)
        for check in _CHECKS:
            report.failures += check(kernel, report)
    except (wasmtime.WasmtimeError, wasmtime.Trap, CodegenError) as error:
        report.failures.append(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
    return report


def roundings(numbers: Plan, blocks: int) -> int:
    """The most roundings that any term goes through on its way into the result: docs/numerics.md."""
    turns, rest = divmod(blocks, numbers.spec.unroll)
    per_turn = max(
        sum(group.accumulator == a for group in numbers.groups) for a in range(numbers.spec.accumulators)
    )
    joins = (len(numbers.vectors) + 1 if numbers.vectors else 0) + len(numbers.scalars)
    return 1 + turns * per_turn + rest + joins


def bound(numbers: Plan, blocks: int, magnitude: Fraction) -> Fraction:
    """The proven error bound: gamma_m * sum of |S * dx * dy|, with m roundings of at most half an ulp."""
    growth = roundings(numbers, blocks) * HALF_ULP
    return growth / (1 - growth) * magnitude


def mismatch(got: float, expected: Expected, limit: Fraction) -> str | None:
    """Why `got` is not what is expected; None where it is."""
    if expected.kind is Kind.NAN:
        return None if np.isnan(got) else f"{got!r}, expected NaN"
    if expected.kind is not Kind.FINITE:
        return None if got == float(expected.kind) else f"{got!r}, expected {expected.kind}"
    if not np.isfinite(got):
        return f"{got!r}, expected {float(expected.value)!r}"
    if expected.exact:
        same = struct.pack("<f", got) == struct.pack("<f", float(expected.value))
        return None if same else f"{got!r}, expected exactly {float(expected.value)!r}"
    error = abs(Fraction(got) - expected.value)
    if error > limit:
        return f"{got!r}, expected {float(expected.value)!r} within {float(limit):.3g}, is off by {float(error):.3g}"
    return None


@cache
def _oracle() -> tuple[tuple[Case, Expected], ...]:
    return tuple((case, dot(case.x, case.y, case.n)) for case in all_cases())


@cache
def _scalar() -> tuple[float, ...]:
    kernel = Kernel.load(KernelSpec(Isa.SCALAR))
    return tuple(kernel.vec_dot(case.x, case.y, case.n) for case, _ in _oracle())


def _check_cases(kernel: Kernel, report: Report) -> Iterator[str]:
    """Every case against the oracle, and against the scalar variant."""
    numbers, scalar_numbers = plan(kernel.spec), plan(KernelSpec(Isa.SCALAR))
    for (case, expected), scalar in zip(_oracle(), _scalar(), strict=True):
        blocks = case.n // Q4_0.elements
        limit = bound(numbers, blocks, expected.magnitude)
        got = kernel.vec_dot(case.x, case.y, case.n)
        _count(report, 1, blocks, got, expected)
        if wrong := mismatch(got, expected, limit):
            yield f"{case.name}: {wrong}"
        elif expected.kind is Kind.FINITE and not expected.exact:
            apart = abs(Fraction(got) - Fraction(scalar))
            if apart > limit + bound(scalar_numbers, blocks, expected.magnitude):
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


def _check_memory(kernel: Kernel, report: Report) -> Iterator[str]:
    """Every residue, the last byte of memory, poison around the blocks, and only the result written."""
    blocks = 2 * kernel.spec.unroll + 1
    case = random_case("memory", blocks, "powers")
    expected = dot(case.x, case.y, case.n)
    poison = encode(np.full(1, 0x7E00, np.uint16), np.full((1, 32), 7, np.int16), Q8_0)
    for residue in range(16):
        for at_end in ("", "x", "y"):
            got, stray = _placed(kernel, case, residue, at_end, poison)
            _count(report, 1, blocks, got, expected)
            where = f"residue {residue}" + (f", {at_end} at the end of memory" if at_end else "")
            if wrong := mismatch(got, expected, Fraction(0)):
                yield f"{where}: {wrong}"
            if stray:
                yield f"{where}: wrote to memory outside its result"


def _placed(kernel: Kernel, case: Case, residue: int, at_end: str, poison: bytes) -> tuple[float, bool]:
    """Runs a case with its blocks placed so; the result, and whether any other byte of memory changed."""
    arena = kernel.arena
    arena.reset()
    low = arena.allocate(0)
    address = {}
    for side, data in (("x", case.x), ("y", case.y)):
        address[side] = arena.put(poison + data + poison, residue) + len(poison)
    s = arena.allocate(4 + 2 * 16, residue) + 16
    if at_end:
        data = case.x if at_end == "x" else case.y
        address[at_end] = arena.end - len(data)
        if address[at_end] < s + 64:
            arena.reach(arena.end + 1)
            address[at_end] = arena.end - len(data)
        arena.view(address[at_end], len(data))[:] = np.frombuffer(data, np.uint8)
    before = arena.view(low, arena.end - low).copy()
    kernel.call(case.n, s, address["x"], address["y"])
    after = arena.view(low, arena.end - low)
    changed = np.flatnonzero(before != after) + low
    result = float(arena.view(s, 4).view("<f4")[0])
    return result, bool(((changed < s) | (changed >= s + 4)).any())


def _check_contract(kernel: Kernel, report: Report) -> Iterator[str]:
    """A call outside the contract traps and writes nothing."""
    arena = kernel.arena
    arena.reset()
    blocks = arena.allocate(1024)
    s = arena.allocate(4)
    mark = b"\xa5\x5a\xa5\x5a"
    for n, nrc in ((1, 1), (31, 1), (33, 1), (-32, 1), (-1, 1), (32, 0), (32, 2), (32, -1), (0, 0), (48, 1)):
        arena.view(s, 4)[:] = np.frombuffer(mark, np.uint8)
        report.cases += 1
        try:
            kernel.call(n, s, blocks, blocks, nrc)
            yield f"n = {n}, nrc = {nrc}: did not trap"
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            pass
        if arena.view(s, 4).tobytes() != mark:
            yield f"n = {n}, nrc = {nrc}: wrote before it trapped"


_CHECKS: Sequence[Callable[[Kernel, Report], Iterator[str]]] = (
    _check_cases,
    _check_all_halves,
    _check_memory,
    _check_contract,
)


def _count(report: Report, cases: int, blocks: int, got: float, expected: Expected) -> None:
    report.cases += cases
    report.blocks += blocks
    if expected.kind is Kind.FINITE and expected.magnitude and np.isfinite(got):
        error = abs(Fraction(got) - expected.value) / expected.magnitude / (2 * HALF_ULP)
        report.worst_ulp = max(report.worst_ulp, float(error))


