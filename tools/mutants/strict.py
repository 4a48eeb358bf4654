"""Faults in products of strict SIMD that put nibbles at the top of i16 lanes."""

from __future__ import annotations

from dataclasses import replace

from tools.mutants.mutant import DOT, LOADS, SWIZZLE, WIDEN, Mutant, constant, last_block, number, text

STRICT: tuple[Mutant, ...] = (
    text(
        "dot: bytes of a lane not exchanged",
        "simd128_u4",
        DOT,
        "i8x16.shuffle 1 0 3 2",
        "i8x16.shuffle 0 1 3 2",
    ),
    text(
        "swizzle: exchanged bytes not used",
        "simd128-swizzle_u4",
        SWIZZLE,
        "(i8x16.swizzle (local.get $q) (local.get $exchange))",
        "(local.get $q)",
    ),
    text(
        "dot: a nibble shifted too far",
        "simd128_u4 simd128-swizzle_u4",
        DOT,
        "(i16x8.shl (local.get $q) (i32.const 12))",
        "(i16x8.shl (local.get $q) (i32.const 13))",
    ),
    text(
        "dot: activations shifted in unsigned",
        "simd128_u4",
        LOADS,
        "(i16x8.shr_s (v128.load offset={{ offset }}",
        "(i16x8.shr_u (v128.load offset={{ offset }}",
    ),
    number(
        "dot: even activations taken for odd ones",
        "simd128_u4",
        last_block(lambda b: replace(b, y_low_before=b.y_low)),
    ),
    number(
        "dot: the high half's even activations taken from the low half",
        "simd128_u4",
        last_block(lambda b: replace(b, y_high_before=b.y_low_before)),
    ),
    number("dot: a bit of the top nibble masked off", "simd128_u4", constant("top", "0xf000", "0xe000")),
    number("dot: high nibbles' sign not flipped", "simd128_u4", constant("signs", "0x88", "0x08")),
    text(
        "widen: activations unsigned",
        "simd128-widen_u4",
        WIDEN,
        "v128.load8x8_s",
        "v128.load8x8_u",
    ),
    text(
        "widen: the second eight weights taken for the first",
        "simd128-widen_u4",
        WIDEN,
        "(i8x16.swizzle (local.get $q) (local.get $spread1))",
        "(i8x16.swizzle (local.get $q) (local.get $spread0))",
    ),
    number("widen: a byte out of its place", "simd128-widen_u4", constant("spread1", "15", "14")),
)
