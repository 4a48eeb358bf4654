"""The numbers of a dot product: every offset, constant, local and loop count that its template writes down."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from codegen.formats import FORMATS, Format
from codegen.kernels.dot.blocks import Block, block
from codegen.kernels.dot.local_variables import local_variables
from codegen.kernels.dot.strategies import BY_NAME, Sums, Takes, unpacked
from codegen.kernels.plan import Plan
from codegen.kernels.spec import KernelSpec
from codegen.kernels.unpack import unpack_of
from codegen.spec.options import Fold, Scales
from codegen.spec.strategies import Constant, lanes

FACTOR = {Scales.ARITHMETIC: 127, Scales.OVERFLOW: 112}
"""What scales of several blocks are multiplied with: the largest power of two of f32, or one that overflows f16's
infinities."""

F16_TO_F32 = 112
"""An f16's bits, moved to an f32's place, read 2^-112 times its value (the difference of the exponent biases)."""


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
class DotPlan(Plan):
    """All numbers of one kernel."""

    x: Format
    y: Format
    unpack: str
    """The template that unpacks codes; "" where the strategy does it by itself."""
    zero: int
    """The code that stands for 0."""
    sums: Sums
    widens: bool
    """Whether i16 sums of a block are widened at once."""
    x_exponent: int
    y_exponent: int
    """Scales are multiplied by 2 to these: the f16 bias, less what a strategy's shift left in the sum."""
    groups: tuple[Group, ...]
    last: Group
    """One block, for the loop over what the unrolled loop leaves."""
    vectors: tuple[int, ...]
    """Accumulators that are vectors, one block a lane."""
    scalars: tuple[int, ...]
    """Accumulators that are scalars, for blocks that go alone; what the unrolled loop leaves goes to the first."""
    elements: int
    x_step: int
    y_step: int
    """Elements per turn of the unrolled loop, and the bytes that they take of either operand."""

    @property
    def not_whole_blocks(self) -> str:
        """The sign bit, and the bits that a multiple of the block size has clear."""
        return f"0x{0x80000000 | (self.x.elements - 1):08x}"

    @property
    def may_have_non_finite(self) -> bool:
        """Whether the unrolled loop reads infinities and NaN as something else: then all blocks start over."""
        return bool(self.vectors)

    @property
    def total_exponent(self) -> int:
        """What vector sums must be multiplied by at the end, as a power of two."""
        if self.spec.scales is Scales.ARITHMETIC:
            return self.x_exponent + self.y_exponent - FACTOR[Scales.ARITHMETIC]
        return self.y_exponent - self.x_exponent

    @property
    def has_tail(self) -> bool:
        """Whether a loop of single blocks follows the unrolled one."""
        return self.spec.unroll > 1


def dot_plan(spec: KernelSpec) -> DotPlan:
    """The numbers of a kernel; a pure function of its spec."""
    x, y, strategy = FORMATS[spec.x], FORMATS[spec.y], BY_NAME[spec.strategy]
    groups = _groups(spec, x, y)
    unpack = unpack_of(x) if strategy.takes in (Takes.U7, Takes.I8) else None
    constants, _ = unpacked(strategy, x)
    leftovers = {0} if spec.unroll > 1 else set()
    vectors = tuple(sorted({group.accumulator for group in groups if group.size > 1}))
    scalars = tuple(sorted({group.accumulator for group in groups if group.size == 1} | leftovers))
    return DotPlan(
        spec=spec,
        x=x,
        y=y,
        unpack=unpack.name if unpack else "",
        zero=x.codes.zero,
        sums=strategy.sums_of(x),
        widens=strategy.widens(x),
        x_exponent=F16_TO_F32,
        y_exponent=F16_TO_F32 - strategy.shift,
        groups=groups,
        last=Group((block(0, x, y),), accumulator=0),
        vectors=vectors,
        scalars=scalars,
        elements=x.elements * spec.unroll,
        x_step=x.bytes * spec.unroll,
        y_step=y.bytes * spec.unroll,
        locals=local_variables(
            spec, _constants(spec, groups), max(group.size for group in groups), vectors, scalars
        ),
        constants=(*constants, *_constants(spec, groups)),
    )


def _constants(spec: KernelSpec, groups: tuple[Group, ...]) -> tuple[Constant, ...]:
    """Besides the strategy's: what scales of a group are multiplied with, and ones to add pairs with."""
    found = []
    power = f"0x1p+{FACTOR[spec.scales]}"
    for size in sorted({group.size for group in groups} - {1}):
        # A pair leaves the upper lanes zero, whatever they hold: their factor is zero.
        factors = (power,) * size + ("0",) * (4 - size)
        found.append(lanes(f"factors{size}", "f32x4", factors, f"a power of two for {size} scales"))
    if spec.fold is Fold.NARROW:
        found.append(
            Constant(
                "ones", "(i16x8.splat (local.get $nrc))", "1 in each i16 lane, which engines must not know"
            )
        )
    return tuple(found)


def _groups(spec: KernelSpec, x: Format, y: Format) -> tuple[Group, ...]:
    """Each accumulator takes a run of unroll / accumulators blocks, in fours, then twos, then one."""
    blocks = tuple(block(i, x, y) for i in range(spec.unroll))
    run = spec.unroll // spec.accumulators
    sizes = (4, 2, 1) if BY_NAME[spec.strategy].sums is not Sums.I32 else (1,)
    cuts = [0]
    while cuts[-1] < run:
        cuts.append(cuts[-1] + next(size for size in sizes if cuts[-1] + size <= run))
    return tuple(
        Group(blocks[a * run + start : a * run + stop], accumulator=a)
        for a in range(spec.accumulators)
        for start, stop in pairwise(cuts)
    )
