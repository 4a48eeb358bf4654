"""How weights and activations of the matrix kernels multiply: the macros of templates/lib/matrix/<strategy>.wat.j2."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.formats.layouts import Activations, Kind
from codegen.spec.choice import Choice
from codegen.spec.options import Inner, Totals
from codegen.spec.strategies import Constant, Isa, Strategy, alike


@dataclass(frozen=True)
class MatrixMultiply(Strategy):
    """A strategy of the matrix kernels.

    Attributes:
        kind: the records of activations that it reads.
        parts: words of weights that a vector of packed ones is unpacked into.
    """

    kind: Kind
    parts: int


_LOW4 = alike("low4", "i8x16", "15", "0x0f in each byte")
_MASKS = tuple(
    alike(f"nibble{k}", "i16x8", f"0x{15 << 4 * k:04x}", f"nibble {k} of each i16 lane") for k in range(3)
)

ALL: tuple[MatrixMultiply, ...] = (
    MatrixMultiply("mul", Isa.SCALAR, (), (), Kind.SUMS, 2),
    MatrixMultiply("dot", Isa.SIMD128, _MASKS, (), Kind.WIDE, 4),
    MatrixMultiply("dot16", Isa.RELAXED, (_LOW4,), (), Kind.PAIRS, 2),
    MatrixMultiply("dot32", Isa.RELAXED, (_LOW4,), (), Kind.SUMS, 2),
)
"""Every strategy; the first of an ISA is its default."""

BY_NAME: dict[str, MatrixMultiply] = {strategy.name: strategy for strategy in ALL}

KINDS: dict[str, Kind] = {strategy.name: strategy.kind for strategy in ALL}
"""The records that each reads."""

SCALE_BITS: Constant = alike(
    "scale_bits", "i32x4", "0x8fffe000", "sign, exponent and fraction of an f16, moved to an f32's place"
)

ROWS = (4, 8, 12, 16)
"""Of a tile."""

_SCALAR = ("gemv", "gemm", "mul_mat")
"""Operations that have a kernel without SIMD."""

_SCALAR_HOW = ((ROWS[0], 1), Activations.COMPACT, Inner.UNROLLED, Totals.REGISTERS)
"""Its tile, and no options."""

_PANELS = ("gemm", "mul_mat")
"""Operations that are for many columns."""

GEMV_TILES: tuple[tuple[int, int], ...] = tuple((rows, 1) for rows in ROWS)
GEMM_TILES: tuple[tuple[int, int], ...] = tuple((rows, columns) for rows in ROWS for columns in range(1, 9))


def why_not(spec: Choice) -> str | None:
    """Why a combination of options does not exist; None where it does."""
    assert spec.tile is not None, "the spec has checked it"
    rows, columns = spec.tile
    in_output = spec.totals is Totals.OUTPUT
    if spec.isa is Isa.SCALAR:
        plain = (spec.tile, spec.activations, spec.inner, spec.totals)
        if spec.op in _SCALAR and plain == _SCALAR_HOW:
            return None
        return f"isa scalar: only {', '.join(_SCALAR)} have it, {ROWS[0]}x1 at a time and without options"
    if spec.op in _PANELS and in_output != (columns == 1):
        return f"tile {rows}x{columns}: one column at a time and totals in the output go together"
    if in_output and spec.inner is not Inner.UNROLLED:
        return f"inner {spec.inner}: with totals in the output all steps of a block are unpacked at once"
    return None
