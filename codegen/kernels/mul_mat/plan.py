"""The numbers of mul_mat: those of a matrix kernel, and those of the function that prepares a column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from codegen.formats.layouts import GROUP_BYTES, GROUP_LAYOUT, GROUP_ROWS
from codegen.kernels.pack_activations.plan import ColumnPlan, column
from codegen.kernels.plan import ends
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tile.local_variables import WALK
from codegen.kernels.tile.plan import MatrixPlan, matrix_plan
from codegen.spec.strategies import Isa, Local

_RANGES = ("s", "vx", "vy", "work")
_WRITTEN = {"s", "work"}


@dataclass(frozen=True)
class MulMatPlan(MatrixPlan):
    """All numbers of one kernel.

    Attributes:
        quantizer: of the function that prepares a column.
    """

    quantizer: ColumnPlan

    @property
    def row_block_bytes(self) -> int:
        """Bytes that a block of one row has in interleaved weights."""
        return GROUP_BYTES // GROUP_ROWS

    @property
    def apart(self) -> tuple[tuple[str, str], ...]:
        """Ranges that must not overlap: what is written, and anything else."""
        pairs = combinations(_RANGES, 2)
        return tuple((f"${a}", f"${b}") for a, b in pairs if {a, b} & _WRITTEN)

    @property
    def layouts(self) -> tuple[tuple[str, str], ...]:
        """Blocks of weights, and activations as they are prepared in scratch memory."""
        return (f"x, {GROUP_BYTES} bytes", GROUP_LAYOUT), (
            f"work, {self.record.bytes} bytes",
            self.record.layout,
        )


def mul_mat_plan(spec: KernelSpec) -> MulMatPlan:
    """The numbers of a kernel; a pure function of its spec."""
    product = matrix_plan(spec)
    locals_of = (
        *ends(*_RANGES),
        *WALK,
        Local("to", "ptr", "where the next column is prepared"),
        Local("left", "i32", "columns of the panel that are left"),
    )
    return MulMatPlan(
        **{**vars(product), "locals": locals_of},
        quantizer=column(spec, product.record, unroll=1 if spec.isa is Isa.SCALAR else 4),
    )
