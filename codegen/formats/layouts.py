"""How the matrix kernels want their operands in memory: interleaved weights, and prepared activations. docs/layouts.md.

Both are made from what GGML has, by `repack` and `pack_activations`, and neither loses anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codegen.formats import Q4_0, Q8_0

GROUP_ROWS = 4
"""Rows of weights that are interleaved: as many as a vector has f32 lanes."""

GROUP_BYTES = GROUP_ROWS * Q4_0.bytes
"""Of one block of each of those rows."""

GROUP_SCALES = 2 * GROUP_ROWS
"""Bytes of the scales, which come first."""

GROUP_LAYOUT = (
    "4 rows interleaved: f16 d of each, then 4 vectors; vector j has bytes 4j to 4j + 3 of each row's 16"
)

WORD = 4
"""Bytes of what one load repeats in all lanes."""


class Activations(StrEnum):
    """How often a word of prepared activations stands in memory."""

    COMPACT = "compact"
    """Once; the kernel's loads repeat it in all lanes."""
    BROADCAST = "broadcast"
    """Four times, for engines where such a load is slow."""


class Kind(StrEnum):
    """What the words of a record are, by what a row's accumulator starts from: the zero point, -8 times each quant."""

    PAIRS = "pairs"
    """Two i16: -8 * sum of quants i with i % 4 below 2, and of the others. Quants are i8, in order."""
    SUMS = "sums"
    """One i32: -8 * sum of all quants. Quants are i8, in order."""
    WIDE = "wide"
    """One i32: -2048 * sum of all quants. Quants are i16, times what makes each product 256 times too large: 256 *
    quants 0, 2 .. 14; then 16 * quants 16, 18 .. 30; then quants 1, 3 .. 15; then 256 * quants 17, 19 .. 31."""


@dataclass(frozen=True)
class Record:
    """One block of prepared activations, as 32-bit words: the accumulator's start, the scale as an f32, the quants.

    Attributes:
        kind: what the words are.
        activations: how often each stands there.
    """

    kind: Kind
    activations: Activations

    @property
    def name(self) -> str:
        """As `pairs-broadcast`."""
        return f"{self.kind}-{self.activations}"

    @property
    def layout(self) -> str:
        """For people."""
        times = "each four times" if self.activations is Activations.BROADCAST else "each once"
        return f"{self.kind}: a start, an f32 scale and {self.quant_words} words of quants, {times}"

    @property
    def word_bytes(self) -> int:
        """From a word to the next."""
        return WORD * (4 if self.activations is Activations.BROADCAST else 1)

    @property
    def quant_words(self) -> int:
        """Words of quants."""
        return Q8_0.elements * (2 if self.kind is Kind.WIDE else 1) // WORD

    @property
    def bytes(self) -> int:
        """Of a record."""
        return self.word_bytes * (2 + self.quant_words)

    @property
    def scale_offset(self) -> int:
        """Where the scale is; the start is at 0."""
        return self.word_bytes

    @property
    def quants_offset(self) -> int:
        """Where the quants are."""
        return 2 * self.word_bytes

    @property
    def exponent(self) -> int:
        """The scale is stored times 2 to this: what, with an f16's bits moved to an f32's place, gives dx * dy.

        Less 8 where products are 256 times too large.
        """
        return 104 if self.kind is Kind.WIDE else 112


def interleaved_bytes(rows: int, n: int) -> int:
    """Bytes of so many interleaved rows of n elements; the last group is filled up."""
    return -(-rows // GROUP_ROWS) * Q4_0.blocks(n) * GROUP_BYTES
