"""The one list of the kernels we ship, and how a part of it is chosen.

To add a kernel, add a line here: docs/adding-a-kernel.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from codegen.errors import SpecError
from codegen.operations import OPERATIONS
from codegen.spec import KernelSpec, Memory, Scales
from codegen.strategies import Isa

FAMILIES: tuple[KernelSpec, ...] = (
    KernelSpec(Isa.SCALAR),
    KernelSpec(Isa.SIMD128),
    KernelSpec(Isa.SIMD128, strategy="extmul"),
    KernelSpec(Isa.RELAXED),
    KernelSpec(Isa.RELAXED, strategy="dot32"),
    KernelSpec(Isa.SIMD128, op="quantize_row", x="q8_0", y=""),
    KernelSpec(Isa.RELAXED, op="quantize_row", x="q8_0", y=""),
)
"""Kernels that are shipped at each of their operation's UNROLLS, and that `--unroll N` makes at any other."""

UNROLLS = {"vec_dot": (1, 2, 4), "quantize_row": (1, 4)}

SINGLES: tuple[KernelSpec, ...] = (
    KernelSpec(Isa.SCALAR, strategy="swar"),
    KernelSpec(Isa.SIMD128, strategy="article"),
    KernelSpec(Isa.SIMD128, unroll=4, scales=Scales.TABLE),
    KernelSpec(Isa.RELAXED, unroll=4, scales=Scales.TABLE),
    KernelSpec(Isa.RELAXED, unroll=4, memory=Memory.IMPORT),
    KernelSpec(Isa.SCALAR, op="quantize_row", x="q8_0", y=""),
)
"""Kernels shipped as they are."""

REGISTERED: tuple[KernelSpec, ...] = tuple(
    sorted(
        dict.fromkeys(
            (
                *(replace(family, unroll=unroll) for family in FAMILIES for unroll in UNROLLS[family.op]),
                *SINGLES,
            )
        ),
        key=lambda spec: tuple(OPERATIONS).index(spec.op),
    )
)
"""All of them, each once, operation by operation."""

FASTEST: dict[Isa, KernelSpec] = {
    Isa.SCALAR: KernelSpec(Isa.SCALAR, strategy="swar"),
    Isa.SIMD128: KernelSpec(Isa.SIMD128, unroll=4),
    Isa.RELAXED: KernelSpec(Isa.RELAXED, unroll=4),
}
"""What `run` uses for an ISA: the fastest measured (docs/performance.md)."""


def select(
    patterns: Sequence[str] = (),
    isas: Sequence[Isa] = (),
    unroll: int | None = None,
    op: str | None = None,
) -> tuple[KernelSpec, ...]:
    """The kernels that a command is about.

    Args:
        patterns: names or shell patterns of names; none means all. A full name need not be registered.
        isas: keep only these; none means all.
        unroll: every family at this unroll, registered or not, and the singles that have it or cannot change it.
        op: only kernels of this operation; None means all.

    Raises:
        SpecError: nothing matches.
    """
    pool: Iterable[KernelSpec] = REGISTERED if unroll is None else _at(unroll)
    chosen = [spec for spec in pool if not isas or spec.isa in isas]
    if patterns:
        chosen = [spec for pattern in patterns for spec in _matching(pattern, chosen, isas, unroll)]
    chosen = [spec for spec in chosen if op in (None, spec.op)]
    if not chosen:
        wanted = [*patterns, *isas, *([f"unroll {unroll}"] if unroll else [])]
        of_it = f" a kernel of {op}" if op else ""
        raise SpecError(f"kernel {', '.join(wanted)}: none matches{of_it}; see `codegen list`")
    return tuple(dict.fromkeys(chosen))


def _at(unroll: int) -> tuple[KernelSpec, ...]:
    fixed = [spec for spec in SINGLES if spec.is_fixed]
    same = [spec for spec in SINGLES if spec.unroll == unroll and spec not in fixed]
    return (*(replace(family, unroll=unroll) for family in FAMILIES), *fixed, *same)


def _matching(
    pattern: str, pool: Sequence[KernelSpec], isas: Sequence[Isa], unroll: int | None
) -> list[KernelSpec]:
    if not set(pattern) & set("*?["):
        spec = KernelSpec.parse(pattern)
        fits = (not isas or spec.isa in isas) and unroll in (None, spec.unroll)
        return [spec] if fits else []
    found = [spec for spec in pool if fnmatchcase(spec.name, pattern)]
    if not found:
        raise SpecError(f"kernel {pattern!r}: no kernel's name matches; see `codegen list`")
    return found
