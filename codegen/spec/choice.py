"""What a kernel's name says, before anything is checked: the fields that operations and strategies judge."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats.layouts import Activations
from codegen.spec.options import Fold, Inner, Memory, Scales, Totals
from codegen.spec.strategies import Isa


@dataclass(frozen=True)
class Choice:
    """One choice of a contract and of how it is done; whether it exists, KernelSpec says.

    Args:
        isa: the instruction set it may use.
        unroll: blocks of 32 weights per loop iteration, 1 to 16.
        accumulators: independent sums that the blocks of an iteration are spread over; divides `unroll`.
        strategy: how it is done; empty picks the ISA's default.
        scales: how f16 scales are converted.
        fold: how partial sums of blocks that go together are added up.
        memory: whether the module exports its memory or imports the host's, and of what type.
        op: the operation, one of codegen/kernels/operations.py.
        x: the format of the first operand, or of the only one.
        y: the format of the second operand, empty where there is none.
        tile: rows and columns that are computed at a time, None where the operation has no tiles.
        activations: how prepared activations lie in memory.
        inner: how the steps of a block are done.
        totals: where a tile's f32 totals are kept.
    """

    isa: Isa
    unroll: int = 1
    accumulators: int = 1
    strategy: str = ""
    scales: Scales = Scales.ARITHMETIC
    fold: Fold = Fold.SHUFFLE
    memory: Memory = Memory.EXPORT
    op: str = "vec_dot"
    x: str = "q4_0"
    y: str = "q8_0"
    tile: tuple[int, int] | None = None
    activations: Activations = Activations.COMPACT
    inner: Inner = Inner.UNROLLED
    totals: Totals = Totals.REGISTERS
