"""Faults in the integer products and sums of a block."""

from __future__ import annotations

from tools.mutants.mutant import (
    DOT16,
    DOT32,
    EXTMUL,
    GROUP,
    LOADS,
    MUL,
    SUMS,
    Mutant,
    constant,
    number,
    text,
)

DOTS = "i16x8.relaxed_dot_i8x16_i7x16_s"

PRODUCTS: tuple[Mutant, ...] = (
    text(
        "relaxed dot's operands swapped",
        "relaxed_u4",
        DOT16,
        "(local.tee $y0 {{ loads.low_activations(b) | trim }})\n        {{ loads.low_nibbles() | trim }}",
        "{{ loads.low_nibbles() | trim }}\n        (local.tee $y0 {{ loads.low_activations(b) | trim }})",
    ),
    text(
        "accumulating relaxed dot's operands swapped",
        "relaxed-dot32_u4",
        DOT32,
        "(local.get $y1)\n      {{ loads.high_nibbles() | trim }}",
        "{{ loads.high_nibbles() | trim }}\n      (local.get $y1)",
    ),
    text(
        "accumulator of the relaxed dot dropped",
        "relaxed-dot32_u4",
        DOT32,
        "(i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $y0)\n        {{ loads.low_nibbles() | trim }}\n"
        "        (v128.const i32x4 0 0 0 0))",
        "(v128.const i32x4 0 0 0 0)",
    ),
    number("zero point dropped", "relaxed_u4 relaxed-dot32_u4", constant("eights", "8", "0")),
    number("zero point applied twice", "relaxed_u4 relaxed-dot32_u4", constant("eights", "8", "16")),
    text(
        "zero point of one half applied to the other",
        "relaxed_u4",
        DOT16,
        f"({DOTS} (local.get $y1) (local.get $eights))",
        f"({DOTS} (local.get $y0) (local.get $eights))",
    ),
    text("zero point added instead of taken off", "relaxed_u4", DOT16, "(i16x8.sub", "(i16x8.add"),
    text(
        "high nibble for low",
        "relaxed_u4",
        DOT16,
        "{{ loads.low_nibbles() | trim }}",
        "{{ loads.high_nibbles() | trim }}",
    ),
    text(
        "low and high nibbles exchanged",
        "simd128-extmul_u4 relaxed_u4",
        LOADS,
        "(v128.and (local.get $q) (local.get $low4))",
        "(v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4))",
    ),
    text(
        "high nibbles not masked",
        "relaxed_u4",
        LOADS,
        "(v128.and (i16x8.shr_u (local.get $q) (i32.const 4)) (local.get $low4))",
        "(i16x8.shr_u (local.get $q) (i32.const 4))",
    ),
    text(
        "-128 clipped to -127",
        "relaxed_u4 simd128-extmul_u4",
        LOADS,
        "(v128.load offset={{ b.y_high }} align=1 (local.get $y))",
        "(i8x16.max_s (v128.load offset={{ b.y_high }} align=1 (local.get $y)) (i8x16.splat (i32.const -127)))",
    ),
    text(
        "extmul high for low",
        "simd128-extmul_u4",
        EXTMUL,
        "(i16x8.extmul_low_i8x16_s {{ loads.high",
        "(i16x8.extmul_high_i8x16_s {{ loads.high",
    ),
    text(
        "extmul unsigned",
        "simd128-extmul_u4",
        EXTMUL,
        "(i16x8.extmul_low_i8x16_s {{ loads.low",
        "(i16x8.extmul_low_i8x16_u {{ loads.low",
    ),
    text(
        "weights of one half with activations of the other",
        "simd128-extmul_u4",
        EXTMUL,
        "(i16x8.extmul_high_i8x16_s {{ loads.high_activations(b) | trim }} (local.get $w1))",
        "(i16x8.extmul_high_i8x16_s {{ loads.low_activations(b) | trim }} (local.get $w1))",
    ),
    text(
        "article: lanes extracted unsigned",
        "simd128-article_u1",
        SUMS,
        "(i16x8.extract_lane_s 7",
        "(i16x8.extract_lane_u 7",
    ),
    text(
        "article: a lane extracted twice",
        "simd128-article_u1",
        SUMS,
        "(i16x8.extract_lane_s 6",
        "(i16x8.extract_lane_s 7",
    ),
    text(
        "scalar: activations loaded unsigned",
        "scalar_u1",
        MUL,
        "(i32.const 28)) (i32.load8_s offset={{ nibble.y }} (local.get $y)))\n;;%- else",
        "(i32.const 28)) (i32.load8_u offset={{ nibble.y }} (local.get $y)))\n;;%- else",
    ),
    text("scalar: a nibble's sign not flipped", "scalar_u1", MUL, "0x88888888", "0x88888880"),
    text(
        "scalar: a sum carried over from the last block",
        "scalar_u1",
        MUL,
        "loop.index0 < 2",
        "loop.index0 < 1",
    ),
    text(
        "scalar: nibbles shifted in unsigned",
        "scalar_u1",
        MUL,
        "(i32.shr_s (local.get $w)",
        "(i32.shr_u (local.get $w)",
    ),
    text(
        "i16 sums widened too late",
        "relaxed_u1 simd128-extmul_u1",
        SUMS,
        "(i32x4.extadd_pairwise_i16x8_s\n  {{ v | indent(2) }})",
        "(i32x4.extend_low_i16x8_s (i16x8.add {{ v }} (i8x16.shuffle 2 3 2 3 6 7 6 7 10 11 10 11 14 15 14 15"
        " {{ v }} {{ v }})))",
    ),
    text(
        "widened unsigned",
        "relaxed_u4",
        SUMS,
        "i32x4.extadd_pairwise_i16x8_s",
        "i32x4.extadd_pairwise_i16x8_u",
    ),
    text("sums converted unsigned", "relaxed_u4", GROUP, "f32x4.convert_i32x4_s", "f32x4.convert_i32x4_u"),
)
