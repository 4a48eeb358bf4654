"""From a spec to numbers: every offset, constant, local and loop count that a template writes down.

A template has no arithmetic. What it needs to know stands in the Plan, so that a fault in a number has one
place to be in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from codegen.formats import FORMATS, BlockFormat
from codegen.spec import Isa, KernelSpec, Memory, Scales

PAGE = 65_536
TABLE_BYTES = 65_536 * 4

F16_TO_F32 = 112
"""An f16's bits, moved to an f32's place, read 2^-112 times its value (the difference of the exponent biases)."""


@dataclass(frozen=True)
class Nibble:
    """One weight of the scalar kernel: how far left it moves to reach the top of its word, and its partner."""

    left: int
    half: str
    y: int


@dataclass(frozen=True)
class Word:
    """Eight packed weights of the scalar kernel."""

    x: int
    nibbles: tuple[Nibble, ...]


@dataclass(frozen=True)
class Block:
    """Byte offsets of one block's parts from the pointers $x and $y."""

    index: int
    x_scale: int
    x_quants: int
    y_scale: int
    y_low: int
    y_high: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Group:
    """Blocks whose integer sums and scales share a vector: four, two, or one alone in scalars."""

    blocks: tuple[Block, ...]
    accumulator: int

    @property
    def size(self) -> int:
        """1, 2 or 4 blocks."""
        return len(self.blocks)


@dataclass(frozen=True)
class Local:
    """One local variable of the generated function, and what it is for."""

    name: str
    type: str
    role: str


@dataclass(frozen=True)
class Constant:
    """A vector that a strategy keeps in a local, all lanes alike."""

    name: str
    shape: str
    lanes: int
    value: str
    role: str


@dataclass(frozen=True)
class Plan:
    """All numbers of one kernel."""

    spec: KernelSpec
    x: BlockFormat
    y: BlockFormat
    sums: str
    """What a block's product is: i16x8 or i32x4 partial sums, or one i32."""
    x_factor: int
    y_factor: int
    """Powers of two that scales are multiplied by: the f16 bias, less what a strategy's shifts left in the sum."""
    groups: tuple[Group, ...]
    last: Group
    """One block, for the loop over what the unrolled loop leaves."""
    x_step: int
    y_step: int
    locals: tuple[Local, ...]
    constants: tuple[Constant, ...]
    pages: int

    @property
    def table(self) -> bool:
        """Whether scales are looked up."""
        return self.spec.scales is Scales.TABLE

    @property
    def imports_memory(self) -> bool:
        """Whether the host owns the memory."""
        return self.spec.memory is Memory.IMPORT

    @property
    def packed_scales(self) -> bool:
        """Whether scales are converted two to an i64, which misreads infinities and NaN: those start over."""
        return not self.table and any(group.size > 1 for group in self.groups)

    @property
    def has_tail(self) -> bool:
        """Whether a loop of single blocks follows the unrolled one."""
        return self.spec.unroll > 1

    @property
    def vectors(self) -> tuple[int, ...]:
        """Accumulators that are vectors, one block a lane."""
        return tuple(sorted({g.accumulator for g in self.groups if g.size > 1}))

    @property
    def scalars(self) -> tuple[int, ...]:
        """Accumulators that are scalars, for blocks that go alone; the tail uses the first."""
        alone = {g.accumulator for g in self.groups if g.size == 1}
        return tuple(sorted(alone | ({0} if self.has_tail else set())))


_SUMS = {"mul": "i32", "dot": "i32x4", "extmul": "i16x8", "article": "extract", "dot16": "i16x8", "dot32": "i32x4"}

_SUM_SHIFT = {"dot": 8}
"""Strategies that leave the activations multiplied by 2^shift in the integer sum."""


_LOW4 = Constant("low4", "i8x16", 16, "15", "0x0f in each byte")
_EIGHTS = Constant("eights", "i8x16", 16, "8", "the nibbles' zero point, in each byte")
_SIGNS = Constant("signs", "i8x16", 16, "0x88", "the top bit of each nibble")
_ODD = Constant("odd", "i16x8", 8, "0xff00", "the odd byte of each i16 lane")

_CONSTANTS: dict[str, tuple[Constant, ...]] = {
    "dot": (_SIGNS, _ODD),
    "extmul": (_LOW4, _EIGHTS),
    "article": (_LOW4, _EIGHTS),
    "dot16": (_LOW4, _EIGHTS),
    "dot32": (_LOW4, _EIGHTS),
}


def plan(spec: KernelSpec) -> Plan:
    """The numbers of a kernel; a pure function of its spec."""
    x, y = FORMATS[spec.x], FORMATS[spec.y]
    groups = _groups(spec, x, y)
    return Plan(
        spec=spec,
        x=x,
        y=y,
        sums=_SUMS[spec.strategy],
        x_factor=0 if spec.scales is Scales.TABLE else F16_TO_F32,
        y_factor=(0 if spec.scales is Scales.TABLE else F16_TO_F32) - _SUM_SHIFT.get(spec.strategy, 0),
        groups=groups,
        last=Group((_block(0, x, y),), accumulator=0),
        x_step=x.bytes * spec.unroll,
        y_step=y.bytes * spec.unroll,
        locals=tuple(_locals(spec, groups)),
        constants=_CONSTANTS.get(spec.strategy, ()),
        pages=1 + (TABLE_BYTES // PAGE if spec.scales is Scales.TABLE else 0),
    )


def _block(index: int, x: BlockFormat, y: BlockFormat) -> Block:
    x_at, y_at = index * x.bytes, index * y.bytes
    low = y_at + y.quants_offset
    high = low + y.quants_bytes // 2
    return Block(
        index=index,
        x_scale=x_at + x.scale_offset,
        x_quants=x_at + x.quants_offset,
        y_scale=y_at + y.scale_offset,
        y_low=low,
        y_high=high,
        words=tuple(_word(x_at + x.quants_offset, low, high, byte) for byte in range(0, x.quants_bytes, 4)),
    )


def _word(x_at: int, low: int, high: int, byte: int) -> Word:
    nibbles = []
    for k in range(4):
        nibbles.append(Nibble(left=28 - 8 * k, half="low", y=low + byte + k))
        nibbles.append(Nibble(left=24 - 8 * k, half="high", y=high + byte + k))
    return Word(x=x_at + byte, nibbles=tuple(nibbles))


def _groups(spec: KernelSpec, x: BlockFormat, y: BlockFormat) -> tuple[Group, ...]:
    """Each accumulator takes a run of unroll / accumulators blocks, in fours, then twos, then one."""
    blocks = tuple(_block(i, x, y) for i in range(spec.unroll))
    run = spec.unroll // spec.accumulators
    sizes = (1,) if spec.isa is Isa.SCALAR or spec.strategy == "article" else (4, 2, 1)
    cuts = [0]
    while cuts[-1] < run:
        cuts.append(cuts[-1] + next(size for size in sizes if cuts[-1] + size <= run))
    return tuple(
        Group(blocks[a * run + start : a * run + stop], accumulator=a)
        for a in range(spec.accumulators)
        for start, stop in pairwise(cuts)
    )


def _locals(spec: KernelSpec, groups: tuple[Group, ...]) -> list[Local]:
    largest = max(group.size for group in groups)
    table = spec.scales is Scales.TABLE
    found = [
        Local("x", "i32", f"address of the next {spec.x} block"),
        Local("y", "i32", f"address of the next {spec.y} block"),
        Local("blocks", "i32", "blocks not yet summed by the loop at hand"),
    ]
    if spec.unroll > 1:
        found.append(Local("turns", "i32", "iterations of the unrolled loop to go"))
    if table and spec.memory is Memory.IMPORT:
        found.append(Local("table", "i32", "address of the f16 table"))
    if not table:
        found.append(Local("h", "i32", "bits of the scale under conversion"))
    if spec.isa is Isa.SCALAR:
        found += [
            Local("w", "i32", "eight weights, four bits each, two's complement"),
            Local("low", "i32", "sum over low nibbles"),
            Local("high", "i32", "sum over high nibbles"),
            Local("p0", "i32", "integer sum of a block"),
        ]
    else:
        found += _vector_locals(spec, largest)
    found += [Local(f"acc{a}", "v128", "f32x4 sum, one block a lane") for a in _accumulators(groups, 2)]
    alone = set(_accumulators(groups, 1)) | ({0} if spec.unroll > 1 else set())
    found += [Local(f"sum{a}", "f32", "sum of blocks that go alone") for a in sorted(alone)]
    return found


def _accumulators(groups: tuple[Group, ...], at_least: int) -> list[int]:
    fits = {g.accumulator for g in groups if (g.size > 1) == (at_least > 1)}
    return sorted(fits)


def _vector_locals(spec: KernelSpec, largest: int) -> list[Local]:
    found = [Local(c.name, "v128", c.role) for c in _CONSTANTS[spec.strategy]]
    found += [
        Local("q", "v128", "32 packed weights"),
        Local("y0", "v128", "activations 0 to 15, i8x16"),
        Local("y1", "v128", "activations 16 to 31, i8x16"),
    ]
    if spec.strategy in ("extmul", "article"):
        found += [Local("w0", "v128", "weights 0 to 15, i8x16"), Local("w1", "v128", "weights 16 to 31, i8x16")]
    found += [Local(f"p{k}", "v128", f"integer partial sums, block {k} of a group") for k in range(largest)]
    if largest > 1:
        found.append(Local("d", "v128", "f32x4 products of scales, one block a lane"))
        if spec.scales is Scales.ARITHMETIC:
            pairs = ("01", "23")[: largest // 2]
            found += [Local(f"{p}{pair}", "i64", f"{p} scales {pair[0]} and {pair[1]}") for p in "xy" for pair in pairs]
            found.append(Local("seen", "i64", "bits 28 and 60 set once a scale was infinite or NaN"))
    return found
