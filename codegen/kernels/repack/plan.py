"""The numbers of a kernel that interleaves rows."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats import FORMATS
from codegen.formats.layouts import GROUP_BYTES, GROUP_LAYOUT, GROUP_ROWS, GROUP_SCALES, WORD
from codegen.kernels.plan import Plan
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa
from codegen.wasm.cost import MainLoop

_SCALE_BYTES = 2


@dataclass(frozen=True)
class Word:
    """A word of nibbles: its offset in a block, and in a group's block that of row 0."""

    x: int
    to: int


@dataclass(frozen=True)
class RepackPlan(Plan):
    """All numbers of one kernel.

    Attributes:
        rows: the rows of a group.
        group_rows: how many.
        group_shift: that as a power of two.
        last_row: the index of its last, which is also the bits of a row's place in a group.
        whole_groups: the bits of a number of rows that are whole groups.
        group_bytes: a block of each row.
        block: elements of a block.
        block_bytes: bytes of one.
        scale: offset of a block's scale.
        scales: offsets of the scales in a group's block.
        scale_bytes: from a row's scale to the next row's.
        words: the words of a block.
        word_bytes: from a row's word to the next row's.
        not_whole_blocks: the bits that n must not have.
        by_groups: whether whole groups are transposed at once.
    """

    rows: tuple[int, ...]
    group_rows: int
    group_shift: int
    last_row: int
    whole_groups: int
    group_bytes: int
    block: int
    block_bytes: int
    scale: int
    scales: tuple[int, ...]
    scale_bytes: int
    words: tuple[Word, ...]
    word_bytes: int
    not_whole_blocks: str
    by_groups: bool

    @property
    def main_loop(self) -> MainLoop:
        """The first function that is not of lib/ranges."""
        return MainLoop(2, GROUP_ROWS if self.by_groups else 1)

    @property
    def layouts(self) -> tuple[tuple[str, str], ...]:
        """What it reads and makes, for people."""
        return (*super().layouts, (f"{self.spec.x}x{GROUP_ROWS}, {GROUP_BYTES} bytes", GROUP_LAYOUT))


def repack_plan(spec: KernelSpec) -> RepackPlan:
    """The numbers of a kernel; a pure function of its spec."""
    x = FORMATS[spec.x]
    return RepackPlan(
        spec=spec,
        locals=(),
        constants=(),
        rows=tuple(range(GROUP_ROWS)),
        group_rows=GROUP_ROWS,
        group_shift=GROUP_ROWS.bit_length() - 1,
        last_row=GROUP_ROWS - 1,
        whole_groups=-GROUP_ROWS,
        group_bytes=GROUP_BYTES,
        block=x.elements,
        block_bytes=x.bytes,
        scale=x.scale_offset,
        scales=tuple(_SCALE_BYTES * row for row in range(GROUP_ROWS)),
        scale_bytes=_SCALE_BYTES,
        words=tuple(
            Word(x.quants_offset + WORD * j, GROUP_SCALES + GROUP_ROWS * WORD * j)
            for j in range(x.quants_bytes // WORD)
        ),
        word_bytes=WORD,
        not_whole_blocks=f"0x{1 << 31 | (x.elements - 1):08x}",
        by_groups=spec.isa is not Isa.SCALAR,
    )
