"""Faults in the conversion of scales."""

from __future__ import annotations

from dataclasses import replace

from tools.mutants.mutant import FRAME, SCALES, VECTORS, Mutant, number, text

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
    text("a packed scale's sign lost", "relaxed_u4", VECTORS, "0x8fffe0008fffe000", "0x0fffe0008fffe000"),
    text(
        "a fraction bit of packed scales lost",
        "relaxed_u4",
        VECTORS,
        "0x8fffe0008fffe000",
        "0x8fffe0008fffc000",
    ),
    text(
        "infinity not noticed in the first pair",
        "relaxed_u4",
        VECTORS,
        '{{ exponent_31("$x01") | trim }}\n    {{ exponent_31("$x23") | trim }}',
        '{{ exponent_31("$x23") | trim }}\n    {{ exponent_31("$x23") | trim }}',
    ),
    text(
        "infinity not noticed in activations",
        "relaxed_u4",
        VECTORS,
        '{{ exponent_31("$y01") | trim }}\n    {{ exponent_31("$y23") | trim }}',
        '{{ exponent_31("$x01") | trim }}\n    {{ exponent_31("$x23") | trim }}',
    ),
    text(
        "infinity not noticed in a pair's activations",
        "relaxed_u2",
        VECTORS,
        '{{ exponent_31("$x01") | trim }}\n  {{ exponent_31("$y01") | trim }}',
        '{{ exponent_31("$x01") | trim }}\n  {{ exponent_31("$x01") | trim }}',
    ),
    text(
        "infinity forgotten after a turn",
        "relaxed_u4",
        VECTORS,
        "(i64.or (local.get $seen)\n    {{ any_exponent_31(g.size) | trim | indent(4) }})",
        "{{ any_exponent_31(g.size) | trim | indent(2) }}",
    ),
    text(
        "the exact loop starts in the middle of y",
        "relaxed_u4",
        FRAME,
        "        (local.set $y (local.get $vy))))",
        "        ))",
    ),
    text(
        "scale of the wrong block",
        "relaxed_u4",
        VECTORS,
        "pair[0].x_scale, pair[1].x_scale",
        "pair[0].x_scale, pair[0].x_scale",
    ),
    text(
        "scales of two blocks exchanged",
        "relaxed_u4",
        VECTORS,
        "pair[0].y_scale, pair[1].y_scale",
        "pair[1].y_scale, pair[0].y_scale",
    ),
    text(
        "a pair's unused lanes counted",
        "relaxed_u2",
        VECTORS,
        '"0 0" if size == 2',
        '"0x1p+127 0x1p+127" if size == 2',
    ),
    number("a scale's factor off by one", "scalar_u1", lambda p: replace(p, x_exponent=p.x_exponent + 1)),
    number(
        "dot: the activations' factor of 2^8 left in",
        "simd128_u4",
        lambda p: replace(p, y_exponent=p.y_exponent + 8),
    ),
    text(
        "table indexed by words of two bytes",
        "relaxed_u4_table",
        SCALES,
        "align=1 (local.get {{ pointer }})) (i32.const 2))",
        "align=1 (local.get {{ pointer }})) (i32.const 1))",
    ),
    text(
        "table's last entry not filled", "relaxed_u4_table", SCALES, "(i32.const 65536)", "(i32.const 65535)"
    ),
    text(
        "table sought at 0",
        "relaxed_u4_table_import",
        SCALES,
        "(i32.add (local.get $table) {{ index | trim }})",
        "{{ index | trim }}",
    ),
    text(
        "table's lanes in the wrong order",
        "relaxed_u4_table",
        VECTORS,
        "loop.index0, lanes.v",
        "4 - loop.index0, lanes.v",
    ),
)
