"""Which kernel multiplies a model where none is named."""

from __future__ import annotations

from codegen import registry
from codegen.spec import KernelSpec
from codegen.strategies import Isa

_MANY = 8
"""Columns that the kernels of registry.FASTEST are right for, which are tuned with a panel of 32 of them."""

_FEW = {
    Isa.SIMD128: KernelSpec.parse("mul_mat_q4_0_4x4__simd128_u1_broadcast_rolled"),
    Isa.RELAXED: KernelSpec.parse("mul_mat_q4_0_4x4__relaxed_u1_broadcast_rolled"),
}
"""For fewer. Weights of a whole model come from memory or a last cache, not from the second one: a tile of one group of
4 rows reads them in the order in which they stand, one of 16 rows in four places at once."""


def fastest(isa: Isa, columns: int) -> KernelSpec:
    """The mul_mat of an ISA for so many columns of activations."""
    usual = registry.FASTEST["mul_mat", isa]
    return usual if columns >= _MANY else _FEW.get(isa, usual)
