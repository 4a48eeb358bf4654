"""The numbers of a quantiser: every offset, local and loop count that its template writes down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.formats import FORMATS, Format
from codegen.kernels.plan import Plan, ends
from codegen.kernels.quantize_row.blocks import ELEMENTS, VALUE_BYTES, Block, Target, block, groups
from codegen.kernels.quantize_row.strategies import QUANTS
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Constant, Isa, Local


@dataclass(frozen=True)
class QuantizePlan(Plan):
    """What quantisers of rows and of matrices have.

    Attributes:
        groups: blocks of a turn; four share a vector of scales, one goes alone.
        last: one block, for the loop over what the unrolled loop leaves.
        unroll: blocks of a turn of the unrolled loop.
        elements: values of them.
        x_step: bytes of these values.
        y_step: bytes of what they become.
        x_block: bytes of a block's values.
        y_block: bytes of what it becomes.
        block: values of a block.
        value_bytes: bytes of a value.
        stores: the template of lib/quantize/stores/ that writes what blocks become.
        again: the locals of the function that does blocks once more.
    """

    groups: tuple[tuple[Block, ...], ...]
    last: tuple[Block, ...]
    unroll: int
    elements: int
    x_step: int
    y_step: int
    x_block: int
    y_block: int
    block: int
    value_bytes: int
    stores: str
    again: tuple[Local, ...]

    @property
    def has_tail(self) -> bool:
        """Whether a loop of single blocks follows the unrolled one."""
        return self.unroll > 1


@dataclass(frozen=True)
class RowPlan(QuantizePlan):
    """All numbers of one kernel of quantize_row.

    Attributes:
        y: the format that it makes.
        not_whole_blocks: the bits that k must not have.
    """

    y: Format
    not_whole_blocks: int


def quantize_row_plan(spec: KernelSpec) -> RowPlan:
    """The numbers of a kernel; a pure function of its spec."""
    y = FORMATS[spec.x]
    (strategy,) = (s for s in spec.operation.strategies if (s.isa, s.name) == (spec.isa, spec.strategy))
    return RowPlan(
        spec=spec,
        **loops(spec.isa, spec.unroll, y),
        y=y,
        not_whole_blocks=y.elements - 1,
        locals=(*ends("x", "y"), *loop_locals(spec.isa, spec.unroll, strategy.constants), *strategy.locals),
        constants=strategy.constants,
        stores="q8_0",
        again=again(),
    )


def loops(isa: Isa, unroll: int, target: Target) -> dict[str, Any]:
    """The fields of a QuantizePlan that its loops take."""
    x_block = ELEMENTS * VALUE_BYTES
    return {
        "groups": groups(isa, unroll, target),
        "last": (block(0, 0, target),),
        "unroll": unroll,
        "elements": ELEMENTS * unroll,
        "x_step": x_block * unroll,
        "y_step": target.bytes * unroll,
        "x_block": x_block,
        "y_block": target.bytes,
        "block": ELEMENTS,
        "value_bytes": VALUE_BYTES,
    }


def loop_locals(isa: Isa, unroll: int, constants: tuple[Constant, ...], then: str = "") -> tuple[Local, ...]:
    """The locals of the loops, of constants, and those that depend on how many blocks share a vector.

    Args:
        isa: what the loops may use.
        unroll: blocks a turn.
        constants: vectors that are set before the loops.
        then: what the locals of largest magnitudes are used for afterwards.
    """
    stop = [Local("stop", "ptr", "address where the unrolled loop leaves the rest")] if unroll > 1 else []
    return (
        Local("end", "ptr", "address where the values end"),
        *stop,
        *(Local(constant.name, "v128", constant.role) for constant in constants),
        *(() if isa is Isa.SCALAR else _vectors(4 if unroll >= 4 else 1, then)),
    )


def again(*more: Local) -> tuple[Local, ...]:
    """The locals of the function that does blocks once more, where storing them takes these besides."""
    return (
        Local("id", "v128", "f32x4 of 1 / scale, the next block's first"),
        Local("own", "v128", "f32x4 of 1 / scale of one block"),
        Local("v", "v128", "f32x4 of value / scale"),
        *QUANTS,
        *more,
    )


def _vectors(together: int, then: str) -> tuple[Local, ...]:
    magnitudes = (
        Local(f"m{k}", "v128", f"i32x4 largest magnitudes, block {k} of a group{then}")
        for k in range(together)
    )
    own = [Local("own", "v128", "f32x4 of 2 / scale of one block")] if together > 1 else []
    return (*magnitudes, *own)
