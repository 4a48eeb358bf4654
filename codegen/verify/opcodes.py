"""Known answers of single SIMD opcodes, computed by numpy: what engines have miscompiled, and what kernels build on.

An engine that mixes up extmul's halves or a dot's lanes validates every kernel and computes garbage; with these a
failure names the opcode. Semantics: https://webassembly.github.io/spec/core/exec/numerics.html. Relaxed dots are
asked only where their second operand is 7-bit: there every engine must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.oracle.inputs import rng_of
from codegen.render.text import filled
from codegen.spec.strategies import Isa

Vector = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Opcode:
    """One opcode: its text, operands, what an engine needs, its meaning on byte vectors, and a last scalar operand."""

    text: str
    operands: int
    needs: Isa
    meaning: Callable[..., Vector]
    seven_bit: bool = False
    last: str = ""


@dataclass(frozen=True)
class KnownAnswer:
    """An opcode applied to operands."""

    name: str
    opcode: Opcode
    operands: tuple[bytes, ...]
    result: bytes


def known_answers() -> Iterator[KnownAnswer]:
    """Each opcode on lanes that all differ, on extremes, and on random bytes."""
    for opcode in OPCODES:
        for kind in ("counting", "extremes", "random-1", "random-2"):
            name = " ".join(filter(None, (opcode.text, opcode.last))) + f"/{kind}"
            operands = [_operand(name, kind, place) for place in range(opcode.operands)]
            if opcode.seven_bit:
                operands[1] = operands[1] & np.uint8(0x7F)
            result = opcode.meaning(*operands)
            yield KnownAnswer(name, opcode, tuple(o.tobytes() for o in operands), result.tobytes())


def opcode_wat(opcode: Opcode, *, imported: bool = False) -> str:
    """A module that applies the opcode to the vectors at 0, 16 and 32 and stores the result at 48.

    Args:
        opcode: what is applied.
        imported: whether the memory is imported, as `env.memory`, rather than exported.
    """
    operands = [f"(v128.load (i32.const {16 * place}))" for place in range(opcode.operands)]
    operands += [opcode.last] if opcode.last else []
    return filled("opcode.wat.j2", opcode=opcode, operands=operands, imported=imported)


def _operand(name: str, kind: str, place: int) -> Vector:
    if kind == "counting":
        return np.arange(16, dtype=np.uint8) * np.uint8(7 + 4 * place) + np.uint8(1 + 100 * place)
    if kind == "extremes":
        ends = np.array([0x80, 0x7F, 0xFF, 0x00], np.uint8)
        return np.repeat(ends, 4) if place % 2 else np.tile(ends, 4)
    return rng_of(f"{name}{place}").integers(0, 256, 16).astype(np.uint8)


def _bytes(values: npt.NDArray[np.generic], lane: str) -> Vector:
    return values.astype(lane).view(np.uint8)


def _i8(v: Vector) -> npt.NDArray[np.int64]:
    return v.view("<i1").astype(np.int64)


def _i16(v: Vector) -> npt.NDArray[np.int64]:
    return v.view("<i2").astype(np.int64)


def _i32(v: Vector) -> npt.NDArray[np.int64]:
    return v.view("<i4").astype(np.int64)


def _pairs(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    sums: npt.NDArray[np.int64] = values.reshape(-1, 2).sum(axis=1)
    return sums


def _extmul(half: slice) -> Callable[[Vector, Vector], Vector]:
    return lambda a, b: _bytes(_i8(a)[half] * _i8(b)[half], "<i2")


def _relaxed_dot(a: Vector, b: Vector) -> npt.NDArray[np.int64]:
    return _pairs(_i8(a) * b.astype(np.int64))


def _shuffle(lanes: list[int]) -> Callable[[Vector, Vector], Vector]:
    return lambda a, b: np.concatenate([a, b])[lanes]


def _fold(lanes: list[int]) -> tuple[str, list[int]]:
    indices = [4 * lane + byte for lane in lanes for byte in range(4)]
    return f"i8x16.shuffle {' '.join(map(str, indices))}", indices


def _shuffles() -> Iterator[Opcode]:
    for lanes in ([0, 4, 1, 5], [2, 6, 3, 7], [0, 1, 4, 5], [2, 3, 6, 7], [2, 3, 0, 1], [1, 0, 3, 2]):
        text, indices = _fold(lanes)
        yield Opcode(text, 2, Isa.SIMD128, _shuffle(indices))


def _shift(name: str, amount: int, meaning: Callable[[Vector], Vector]) -> Opcode:
    return Opcode(f"i16x8.{name}", 1, Isa.SIMD128, meaning, last=f"(i32.const {amount})")


OPCODES: tuple[Opcode, ...] = (
    _shift("shl", 8, lambda a: _bytes(_i16(a) << 8, "<i2")),
    _shift("shr_s", 12, lambda a: _bytes(_i16(a) >> 12, "<i2")),
    _shift("shr_u", 4, lambda a: _bytes(a.view("<u2") >> np.uint16(4), "<u2")),
    Opcode("i16x8.extmul_low_i8x16_s", 2, Isa.SIMD128, _extmul(slice(0, 8))),
    Opcode("i16x8.extmul_high_i8x16_s", 2, Isa.SIMD128, _extmul(slice(8, 16))),
    Opcode("i32x4.dot_i16x8_s", 2, Isa.SIMD128, lambda a, b: _bytes(_pairs(_i16(a) * _i16(b)), "<i4")),
    Opcode("i32x4.extadd_pairwise_i16x8_s", 1, Isa.SIMD128, lambda a: _bytes(_pairs(_i16(a)), "<i4")),
    Opcode("i16x8.add", 2, Isa.SIMD128, lambda a, b: _bytes(_i16(a) + _i16(b), "<i2")),
    Opcode("i16x8.sub", 2, Isa.SIMD128, lambda a, b: _bytes(_i16(a) - _i16(b), "<i2")),
    Opcode("i8x16.sub", 2, Isa.SIMD128, lambda a, b: _bytes(_i8(a) - _i8(b), "<i1")),
    Opcode("i32x4.add", 2, Isa.SIMD128, lambda a, b: _bytes(_i32(a) + _i32(b), "<i4")),
    Opcode("i32x4.sub", 2, Isa.SIMD128, lambda a, b: _bytes(_i32(a) - _i32(b), "<i4")),
    Opcode("v128.and", 2, Isa.SIMD128, lambda a, b: a & b),
    Opcode("v128.xor", 2, Isa.SIMD128, lambda a, b: a ^ b),
    Opcode("f32x4.convert_i32x4_s", 1, Isa.SIMD128, lambda a: _bytes(_i32(a).astype(np.float32), "<f4")),
    *_shuffles(),
    Opcode(
        "i16x8.relaxed_dot_i8x16_i7x16_s",
        2,
        Isa.RELAXED,
        lambda a, b: _bytes(_relaxed_dot(a, b), "<i2"),
        seven_bit=True,
    ),
    Opcode(
        "i32x4.relaxed_dot_i8x16_i7x16_add_s",
        3,
        Isa.RELAXED,
        lambda a, b, c: _bytes(_pairs(_relaxed_dot(a, b)) + _i32(c), "<i4"),
        seven_bit=True,
    ),
)
