"""Which records a column becomes: one strategy a kind. How quants are made is quantize_row's, by ISA."""

from __future__ import annotations

from codegen.formats.layouts import Activations, Kind, Record
from codegen.kernels.quantize_row.strategies import CONSTANTS, MAGIC, SCALAR, VECTOR
from codegen.spec.choice import Choice
from codegen.spec.strategies import Constant, Isa, Local, Strategy

_WIDE = tuple(Local(f"w{i}", "v128", f"i16x8 widened quants, part {i}") for i in range(4))


def constants_of(isa: Isa) -> tuple[Constant, ...]:
    """The vectors that a column function of an ISA keeps in locals."""
    return {Isa.SCALAR: (), Isa.SIMD128: (*CONSTANTS, MAGIC), Isa.RELAXED: CONSTANTS}[isa]


def locals_of(isa: Isa, record: Record) -> tuple[Local, ...]:
    """The locals that a column function sets and reads, beside those of its loops and constants."""
    if isa is Isa.SCALAR:
        return (*SCALAR, Local("q", "i32", "a quant, in its low byte"), Local("sum", "i32", "of the quants"))
    return (*VECTOR, Local("dp", "v128", "f32x4 scales as records have them"), *widened(record))


def widened(record: Record) -> tuple[Local, ...]:
    """The locals of quants as records have them, where those are not i8."""
    return _WIDE if record.kind is Kind.WIDE else ()


def _strategy(isa: Isa, kind: Kind) -> Strategy:
    # what it needs of locals depends on the option too: codegen/kernels/pack_activations/plan.py
    return Strategy(kind.value, isa, (), ())


ALL: tuple[Strategy, ...] = (
    _strategy(Isa.SCALAR, Kind.SUMS),
    *(_strategy(Isa.SIMD128, kind) for kind in (Kind.WIDE, Kind.SUMS, Kind.PAIRS)),
    *(_strategy(Isa.RELAXED, kind) for kind in (Kind.PAIRS, Kind.SUMS, Kind.WIDE)),
)
"""Every strategy; the first of an ISA is what its own matrix kernels read."""


def why_not(spec: Choice) -> str | None:
    """Why a combination of options does not exist; None where it does."""
    if spec.isa is Isa.SCALAR and spec.activations is Activations.BROADCAST:
        return f"activations {spec.activations}: scalar has compact ones only, which it reads without repeating words"
    return None
