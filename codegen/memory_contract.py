"""A kernel against its memory contract: what it may read, what it may write, and when it must trap."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import wasmtime

from codegen.cases import Case, random_case
from codegen.formats import Q8_0
from codegen.judge import Report, mismatch
from codegen.reference import dot, encode
from codegen.runtime import Kernel


def check_memory(kernel: Kernel, report: Report) -> Iterator[str]:
    """Every residue, the last byte of memory, poison around the blocks, and only the result written."""
    blocks = 2 * kernel.spec.unroll + 1
    case = random_case("memory", blocks, "powers")
    expected = dot(case.x, case.y, case.n)
    poison = encode(np.full(1, 0x7E00, np.uint16), np.full((1, 32), 7, np.int16), Q8_0)
    for residue in range(16):
        for at_end in ("", "x", "y"):
            got, stray = _placed(kernel, case, residue, at_end, poison)
            report.count(blocks, got, expected)
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


def check_high_addresses(kernel: Kernel, report: Report) -> Iterator[str]:
    """Blocks that straddle 2 GiB, where a signed address turns negative. Last, since memory stays large."""
    blocks = 3 * kernel.spec.unroll - 1  # with leftovers, to straddle in each loop
    case = random_case("high", blocks, "powers")
    expected = dot(case.x, case.y, case.n)
    arena, middle = kernel.arena, 1 << 31
    arena.reach(middle + (1 << 16))
    for before in (20, len(case.x) // 2, len(case.x) - 27, -4):
        x, y, s = middle - before, middle + 16_000, middle + 40_001
        for address, data in ((x, case.x), (y, case.y)):
            arena.view(address, len(data))[:] = np.frombuffer(data, np.uint8)
        kernel.call(case.n, s, x, y)
        got = float(arena.view(s, 4).copy().view("<f4")[0])
        report.count(blocks, got, expected)
        if wrong := mismatch(got, expected, Fraction(0)):
            yield f"x at 2 GiB - {before}: {wrong}"


def check_contract(kernel: Kernel, report: Report) -> Iterator[str]:
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
        except wasmtime.Trap as trap:
            if trap.trap_code is not wasmtime.TrapCode.UNREACHABLE:
                yield f"n = {n}, nrc = {nrc}: trapped by {trap.trap_code}, not by the contract's check"
        if arena.view(s, 4).tobytes() != mark:
            yield f"n = {n}, nrc = {nrc}: wrote before it trapped"
