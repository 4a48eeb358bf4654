"""A kernel against its contract: what its module is made of, what it may read and write, and when it must trap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import wasmtime

from codegen import model
from codegen.arena import WASM32_BYTES
from codegen.cases import Case, random_case
from codegen.cost import RELAXED_DOTS
from codegen.errors import KernelTrapError
from codegen.formats import Q8_0
from codegen.judge import Report, differs
from codegen.plan import plan
from codegen.reference import encode
from codegen.runtime import Kernel
from codegen.spec import Memory, Scales
from codegen.strategies import Isa
from codegen.wasm_code import SIMD, opcodes

_POISON = encode(np.full(1, 0x7E00, np.uint16), np.full((1, 32), 7, np.int16), Q8_0)
"""A block that would make any result NaN."""


def check_module(kernel: Kernel, _report: Report) -> Iterator[str]:
    """Imports and exports are the contract's, opcodes the ISA's, and nothing is written beside a table."""
    spec, module = kernel.spec, wasmtime.Module(wasmtime.Engine(), kernel.wasm)
    table, imported = spec.scales is Scales.TABLE, spec.memory is Memory.IMPORT
    exports = {spec.export} | (set() if imported else {"memory"} | ({"heap_base"} if table else set()))
    imports = ({"memory"} | ({"f16_table"} if table else set())) if imported else set()
    for what, have, want in (
        ("exports", {e.name for e in module.exports}, exports),
        ("imports", {i.name for i in module.imports}, imports),
    ):
        if have != want:
            yield f"{what} {sorted(map(str, have))}, the contract has {sorted(want)}"
    for op in sorted(opcodes(kernel.wasm), key=str):
        if isinstance(op, tuple) and not _allowed(op[1], spec.isa):
            yield f"opcode 0x{SIMD:x} 0x{op[1]:x} is not for {spec.isa}"
    arena = kernel.arena
    base = arena.allocate(0)
    if arena.view(base, arena.end - base).any():
        yield "memory that is the host's was written at instantiation"


def _allowed(sub: int, isa: Isa) -> bool:
    """Whether an ISA has a SIMD opcode; of the relaxed ones only those whose result we can promise."""
    if isa is Isa.SCALAR:
        return False
    return sub < 0x100 or (isa is Isa.RELAXED and sub in RELAXED_DOTS)


@dataclass(frozen=True)
class Place:
    """Where a case's blocks and result go."""

    what: str
    x: int
    y: int
    s: int


def check_memory(kernel: Kernel, report: Report) -> Iterator[str]:
    """Residues, first and last bytes of memory, poison around the blocks, and only the result written."""
    for blocks in (2 * kernel.spec.unroll, 2 * kernel.spec.unroll + 1):  # the last block in either loop
        case = random_case(f"memory-b{blocks}", blocks, "powers")
        for place in _places(kernel, case):
            yield from _run(kernel, case, place, report)


def _places(kernel: Kernel, case: Case) -> Iterator[Place]:
    """Amid memory at every residue, and each of x, y and s at the first and last bytes, the others amid it."""
    arena = kernel.arena
    arena.reset()
    first = arena.allocate(0)
    room = len(case.x) + len(case.y) + 1024
    arena.reach(first + 8 * room)
    end = arena.end
    x, y, s = first + room, first + 3 * room, first + 5 * room
    for r in range(16):
        yield Place(f"residues {r}, {(7 * r + 3) % 16}", x + r, y + (7 * r + 3) % 16, s + (5 * r + 1) % 16)
    yield Place("x first", first, y, s)
    yield Place("y first", x, first, s)
    yield Place("s first", x, y, first)
    yield Place("x last", end - len(case.x), y, s)
    yield Place("y last", x, end - len(case.y), s)
    yield Place("s last", x, y, end - 4)


def _run(kernel: Kernel, case: Case, place: Place, report: Report) -> Iterator[str]:
    """Runs a case placed so: its bits, and that no other byte of memory changed."""
    arena = kernel.arena
    first = arena.allocate(0)
    whole = arena.view(first, arena.end - first)
    whole[:] = 0xA5  # not what a stray store would leave
    for address, data in ((place.x, case.x), (place.y, case.y)):
        poisoned = (_POISON + data + _POISON)[max(0, len(_POISON) + first - address) :]
        start = max(first, address - len(_POISON))
        whole[start - first : start - first + len(poisoned)] = np.frombuffer(poisoned, np.uint8)[
            : arena.end - start
        ]
    before = whole.copy()
    kernel.call(case.n, place.s, place.x, place.y)
    whole = arena.view(first, arena.end - first)
    if wrong := differs(_result(kernel, place.s), _expected(kernel, case)):
        yield f"{place.what}: {wrong}"
    changed = np.flatnonzero(before != whole) + first
    if ((changed < place.s) | (changed >= place.s + 4)).any():
        yield f"{place.what}: wrote to memory outside its result"
    report.cases, report.blocks = report.cases + 1, report.blocks + case.n // 32


def check_contract(kernel: Kernel, report: Report) -> Iterator[str]:
    """A call outside the contract traps, by the contract's own check, and writes nothing."""
    arena = kernel.arena
    arena.reset()
    blocks, s = arena.allocate(1024), arena.allocate(4)
    mark = b"\xa5\x5a\xa5\x5a"
    lengths = (1, 31, 33, 48, -1, -32, -(1 << 31), (1 << 31) - 1)
    counts = (0, 2, -1, 256, 257, -(1 << 31) + 1)
    for n, nrc in (*((n, 1) for n in lengths), *((32, nrc) for nrc in counts), (0, 0)):
        arena.view(s, 4)[:] = np.frombuffer(mark, np.uint8)
        report.cases += 1
        try:
            kernel.call(n, s, blocks, blocks, nrc)
            yield f"n = {n}, nrc = {nrc}: did not trap"
        except KernelTrapError as trap:
            if not trap.contract:
                yield f"n = {n}, nrc = {nrc}: {trap}, not by the contract's check"
        if arena.view(s, 4).tobytes() != mark:
            yield f"n = {n}, nrc = {nrc}: wrote before it trapped"


def check_traps(kernel: Kernel, report: Report) -> Iterator[str]:
    """Blocks that end past memory trap before anything is written, also in a loop's later turns."""
    arena = kernel.arena
    case = random_case("trap", 2 * kernel.spec.unroll + 1, "powers")
    arena.reset()
    inside, s = arena.put(case.x + case.y), arena.allocate(4)
    arena.reach(s + 4 * len(case.y))
    for side, size in (("x", len(case.x)), ("y", len(case.y))):
        past = arena.end - size + 1
        arena.view(s, 4)[:] = 0xA5
        report.cases += 1
        try:
            kernel.call(case.n, s, past if side == "x" else inside, past if side == "y" else inside)
            yield f"{side} ends past memory: did not trap"
        except KernelTrapError as trap:
            if trap.contract:
                yield f"{side} ends past memory: {trap}, as if n were wrong"
        if (arena.view(s, 4) != 0xA5).any():
            yield f"{side} ends past memory: wrote before it trapped"


def check_large(kernel: Kernel, report: Report) -> Iterator[str]:
    """Long rows; blocks that straddle 2 GiB, where an address turns negative, or end at 4 GiB. Memory stays large."""
    arena = kernel.arena
    long = random_case("long", 2049 + kernel.spec.unroll, "powers")  # n beyond 16 bits
    if wrong := differs(kernel.vec_dot(long.x, long.y, long.n), _expected(kernel, long)):
        yield f"n = {long.n}: {wrong}"
    case = random_case(
        "large", 3 * kernel.spec.unroll - 1, "powers"
    )  # with leftovers, to straddle in each loop
    arena.reach(WASM32_BYTES)
    middle, end, x, y, s = 1 << 31, WASM32_BYTES, 1 << 20, 1 << 21, 1 << 22
    places = [
        *(Place(f"x at 2 GiB - {b}", middle - b, y, s) for b in _before(len(case.x), 18)),
        *(Place(f"y at 2 GiB - {b}", x, middle - b, s) for b in _before(len(case.y), 34)),
        Place("s at 2 GiB - 2", x, y, middle - 2),
        Place("x ends at 4 GiB", end - len(case.x), y, s),
        Place("y ends at 4 GiB", x, end - len(case.y), s),
        Place("s ends at 4 GiB", x, y, end - 4),
    ]
    for place in places:
        for address, data in ((place.x, case.x), (place.y, case.y)):
            arena.view(address, len(data))[:] = np.frombuffer(data, np.uint8)
        kernel.call(case.n, place.s, place.x, place.y)
        report.cases, report.blocks = report.cases + 1, report.blocks + case.n // 32
        if wrong := differs(_result(kernel, place.s), _expected(kernel, case)):
            yield f"{place.what}: {wrong}"


def _before(size: int, block: int) -> tuple[int, ...]:
    """How far before 2 GiB blocks start: to straddle in the second, a middle and the last but one, or not."""
    return (block + 2, size // 2, size - block - block // 2, -4)


def _result(kernel: Kernel, s: int) -> float:
    return float(kernel.arena.view(s, 4).copy().view("<f4")[0])


def _expected(kernel: Kernel, case: Case) -> np.float32:
    return model.result(plan(kernel.spec), model.terms(case.x, case.y))
