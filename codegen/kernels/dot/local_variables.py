"""The local variables of a kernel, each with its role: what the macros of templates/lib may name."""

from __future__ import annotations

from codegen.formats import FORMATS
from codegen.kernels.dot.strategies import BY_NAME, unpacked
from codegen.kernels.spec import KernelSpec
from codegen.spec.options import Scales
from codegen.spec.strategies import Constant, Isa, Local


def local_variables(
    spec: KernelSpec,
    constants: tuple[Constant, ...],
    largest: int,
    vectors: tuple[int, ...],
    scalars: tuple[int, ...],
) -> tuple[Local, ...]:
    """All locals of a kernel, in the order they are declared.

    Args:
        spec: the kernel.
        constants: vectors it keeps besides its strategy's.
        largest: blocks in its largest group.
        vectors: numbers of the accumulators that are vectors.
        scalars: numbers of the accumulators that are scalars.
    """
    strategy = BY_NAME[spec.strategy]
    own, locals_of = unpacked(strategy, FORMATS[spec.x])
    sums = "integer sum of a block" if spec.isa is Isa.SCALAR else "integer partial sums, block {} of a group"
    kind = "i32" if spec.isa is Isa.SCALAR else "v128"
    return (
        *_loop(spec),
        *(Local(constant.name, "v128", constant.role) for constant in (*own, *constants)),
        *locals_of,
        *(Local(f"p{k}", kind, sums.format(k)) for k in range(largest)),
        *(_vector_scales(spec, largest) if largest > 1 else ()),
        *(Local(f"acc{a}", "v128", "f32x4 sum, one block a lane") for a in vectors),
        *([Local("total", "v128", "f32x4 sum of the accumulators")] if vectors else []),
        *(Local(f"sum{a}", "f32", "sum of blocks that go alone") for a in scalars),
    )


def _loop(spec: KernelSpec) -> list[Local]:
    found = [
        Local("x", "ptr", f"address of the next {spec.x} block"),
        Local("y", "ptr", f"address of the next {spec.y} block"),
        Local("end", "ptr", f"address where the {spec.x} blocks end"),
    ]
    if spec.unroll > 1:
        found.append(Local("stop", "ptr", "address where the unrolled loop leaves the rest"))
    found.append(Local("h", "i32", "bits of the scale under conversion"))
    return found


def _vector_scales(spec: KernelSpec, largest: int) -> list[Local]:
    pairs = ("01", "23")[: largest // 2]
    found = [
        Local("d", "v128", "f32x4 products of scales, one block a lane"),
        *(Local(f"{p}{pair}", "i64", f"{p} scales {pair[0]} and {pair[1]}") for p in "xy" for pair in pairs),
    ]
    if spec.scales is Scales.ARITHMETIC:
        found.append(Local("seen", "i64", "bits 28 and 60 set once a scale was infinite or NaN"))
    if spec.scales is Scales.OVERFLOW:
        found.append(Local("dy", "v128", "y scales, times 2^-112"))
        found.append(Local("seen", "v128", "i32x4, the largest y scales so far, without their signs"))
    return found
