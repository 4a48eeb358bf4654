"""The numbers of the function that prepares a column, in a module of its own or of a kernel that multiplies."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats.layouts import Kind, Record
from codegen.kernels.pack_activations.strategies import constants_of, locals_of, widened
from codegen.kernels.quantize_row.blocks import ELEMENTS
from codegen.kernels.quantize_row.plan import QuantizePlan, again, loop_locals, loops
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Local
from codegen.wasm.cost import MainLoop

_MAGIC_BITS = 0x4B400000
"""Of 1.5 * 2^23, below each quant of scalar code."""


@dataclass(frozen=True)
class Word:
    """A word of quants: where it goes, from $y, and which lane of a vector it is, four times."""

    offset: int
    lanes: tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """Four words of quants that are in one vector: its local, where the first goes, and all of them."""

    source: str
    offset: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class ColumnPlan(QuantizePlan):
    """All numbers of a column's function.

    Attributes:
        record: what a block becomes.
        parts: by block of a turn, its quants.
        half_exponent: what a scale is multiplied with first, as a power of two; record.exponent is the rest.
        start_shift: the start is minus the sum of quants, shifted left by this.
        zero: the same as a factor.
        sum_start: what 32 times the bits of 1.5 * 2^23 bring to 0, in 32 bits.
        not_whole_blocks: the bits that n must not have.
    """

    record: Record
    parts: tuple[tuple[Part, ...], ...]
    half_exponent: int
    start_shift: int
    zero: int
    sum_start: str
    not_whole_blocks: str

    @property
    def reserved(self) -> Record:
        """What a block becomes."""
        return self.record

    @property
    def main_loop(self) -> MainLoop:
        """The first function that is not of lib/ranges."""
        return MainLoop(2, self.unroll)

    @property
    def start(self) -> str:
        """What an accumulator starts from, in words."""
        sums = "the sum of quants"
        if self.pairs:
            sums = "the sums of quants i with i % 4 below 2, and of the others, as i16"
        return f"{self.zero} * {sums}"

    @property
    def wide(self) -> bool:
        """Whether quants are i16."""
        return self.record.kind is Kind.WIDE

    @property
    def pairs(self) -> bool:
        """Whether a start is two i16."""
        return self.record.kind is Kind.PAIRS

    @property
    def layouts(self) -> tuple[tuple[str, str], ...]:
        """What it makes, for people."""
        return ((f"record, {self.record.bytes} bytes", self.record.layout),)


def pack_activations_plan(spec: KernelSpec) -> ColumnPlan:
    """The numbers of a kernel; a pure function of its spec."""
    assert spec.record is not None
    return column(spec, spec.record, spec.unroll)


def column(spec: KernelSpec, record: Record, unroll: int) -> ColumnPlan:
    """The numbers of the function that prepares a column, of a kernel of any operation.

    Args:
        spec: the kernel that has the function; its ISA decides how quants are made.
        record: what a block becomes.
        unroll: blocks a turn, best a multiple of 4.
    """
    constants = constants_of(spec.isa)
    shift = 11 if record.kind is Kind.WIDE else 3
    return ColumnPlan(
        spec=spec,
        **loops(spec.isa, unroll, record),
        locals=(
            *loop_locals(spec.isa, unroll, constants, "; sums of its quants"),
            *locals_of(spec.isa, record),
        ),
        constants=constants,
        stores="record",
        again=again(Local("m0", "v128", "i16x8 sums of quants, then starts"), *widened(record)),
        record=record,
        parts=tuple(_parts(record, record.bytes * index) for index in range(unroll)),
        half_exponent=112,
        start_shift=shift,
        zero=-(1 << shift),
        sum_start=f"0x{-ELEMENTS * _MAGIC_BITS & 0xFFFFFFFF:08x}",
        not_whole_blocks=f"0x{1 << 31 | (ELEMENTS - 1):08x}",
    )


def _parts(record: Record, at: int) -> tuple[Part, ...]:
    vectors = ("w0", "w1", "w2", "w3") if record.kind is Kind.WIDE else ("q0", "q1")
    first = at + record.quants_offset
    found = []
    for source in vectors:
        words = tuple(Word(first + record.word_bytes * lane, (lane,) * 4) for lane in range(4))
        found.append(Part(source, first, words))
        first += record.word_bytes * 4
    return tuple(found)
