"""The one list of the kernels we ship, and how a part of it is chosen.

To add a kernel, add a line here: docs/adding-a-kernel.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache

from codegen.base.errors import SpecError, nearest
from codegen.kernels import shipped
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.spec import KernelSpec
from codegen.spec.options import Memory, default
from codegen.spec.strategies import Isa

FAMILIES: tuple[KernelSpec, ...] = (
    KernelSpec(Isa.SCALAR),
    KernelSpec(Isa.SIMD128),
    KernelSpec(Isa.SIMD128, strategy="extmul"),
    KernelSpec(Isa.RELAXED),
    KernelSpec(Isa.RELAXED, strategy="dot32"),
    KernelSpec(Isa.SIMD128, op="quantize_row", x="q8_0", y=""),
    KernelSpec(Isa.RELAXED, op="quantize_row", x="q8_0", y=""),
)
"""Kernels that are shipped at each of UNROLLS, and that `--unroll N` makes at any other."""

UNROLLS = (1, 2, 4)

TUTORIAL = tuple(KernelSpec(isa, unroll=unroll) for isa in Isa for unroll in UNROLLS)
"""The kernels to read first: one dot product, from scalar code to relaxed SIMD, from one block a turn to four."""

MATRIX = (
    "pack_activations_q8_0__scalar_u1",
    "pack_activations_q8_0__simd128_u4",
    "pack_activations_q8_0__simd128_u4_broadcast",
    "pack_activations_q8_0__relaxed-sums_u4",
    "pack_activations_q8_0__relaxed_u4_broadcast",
    "repack_q4_0__scalar_u1",
    "repack_q4_0__simd128_u1",
    "gemm_q4_0_q8_0_4x1__scalar_u1",
)
"""What makes operands of matrix kernels: of each ISA the records that its kernels read, and both ways to repack. And
what no sweep looks for, since there is but one: the product without SIMD."""

MEMORIES = (
    "vec_dot_q4_0_q8_0__relaxed_u4_shared",
    "vec_dot_q4_0_q8_0__relaxed_u4_memory64",
    "mul_mat_q4_0_16x1__relaxed_u1_broadcast_output_shared",
    "mul_mat_q4_0_16x1__relaxed_u1_broadcast_output_memory64",
)
"""For memories that not every engine has: what is fastest of those for other memories."""

SINGLES: tuple[KernelSpec, ...] = (
    KernelSpec(Isa.SCALAR, strategy="swar"),
    KernelSpec(Isa.RELAXED, unroll=4, memory=Memory.IMPORT),
    KernelSpec(Isa.SCALAR, op="quantize_row", x="q8_0", y=""),
    *map(KernelSpec.parse, (*MATRIX, *MEMORIES)),
)
"""Kernels shipped as they are."""

_UNTUNED = (
    "vec_dot_q4_0_q8_0__scalar-swar_u1",
    "vec_dot_q4_0_q8_0__simd128_u4",
    "vec_dot_q4_0_q8_0__relaxed_u4",
    "vec_dot_q5_0_q8_0__scalar_u1",
    "vec_dot_q5_0_q8_0__simd128_u4",
    # With u4, which is 1.06 times as fast, V8 before 15 computes garbage without AVX: docs/verification.md.
    "vec_dot_q5_0_q8_0__relaxed_u2",
    "vec_dot_q8_0_q8_0__scalar_u1",
    "vec_dot_q8_0_q8_0__simd128_u4",
    "vec_dot_q8_0_q8_0__relaxed_u4",
    "quantize_row_q8_0__scalar_u1",
    "quantize_row_q8_0__simd128_u4",
    "quantize_row_q8_0__relaxed_u4",
    "pack_activations_q8_0__scalar_u1",
    "pack_activations_q8_0__simd128_u4_broadcast",
    "pack_activations_q8_0__relaxed_u4_broadcast",
    "repack_q4_0__scalar_u1",
    "repack_q4_0__simd128_u1",
    "gemv_q4_0_q8_0_4x1__scalar_u1",
    "gemv_q4_0_q8_0_16x1__simd128_u1_broadcast_rolled",
    "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast_rolled",
    "gemm_q4_0_q8_0_4x1__scalar_u1",
    "gemm_q4_0_q8_0_8x4__simd128_u1_broadcast_rolled",
    "gemm_q4_0_q8_0_16x1__relaxed_u1_broadcast_output",
    "mul_mat_q4_0_4x1__scalar_u1",
    "mul_mat_q4_0_8x4__simd128_u1_broadcast_rolled",
    "mul_mat_q4_0_16x1__relaxed_u1_broadcast_output",
)

UNTUNED: dict[tuple[str, Isa], KernelSpec] = {
    (spec.contract, spec.isa): spec for spec in map(KernelSpec.parse, _UNTUNED)
}
"""Fallback kernel per contract and ISA, used until it has been tuned."""


@cache
def registered() -> tuple[KernelSpec, ...]:
    """All kernels that we ship, each once, operation by operation.

    These are the families, the singles, the best kernels of every file in tuning/, and the fallbacks where no file has
    one. The files are read by the first call and not by the import, since `codegen tune` must run while one is broken.

    Raises:
        InputError: a file in tuning/ is not sound.
    """
    tuned = (spec for file in shipped.files() for spec in file.best)
    each = dict.fromkeys((*_families(*UNROLLS), *SINGLES, *tuned, *fastest().values()))
    return tuple(sorted(each, key=lambda spec: tuple(OPERATIONS).index(spec.op)))


@cache
def fastest(arch: str | None = None) -> Mapping[tuple[str, Isa], KernelSpec]:
    """The kernel to use for a contract and ISA: the best in wasmtime, of tuning/wasmtime-<arch>.json (docs/tuning.md).

    Args:
        arch: the architecture; None is that of this machine.

    Raises:
        InputError: a file in tuning/ is not sound.
    """
    file = shipped.for_engine("wasmtime", arch)
    return UNTUNED | ({(spec.contract, spec.isa): spec for spec in file.best} if file else {})


@cache
def shown() -> tuple[KernelSpec, ...]:
    """The registered kernels whose text is committed in generated/, where people review it.

    These are TUTORIAL, and of every contract the kernel to use for its best ISA. They are the same on every machine.

    Raises:
        InputError: a file in tuning/ is not sound.
    """
    usual = fastest(shipped.USUAL_ARCH)
    best = {contract: usual[contract, isa] for isa in Isa for contract, its in usual if its is isa}
    chosen = {*TUTORIAL, *best.values()}
    return tuple(spec for spec in registered() if spec in chosen)


def select(
    patterns: Sequence[str] = (),
    isas: Sequence[Isa] = (),
    unroll: int | None = None,
    tuned: str | None = None,
    ops: Sequence[str] = (),
    memory: Memory | None = None,
) -> tuple[KernelSpec, ...]:
    """The kernels that a command is about.

    Args:
        patterns: names or shell patterns of names; none means all. A full name need not be registered.
        isas: keep only these; none means all.
        unroll: every family at this unroll, registered or not, and as they are all other kernels with the default
            memory; of a tuning the kernels that have it.
        tuned: only the best kernels of this engine, or of this file that `codegen tune` wrote.
        ops: only kernels of these operations; none means all.
        memory: this one in place of their own.

    Raises:
        SpecError: nothing matches.
        InputError: there is no such tuning.
    """
    if tuned is None:
        pool = registered() if unroll is None else _at(unroll)
    else:
        pool = tuple(spec for spec in shipped.named(tuned).best if unroll in (None, spec.unroll))
    chosen = [spec for spec in pool if not isas or spec.isa in isas]
    if patterns:
        chosen = [spec for pattern in patterns for spec in _matching(pattern, chosen, isas, unroll)]
    if tuned is not None:
        chosen = [spec for spec in chosen if spec in pool]
    chosen = [spec for spec in chosen if not ops or spec.op in ops]
    if memory:
        chosen = [replace(spec, memory=memory) for spec in chosen]
    if not chosen:
        how = [f"{name} {value}" for name, value in (("unroll", unroll), ("memory", memory)) if value]
        wanted = [*patterns, *isas, *how, *([tuned] if tuned else [])]
        of_it = f" a kernel of {', '.join(ops)}" if ops else ""
        raise SpecError(f"kernel {', '.join(wanted)}: none matches{of_it}; see `codegen list`")
    return tuple(dict.fromkeys(chosen))


def _at(unroll: int) -> tuple[KernelSpec, ...]:
    usual = set(_families(*UNROLLS))
    others = (spec for spec in registered() if spec not in usual and spec.memory is default(Memory))
    return (*_families(unroll), *others)


def _families(*unrolls: int) -> Iterator[KernelSpec]:
    return (replace(family, unroll=unroll) for family in FAMILIES for unroll in unrolls)


def named(name: str) -> KernelSpec:
    """The kernel of a full name, registered or not.

    Raises:
        SpecError: there is none; with the name of a registered kernel that may have been meant.
    """
    try:
        return KernelSpec.parse(name)
    except SpecError as error:
        raise SpecError(f"{error}{nearest(name, (spec.name for spec in registered()))}") from None


def _matching(
    pattern: str, pool: Sequence[KernelSpec], isas: Sequence[Isa], unroll: int | None
) -> list[KernelSpec]:
    if not set(pattern) & set("*?["):
        spec = named(pattern)
        fits = (not isas or spec.isa in isas) and unroll in (None, spec.unroll)
        return [spec] if fits else []
    found = [spec for spec in pool if fnmatchcase(spec.name, pattern)]
    if not found:
        raise SpecError(f"kernel {pattern!r}: no kernel's name matches; see `codegen list`")
    return found
