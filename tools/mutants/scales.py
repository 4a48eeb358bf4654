"""Faults in the conversion of scales."""

from __future__ import annotations

from dataclasses import replace

from tools.mutants.mutant import FRAME, SCALES, Mutant, number, text

EXACT_OR = """(i32.or
        (local.tee $h
          (i32.and
            (i32.shl {{ bits }} (i32.const 13))
            (i32.const 0x8fffe000)))
        (i32.const 0x70000000))"""

SCALE_FAULTS: tuple[Mutant, ...] = (
    text(
        "scales a rounding off",
        "scalar_u1 relaxed_u1",
        SCALES,
        "(f32.const {{ power_of_two(exponent) }}))",
        "(f32.const 0x1.000002p{{ exponent }}))",
    ),
    text(
        "subnormals flushed",
        "scalar_u1",
        SCALES,
        "(i32.const 0x8fffe000)))",
        "(select (i32.const 0x8fffe000) (i32.const 0x80000000) (i32.and {{ bits }} (i32.const 0x7c00)))))",
    ),
    text(
        "infinity read as 65536", "scalar_u1 relaxed_u1", SCALES, "(i32.const 0x70000000))", "(i32.const 0))"
    ),
    text(
        "NaN read as infinity", "scalar_u1", SCALES, EXACT_OR, f"(i32.and (i32.const 0xff800000) {EXACT_OR})"
    ),
    text("a scale's sign lost", "scalar_u1", SCALES, "0x8fffe000", "0x0fffe000"),
    text(
        "the exact loop starts in the middle of y",
        "relaxed_u4",
        FRAME,
        "        (local.set $y (local.get $vy))))",
        "        ))",
    ),
    number("a scale's factor off by one", "scalar_u1", lambda p: replace(p, x_exponent=p.x_exponent + 1)),
    number(
        "dot: the weights' factor of 2^12 left in",
        "simd128_u4 simd128-widen_u4_overflow",
        lambda p: replace(p, y_exponent=p.y_exponent + 12),
    ),
)
