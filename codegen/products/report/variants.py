"""What a kernel is to a reader: one of five variants, with a label and the colour it has in every picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codegen.kernels import shipped, tuning
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from codegen.speed.bench.frozen import ARTICLE
from codegen.speed.bench.result import Measurement


@dataclass(frozen=True)
class Variant:
    """A kind of kernel.

    Attributes:
        label: in words.
        colour: of Okabe and Ito's palette, which colour-blind people can tell apart.
        marker: matplotlib's, for those who print without colours.
    """

    label: str
    colour: str
    marker: str


SCALAR = Variant("scalar", "#7f7f7f", "s")
PUBLISHED = Variant("published SIMD", "#e69f00", "^")
SIMD = Variant("ours, SIMD", "#0072b2", "o")
RELAXED = Variant("ours, relaxed SIMD", "#009e73", "D")
NATIVE = Variant("native GGML", "#cc79a7", "v")

VARIANTS = (SCALAR, PUBLISHED, SIMD, RELAXED, NATIVE)
"""In the order of pictures."""

OF_ISA = {Isa.SCALAR: SCALAR, Isa.SIMD128: SIMD, Isa.RELAXED: RELAXED}
"""The variant of our kernels."""


def of(kernel: str) -> Variant:
    """The variant of a kernel, by its name.

    Raises:
        SpecError: no kernel has this name.
    """
    if kernel == native.NAME:
        return NATIVE
    return PUBLISHED if kernel == ARTICLE.name else OF_ISA[KernelSpec.parse(kernel).isa]


def short(kernel: str) -> str:
    """The part of a name that tells kernels of one contract apart; for native GGML, no more than that."""
    return NATIVE.label if kernel == native.NAME else kernel.partition("__")[2]


def tiled(kernel: str) -> str:
    """The part of a name that tells kernels of one operation apart, their tile too; native functions have no parts."""
    if not kernel.partition("__")[2]:
        return kernel
    if kernel == ARTICLE.name:
        return short(kernel)
    tile = KernelSpec.parse(kernel).tile
    return f"{tile[0]}x{tile[1]} {short(kernel)}" if tile else short(kernel)


def best(measurements: Iterable[Measurement]) -> dict[Variant, Measurement]:
    """Of one engine's right measurements, one for each variant: scalar_u1, the published kernel, the best of ours.

    That is the engine's tuned one where it was measured, or else the fastest.
    """
    found: dict[Variant, Measurement] = {}
    for one in sorted(measurements, key=_rank):
        if one.kernel in (native.NAME, ARTICLE.name) or _shown(KernelSpec.parse(one.kernel)):
            found.setdefault(of(one.kernel), one)
    return {variant: found[variant] for variant in VARIANTS if variant in found}


def _rank(one: Measurement) -> tuple[bool, float]:
    tuned = one.kernel in {spec.name for spec in _tuned(one.engine)}
    return not tuned, one.summary.median


def _shown(spec: KernelSpec) -> bool:
    return spec.isa is not Isa.SCALAR or spec == KernelSpec(Isa.SCALAR)


def _tuned(engine: str) -> tuple[KernelSpec, ...]:
    file = shipped.for_engine(tuning.FILES[engine]) if engine in tuning.FILES else None
    return file.best if file else ()
