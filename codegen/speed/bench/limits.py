"""What the machine can do at most, measured in the same run: operations per nanosecond by kind, and bytes read.

A kernel cannot take less time than each kind of its operations takes by itself, nor than its weights take to arrive.
That is its floor. The loops are templates/limit.wat.j2: independent operations, as many a turn as make the loop's own
cost small, in as many chains as hide their latency.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codegen.render.text import filled
from codegen.speed.bench.entry import Buffer, Entry
from codegen.speed.bench.problem import F32_BYTES, Problem
from codegen.wasm.assemble import assemble
from codegen.wasm.code import SIMD, Opcode
from codegen.wasm.cost import is_load


class Unit(StrEnum):
    """What limits a kernel."""

    VECTOR = "vector operations"
    SCALAR = "integer operations"
    MULTIPLY = "integer multiplies"
    MEMORY = "memory"


_MULTIPLIES = (0x6C, 0x7E)
_FLOAT = (*range(0x5B, 0x67), *range(0x8B, 0xA7), *range(0xA8, 0xAC), *range(0xAE, 0xC0))
"""Scalar f32 and f64 comparisons, arithmetic and conversions, which vector units do."""


_STORES = (*range(0x36, 0x3F), (SIMD, 11))


def unit_of(opcode: Opcode) -> Unit | None:
    """The unit that an opcode needs; None for loads and stores, whose ports no kernel here keeps busy."""
    if is_load(opcode) or opcode in _STORES:
        return None
    if isinstance(opcode, tuple):
        return Unit.VECTOR if opcode[0] == SIMD else None
    if opcode in _MULTIPLIES:
        return Unit.MULTIPLY
    return Unit.VECTOR if opcode in _FLOAT else Unit.SCALAR


@dataclass(frozen=True)
class Limit:
    """One loop of templates/limit.wat.j2.

    Attributes:
        unit: what it measures.
        isa: the feature it needs.
        type: the type of its locals.
        chains: names of locals, each the end of a chain of operations.
        operations: one WAT expression each, all independent within a turn but for chains of their own.
        combine: the opcode that makes one value of two.
        test: an i32 that is nearly never 0, from $other.
        reads: bytes that a turn reads, or 0.
    """

    unit: Unit
    isa: str
    type: str
    chains: tuple[str, ...]
    operations: tuple[str, ...]
    combine: str
    test: str
    reads: int = 0

    @property
    def name(self) -> str:
        """What it is called in results."""
        return f"limit: {self.unit}"

    @property
    def what(self) -> str:
        """In words."""
        kind = f"{self.reads} bytes" if self.reads else f"{len(self.operations)} operations"
        return f"{kind} a turn, {len(self.chains)} chains"

    def entry(self, problem: Problem) -> Entry:
        """The module, to be timed, with the rows of a problem to read and Q8_0 blocks for values."""
        text = filled("limit.wat.j2", limit=self)
        buffers = (
            Buffer("s", F32_BYTES),
            Buffer("x", problem.bytes, problem.pattern),
            Buffer("y", len(problem.y), problem.y),
        )
        arguments = (problem.rows, problem.n, "s", "x", problem.x_step, "y", 0)
        return Entry(self.name, self.isa, assemble(text), buffers, arguments, problem.rows)

    def per_ns(self, ns_a_row: float, x_step: int) -> float:
        """Operations, or bytes, per nanosecond."""
        return (x_step if self.reads else len(self.operations)) / ns_a_row


_REPEATED = 10
"""Times that each chain is added to in a turn."""

_VECTOR_MIX = ("i8x16.add", "v128.xor", "i16x8.add", "i32x4.add")
"""What every vector unit does in one instruction, so that the rate is no lower than that of any kernel's mix.

No two in a row that an optimiser could make one of; and their number has no divisor with the chains', which thus have
all of them.
"""


def _chains(count: int) -> tuple[str, ...]:
    return tuple(f"v{i}" for i in range(count))


def _mixed(mix: tuple[str, ...], count: int) -> tuple[str, ...]:
    return tuple(
        f"(local.set $v{i % count} ({mix[i % len(mix)]} (local.get $v{i % count}) (local.get $other)))"
        for i in range(_REPEATED * count)
    )


_CROSSED_MULTIPLIES = tuple(
    f"(local.set $v{i % 8} (i32.mul (local.get $v{i % 8}) (local.get $v{(i + 4) % 8})))"
    for i in range(_REPEATED * 8)
)
"""By each other: a chain of multiplies by one value is one multiply by its power, and some engines see that."""

_READ = 128

LIMITS: tuple[Limit, ...] = (
    Limit(
        Unit.VECTOR, "simd128", "v128", _chains(13), _mixed(_VECTOR_MIX, 13),
        "v128.xor", "(v128.any_true (local.get $other))",
    ),
    Limit(
        Unit.SCALAR, "scalar", "i32", _chains(7), _mixed(("i32.add", "i32.xor"), 7),
        "i32.xor", "(local.get $other)",
    ),
    Limit(
        Unit.MULTIPLY, "scalar", "i32", _chains(8), _CROSSED_MULTIPLIES, "i32.xor", "(local.get $other)",
    ),
    Limit(
        Unit.MEMORY, "simd128", "v128", _chains(8),
        tuple(
            f"(local.set $v{i} (v128.xor (local.get $v{i}) (v128.load offset={16 * i} align=1 (local.get $at))))"
            for i in range(_READ // 16)
        ),
        "v128.xor", "(v128.any_true (local.get $other))", reads=_READ,
    ),
)  # fmt: skip


def floors(work: dict[Unit, float], rates: dict[Unit, float]) -> dict[Unit, float]:
    """Nanoseconds a product, or a row, that each unit needs at least.

    Args:
        work: operations of a unit for one of them, and bytes for MEMORY.
        rates: what the engine did per nanosecond.
    """
    return {unit: amount / rates[unit] for unit, amount in work.items() if unit in rates}
