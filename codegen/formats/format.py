"""What a block format is: fields that cover a block, and the numbers that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gguf.constants import GGMLQuantizationType

from codegen.base.errors import SpecError
from codegen.formats.codes import Codes

LARGEST_ACTIVATION = 128
"""The largest magnitude of an activation, an i8."""

ACTIVATION_ELEMENTS = {"q8_0": 32, "q8_1": 32, "q8_K": 256}
"""Elements of a block of each format of integer activations, where sums end too."""


class Number(StrEnum):
    """How a block stores a fraction. All are little-endian."""

    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"
    E8M0 = "e8m0"
    """An exponent: the byte e stands for 2^(e - 128), half of what the OCP standard says, since tables are doubled."""
    UE4M3 = "ue4m3"
    """Four bits of exponent and three of fraction, halved for the same reason; 0x7f stands for 0, bit 7 for nothing."""

    @property
    def bytes(self) -> int:
        """Bytes of one."""
        return {Number.F32: 4, Number.E8M0: 1, Number.UE4M3: 1}.get(self, 2)


@dataclass(frozen=True)
class Factor:
    """Fractions, each of an equal share of a block's elements, and the integers that divide a share further.

    Attributes:
        number: how a fraction is stored.
        at: offset of the first in the block.
        count: how many fractions.
        codes: integers, one a group of elements, that the fraction is multiplied by; None where there are none.
        sign: -1 where what it makes is subtracted.
    """

    number: Number
    at: int
    count: int = 1
    codes: Codes | None = None
    sign: int = 1

    @property
    def groups(self) -> int:
        """Parts of the block that have a factor of their own."""
        return self.codes.count if self.codes else self.count


@dataclass(frozen=True)
class Sums:
    """Sums of codes that a block of activations has beside the codes, for the zero points and minima of weights.

    Attributes:
        at: offset of the first in the block.
        count: how many, each of an equal run of codes.
        scaled: whether a sum is multiplied by the block's scale and stored as f16; otherwise it is i16.
    """

    at: int
    count: int
    scaled: bool


@dataclass(frozen=True)
class Field:
    """Bits of some bytes of a block.

    Attributes:
        name: what they are.
        start: offset of the first byte.
        stop: offset after the last byte.
        mask: the bits of each byte.
    """

    name: str
    start: int
    stop: int
    mask: int = 0xFF


@dataclass(frozen=True)
class Bounds:
    """The largest magnitudes of integers in a product with activations of -128 to 127.

    Weights are operands as kernels multiply them: codes as they stand, or values of the table.

    Attributes:
        pair: the sum of two products, which a relaxed dot product makes in an i16 lane.
        group: the sum of products of a group of weights that have one factor, within one block of activations.
        block: the sum over a block of group sums times their integer scales; 0 where scales are not integers.
    """

    pair: int
    group: int
    block: int


@dataclass(frozen=True)
class Format:
    """One block format: element i of a block is codes[i] * scale + minimum, each factor that of the element's group.

    Attributes:
        name: as GGML's functions write it.
        elements: elements of a block.
        bytes: bytes of a block.
        scale: what the integers that codes stand for are multiplied by.
        codes: the codes, one an element.
        activations: the format that GGML multiplies it with; "" for what only holds activations.
        minimum: what is added or subtracted; None where there is nothing.
        sums: the sums of codes; None for weights.
    """

    name: str
    elements: int
    bytes: int
    scale: Factor
    codes: Codes
    activations: str = ""
    minimum: Factor | None = None
    sums: Sums | None = None

    def __post_init__(self) -> None:
        """Checks the entry; SpecError where fields do not cover the block, or counts do not divide its elements."""
        if self.codes.count != self.elements:
            raise SpecError(f"{self.name}: {self.codes.count} codes for {self.elements} elements")
        if any(self.elements % factor.groups for factor in self.factors):
            raise SpecError(f"{self.name}: its groups do not divide {self.elements} elements")
        taken = [0] * self.bytes
        for field in self.fields:
            if field.stop > self.bytes or any(
                taken[at] & field.mask for at in range(field.start, field.stop)
            ):
                raise SpecError(f"{self.name}: {field} overlaps another field or ends past the block")
            for at in range(field.start, field.stop):
                taken[at] |= field.mask
        if gaps := [at for at, mask in enumerate(taken) if mask != 0xFF]:
            raise SpecError(f"{self.name}: no field has all bits of byte {gaps[0]}")

    def blocks(self, n: int) -> int:
        """Number of blocks that hold `n` elements; SpecError where they do not divide."""
        if n < 0 or n % self.elements:
            raise SpecError(f"n = {n}: {self.name} needs a non-negative multiple of {self.elements} elements")
        return n // self.elements

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The scale, and the minimum where there is one."""
        return (self.scale, self.minimum) if self.minimum else (self.scale,)

    @property
    def group(self) -> int:
        """Elements that share both factors."""
        return self.elements // max(factor.groups for factor in self.factors)

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, in the order of their bytes; those that share bytes have different bits of them."""
        found = [Field("d", self.scale.at, self.scale.at + self.scale.count * self.scale.number.bytes)]
        if self.minimum:
            name = "m" if self.minimum.sign > 0 else "dmin"
            found.append(Field(name, self.minimum.at, self.minimum.at + self.minimum.number.bytes))
        if self.sums:
            found.append(Field("sums", self.sums.at, self.sums.at + 2 * self.sums.count))
        for name, codes in self.integers:
            for one in codes.placed:
                found.append(Field(name, one.plane.at, one.plane.at + one.bytes, one.plane.mask))
        return tuple(sorted(found, key=lambda field: (field.start, field.mask)))

    @property
    def integers(self) -> tuple[tuple[str, Codes], ...]:
        """All kinds of small integers of a block, by name."""
        minima = self.minimum.codes if self.minimum else None
        named = (("codes", self.codes), ("scales", self.scale.codes), ("minima", minima))
        return tuple((name, codes) for name, codes in named if codes)

    @property
    def bounds(self) -> Bounds | None:
        """The largest integers in a product with activations; None where activations are not integers."""
        if self.activations not in ACTIVATION_ELEMENTS:
            return None
        product = LARGEST_ACTIVATION * max(map(abs, self.codes.operand))
        largest_scale = max(map(abs, self.scale.codes.value)) if self.scale.codes else 0
        group = product * min(self.group, ACTIVATION_ELEMENTS[self.activations])
        return Bounds(2 * product, group, group * largest_scale * self.scale.groups)

    @property
    def gguf_type(self) -> GGMLQuantizationType | None:
        """GGML's type, whose value is the number in files; None where `gguf` does not know it."""
        return GGMLQuantizationType.__members__.get(self.name.upper())

    @property
    def scale_offset(self) -> int:
        """Offset of the scale in a block."""
        return self.scale.at

    @property
    def quants_offset(self) -> int:
        """Offset of the codes' lowest bits in a block."""
        return self.codes.planes[0].at

    @property
    def quants_bytes(self) -> int:
        """Bytes of the codes' lowest bits."""
        return self.codes.placed[0].bytes
