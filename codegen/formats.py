"""Block formats as data: how GGML lays quantised numbers out in memory.

Source: ggml/src/ggml-common.h (block_q4_0, block_q8_0). All fields are little-endian and unaligned.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.errors import SpecError


@dataclass(frozen=True)
class BlockFormat:
    """One quantised block: a scale and the quantised values of `elements` numbers."""

    name: str
    elements: int
    bytes: int
    scale_offset: int
    quants_offset: int
    quants_bytes: int
    layout: str

    def __post_init__(self) -> None:
        assert self.quants_offset + self.quants_bytes <= self.bytes, f"{self.name}: quants end past the block"
        assert self.scale_offset + 2 <= self.bytes, f"{self.name}: scale ends past the block"

    def blocks(self, n: int) -> int:
        """Number of blocks that hold `n` elements; SpecError where they do not divide."""
        if n < 0 or n % self.elements:
            raise SpecError(f"n = {n}: {self.name} needs a non-negative multiple of {self.elements} elements")
        return n // self.elements


Q4_0 = BlockFormat(
    name="q4_0",
    elements=32,
    bytes=18,
    scale_offset=0,
    quants_offset=2,
    quants_bytes=16,
    layout="f16 d, then 16 bytes: element j in the low nibble of byte j, j + 16 in the high; (nibble - 8) * d",
)

Q8_0 = BlockFormat(
    name="q8_0",
    elements=32,
    bytes=34,
    scale_offset=0,
    quants_offset=2,
    quants_bytes=32,
    layout="f16 d, then 32 signed bytes; byte * d",
)

FORMATS = {f.name: f for f in (Q4_0, Q8_0)}
