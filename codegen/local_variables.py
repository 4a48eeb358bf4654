"""The local variables of a kernel, each with its role: what the macros of templates/lib may name."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.spec import Isa, KernelSpec, Memory, Scales


@dataclass(frozen=True)
class Local:
    """One local variable of the generated function, and what it is for."""

    name: str
    type: str
    role: str


@dataclass(frozen=True)
class Constant:
    """A vector that a strategy keeps in a local, all lanes alike."""

    name: str
    shape: str
    lanes: int
    value: str
    role: str


_LOW4 = Constant("low4", "i8x16", 16, "15", "0x0f in each byte")
_EIGHTS = Constant("eights", "i8x16", 16, "8", "the nibbles' zero point, in each byte")
_SIGNS = Constant("signs", "i8x16", 16, "0x88", "the top bit of each nibble")
_ODD = Constant("odd", "i16x8", 8, "0xff00", "the odd byte of each i16 lane")

CONSTANTS: dict[str, tuple[Constant, ...]] = {
    "mul": (),
    "dot": (_SIGNS, _ODD),
    "extmul": (_LOW4, _EIGHTS),
    "article": (_LOW4, _EIGHTS),
    "dot16": (_LOW4, _EIGHTS),
    "dot32": (_LOW4, _EIGHTS),
}
"""The constants of each multiply strategy."""


def local_variables(
    spec: KernelSpec, largest: int, vectors: tuple[int, ...], scalars: tuple[int, ...]
) -> tuple[Local, ...]:
    """All locals of a kernel, in the order they are declared.

    Args:
        spec: the kernel.
        largest: blocks in its largest group.
        vectors: numbers of the accumulators that are vectors.
        scalars: numbers of the accumulators that are scalars.
    """
    blocks = _scalar_block() if spec.isa is Isa.SCALAR else _vector_block(spec, largest)
    return (
        *_loop(spec),
        *blocks,
        *(Local(f"acc{a}", "v128", "f32x4 sum, one block a lane") for a in vectors),
        *(Local(f"sum{a}", "f32", "sum of blocks that go alone") for a in scalars),
    )


def _loop(spec: KernelSpec) -> list[Local]:
    found = [
        Local("x", "i32", f"address of the next {spec.x} block"),
        Local("y", "i32", f"address of the next {spec.y} block"),
        Local("end", "i32", f"address where the {spec.x} blocks end"),
    ]
    if spec.unroll > 1:
        found.append(Local("stop", "i32", "address where the unrolled loop leaves the rest"))
    if spec.scales is Scales.ARITHMETIC:
        found.append(Local("h", "i32", "bits of the scale under conversion"))
    elif spec.memory is Memory.IMPORT:
        found.append(Local("table", "i32", "address of the f16 table"))
    return found


def _scalar_block() -> list[Local]:
    return [
        Local("w", "i32", "eight weights, four bits each, two's complement"),
        Local("low", "i32", "sum over low nibbles"),
        Local("high", "i32", "sum over high nibbles"),
        Local("p0", "i32", "integer sum of a block"),
    ]


def _vector_block(spec: KernelSpec, largest: int) -> list[Local]:
    found = [Local(c.name, "v128", c.role) for c in CONSTANTS[spec.strategy]]
    found.append(Local("q", "v128", "32 packed weights"))
    if spec.strategy in ("extmul", "article"):
        found += [
            Local("w0", "v128", "weights 0 to 15, i8x16"),
            Local("w1", "v128", "weights 16 to 31, i8x16"),
        ]
    else:
        found += [Local("y0", "v128", "activations 0 to 15"), Local("y1", "v128", "activations 16 to 31")]
    found += [Local(f"p{k}", "v128", f"integer partial sums, block {k} of a group") for k in range(largest)]
    if largest > 1:
        found += _vector_scales(spec, largest)
    return found


def _vector_scales(spec: KernelSpec, largest: int) -> list[Local]:
    found = [Local("d", "v128", "f32x4 products of scales, one block a lane")]
    if spec.scales is Scales.ARITHMETIC:
        pairs = ("01", "23")[: largest // 2]
        found += [
            Local(f"{p}{pair}", "i64", f"{p} scales {pair[0]} and {pair[1]}") for p in "xy" for pair in pairs
        ]
        found.append(Local("seen", "i64", "bits 28 and 60 set once a scale was infinite or NaN"))
    return found
