"""The numbers of a quantiser: every offset, local and loop count that its template writes down."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats import FORMATS, BlockFormat
from codegen.plan import Plan, ends
from codegen.spec import KernelSpec
from codegen.strategies import Isa, Local

VALUE_BYTES = 4
"""Of an f32."""

_VECTOR_BYTES = 16
_TOGETHER = 4


@dataclass(frozen=True)
class Value:
    """One value: its offset from $x, that of its quant from $y, and which of four running maxima takes it."""

    x: int
    y: int
    chain: int


@dataclass(frozen=True)
class Half:
    """Sixteen values: the offsets of four vectors from $x, and of their quants, and the upper eight, from $y."""

    x: tuple[int, ...]
    y: int
    y_upper: int


@dataclass(frozen=True)
class Block:
    """One block.

    Attributes:
        index: in a turn.
        lane: where its scale is in a vector of the group's.
        lanes: that lane, four times.
        half_lane: where its f16 scale is among i16 lanes.
        x: offset of its values from $x.
        x_end: where they end.
        y_scale: offset of the scale from $y.
        y_quants: offset of the quants.
        values: all 32, for scalar code.
        halves: the same for vectors.
    """

    index: int
    lane: int
    lanes: tuple[int, ...]
    half_lane: int
    x: int
    x_end: int
    y_scale: int
    y_quants: int
    values: tuple[Value, ...]
    halves: tuple[Half, ...]

    @property
    def vectors(self) -> tuple[int, ...]:
        """Offsets of all its vectors from $x."""
        return tuple(offset for half in self.halves for offset in half.x)


@dataclass(frozen=True)
class QuantizePlan(Plan):
    """All numbers of one kernel.

    Attributes:
        y: the format that it makes.
        groups: blocks of a turn; four share a vector of scales, one goes alone.
        last: one block, for the loop over what the unrolled loop leaves.
        elements: values per turn of the unrolled loop.
        x_step: bytes of them.
        y_step: bytes of their blocks.
        x_block: bytes of a block's values.
        value_bytes: bytes of a value.
        within_block: the bits of an offset from $x that say where in a block it is.
        refused: the bits that k must not have: of a number that is negative, no multiple of a block's elements, or of
            more values than a 32-bit memory holds.
    """

    y: BlockFormat
    groups: tuple[tuple[Block, ...], ...]
    last: tuple[Block, ...]
    elements: int
    x_step: int
    y_step: int
    x_block: int
    value_bytes: int
    within_block: int
    refused: str

    @property
    def has_tail(self) -> bool:
        """Whether a loop of single blocks follows the unrolled one."""
        return self.spec.unroll > 1


def plan(spec: KernelSpec) -> QuantizePlan:
    """The numbers of a kernel; a pure function of its spec."""
    y = FORMATS[spec.x]
    x_block = y.elements * VALUE_BYTES
    (strategy,) = (s for s in spec.operation.strategies if (s.isa, s.name) == (spec.isa, spec.strategy))
    groups = _groups(spec, y)
    return QuantizePlan(
        spec=spec,
        y=y,
        groups=groups,
        last=(_block(0, 0, y),),
        elements=y.elements * spec.unroll,
        x_step=x_block * spec.unroll,
        y_step=y.bytes * spec.unroll,
        x_block=x_block,
        value_bytes=VALUE_BYTES,
        within_block=x_block - 1,
        refused=f"0x{(1 << 64) - (1 << 32) // VALUE_BYTES | (y.elements - 1):016x}",
        locals=(
            *ends("x", "y"),
            Local("end", "i32", "address where the values end"),
            *(
                [Local("stop", "i32", "address where the unrolled loop leaves the rest")]
                if spec.unroll > 1
                else []
            ),
            *(Local(constant.name, "v128", constant.role) for constant in strategy.constants),
            *_vectors(spec, max(map(len, groups))),
            *strategy.locals,
        ),
        constants=strategy.constants,
        pages=1,
    )


def _vectors(spec: KernelSpec, largest: int) -> tuple[Local, ...]:
    """Locals that depend on how many blocks share a vector."""
    if spec.isa is Isa.SCALAR:
        return ()
    found = tuple(
        Local(f"m{k}", "v128", f"i32x4 largest magnitudes, block {k} of a group") for k in range(largest)
    )
    if largest == 1:
        return found
    return (*found, Local("own_id2", "v128", "f32x4 of 2 / scale of one block"))


def _groups(spec: KernelSpec, y: BlockFormat) -> tuple[tuple[Block, ...], ...]:
    """Fours, then each alone; scalar code has no fours."""
    whole = 0 if spec.isa is Isa.SCALAR else spec.unroll // _TOGETHER * _TOGETHER
    fours = [
        tuple(_block(start + lane, lane, y) for lane in range(_TOGETHER))
        for start in range(0, whole, _TOGETHER)
    ]
    return (*fours, *((_block(index, 0, y),) for index in range(whole, spec.unroll)))


def _block(index: int, lane: int, y: BlockFormat) -> Block:
    x_at, y_at = index * y.elements * VALUE_BYTES, index * y.bytes
    quants = y_at + y.quants_offset
    per_half = y.elements // 2
    return Block(
        index=index,
        lane=lane,
        lanes=(lane,) * 4,
        half_lane=2 * lane,
        x=x_at,
        x_end=x_at + y.elements * VALUE_BYTES,
        y_scale=y_at + y.scale_offset,
        y_quants=quants,
        values=tuple(Value(x_at + VALUE_BYTES * i, quants + i, i % 4) for i in range(y.elements)),
        halves=tuple(
            Half(
                tuple(x_at + VALUE_BYTES * per_half * half + _VECTOR_BYTES * i for i in range(4)),
                quants + per_half * half,
                quants + per_half * half + 8,
            )
            for half in range(2)
        ),
    )
