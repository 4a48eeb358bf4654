"""Where the small integers of a block stand: its codes, and the integer scales and minima of its groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.base.errors import SpecError


@dataclass(frozen=True)
class Plane:
    """Some bits of each of a run of codes.

    Within each `run` bytes, the bits at `shifts[k]` of byte j belong to code k * run + j of those that the bytes hold.

    Attributes:
        at: offset of the first byte in the block.
        bits: how many bits of each code.
        run: bytes after which the pattern repeats.
        shifts: where in a byte the bits of each code begin; by default all places of a byte.
        codes: which codes; by default all.
    """

    at: int
    bits: int
    run: int
    shifts: tuple[int, ...] = ()
    codes: range | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """Where in a byte the bits of each code begin."""
        return self.shifts or tuple(range(0, 8, self.bits))

    @property
    def per_byte(self) -> int:
        """Codes that have bits in one byte."""
        return len(self.places)

    @property
    def mask(self) -> int:
        """The bits of a byte that the plane takes."""
        return sum(((1 << self.bits) - 1) << place for place in self.places)


@dataclass(frozen=True)
class Trits:
    """Base-3 digits of a run of codes, `per_byte` in each byte.

    A byte is a fraction of 256: times 3, its whole part is the first digit, and what is left has the next. Within each
    `run` bytes, digit k of byte j is code k * run + j.

    Attributes:
        at: offset of the first byte in the block.
        per_byte: digits in each byte, at most 5.
        run: bytes after which the pattern repeats.
        codes: which codes.
    """

    at: int
    per_byte: int
    run: int
    codes: range

    bits = 2
    mask = 0xFF


@dataclass(frozen=True)
class Placed:
    """A plane of particular codes.

    Attributes:
        plane: how bytes hold the codes.
        codes: which codes.
        low: the lowest bit of these codes that the plane has.
        bytes: the bytes of the plane.
    """

    plane: Plane | Trits
    codes: range
    low: int
    bytes: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Its codes in their order: runs of bytes, codes of a byte, bytes of a run."""
        return self.bytes // self.plane.run, self.plane.per_byte, self.plane.run


@dataclass(frozen=True)
class Codes:
    """Integers of a block, as its bytes hold them, and what they stand for.

    Attributes:
        count: how many.
        planes: their bits. Where several planes have bits of one code, the plane with the lowest comes first. A code
            without a plane is 0.
        zero: the code that stands for 0.
        table: what each code stands for, where it is not the code less `zero`.
        signed: whether codes are in two's complement.
        used: the least and the greatest code that GGML's quantisers make, where the bits could hold others.
    """

    count: int
    planes: tuple[Plane | Trits, ...] = ()
    zero: int = 0
    table: tuple[int, ...] = ()
    signed: bool = False
    used: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        widths = {
            sum(one.plane.bits for one in self.placed if code in one.codes) for code in range(self.count)
        }
        if len(widths) != 1:
            raise SpecError(
                f"planes {self.planes}: each code needs the same number of bits, not {sorted(widths)}"
            )
        for one in self.placed:
            if len(one.codes) % (one.plane.run * one.plane.per_byte):
                raise SpecError(f"{one.plane}: {len(one.codes)} codes are no whole number of its runs")
        lowest, highest = self.raw
        if self.table and (lowest, highest) != (0, len(self.table) - 1):
            raise SpecError(f"a table of {len(self.table)} values: codes are {lowest}..{highest}")
        if self.used and not lowest <= self.used[0] <= self.used[1] <= highest:
            raise SpecError(f"used codes {self.used}: the bits hold {lowest}..{highest}")

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The planes, with the codes and the bits that they have."""
        return tuple(self._placed())

    def _placed(self) -> Iterator[Placed]:
        for index, plane in enumerate(self.planes):
            codes = plane.codes or range(self.count)
            low = sum(p.bits for p in self.planes[:index] if codes[0] in (p.codes or range(self.count)))
            yield Placed(plane, codes, low, len(codes) // plane.per_byte)

    @property
    def bits(self) -> int:
        """Bits of each code."""
        return sum(one.plane.bits for one in self.placed if 0 in one.codes)

    @property
    def raw(self) -> tuple[int, int]:
        """The least and the greatest code that the bytes can hold."""
        if any(isinstance(plane, Trits) for plane in self.planes):
            return 0, 2
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.signed else (0, (1 << self.bits) - 1)

    @property
    def operand(self) -> tuple[int, int]:
        """The least and the greatest integer that a kernel multiplies with: a code as it stands, or a table's value."""
        return (min(self.table), max(self.table)) if self.table else self.used or self.raw

    @property
    def value(self) -> tuple[int, int]:
        """The least and the greatest integer that a code stands for."""
        lowest, highest = self.operand
        return lowest - self.zero, highest - self.zero
