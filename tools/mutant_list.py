"""The faults that tools/mutants.py puts in: kinds that peers have shipped, and kinds that these templates invite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from codegen.plan import Block, Group, Plan


@dataclass(frozen=True)
class Mutant:
    """One fault: text replaced once in a template, or numbers changed in a plan, and the kernels that have it."""

    name: str
    kernels: tuple[str, ...]
    file: str = ""
    old: str = ""
    new: str = ""
    plan: Callable[[Plan], Plan] | None = None


def text(name: str, kernels: str, file: str, old: str, new: str) -> Mutant:
    """A fault in a template."""
    return Mutant(name, tuple(kernels.split()), f"{file}.wat.j2", old, new)


def number(name: str, kernels: str, change: Callable[[Plan], Plan]) -> Mutant:
    """A fault in a plan."""
    return Mutant(name, tuple(kernels.split()), plan=change)


def last_block(change: Callable[[Block], Block]) -> Callable[[Plan], Plan]:
    """Changes the last block of the unrolled loop."""

    def changed(numbers: Plan) -> Plan:
        *groups, group = numbers.groups
        blocks = (*group.blocks[:-1], change(group.blocks[-1]))
        return replace(numbers, groups=(*groups, replace(group, blocks=blocks)))

    return changed


def constant(name: str, value: str) -> Callable[[Plan], Plan]:
    """Changes a constant vector."""
    return lambda numbers: replace(
        numbers, constants=tuple(replace(c, value=value) if c.name == name else c for c in numbers.constants)
    )


def tail(change: Callable[[Block], Block]) -> Callable[[Plan], Plan]:
    """Changes the block of the loop that the unrolled one leaves the rest to."""
    return lambda numbers: replace(numbers, last=Group((change(numbers.last.blocks[0]),), accumulator=0))


FRAME, SCALES, VECTORS, SUMS = "vec_dot_q4_0_q8_0", "lib/scales", "lib/scale_vectors", "lib/sums"
LOADS, MUL, DOT, DOT16, DOT32 = (f"lib/product/{n}" for n in ("loads", "mul", "dot", "dot16", "dot32"))
EXTMUL, ARTICLE, GROUP = "lib/product/extmul", "lib/product/article", "lib/group"

EXACT_OR = """(i32.or
        (local.tee $h
          (i32.and
            (i32.shl {{ bits }} (i32.const 13))
            (i32.const 0x8fffe000)))
        (i32.const 0x70000000))"""
DOTS = "i16x8.relaxed_dot_i8x16_i7x16_s"

MUTANTS: tuple[Mutant, ...] = (
    # Integer products
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
    number("zero point dropped", "relaxed_u4 relaxed-dot32_u4", constant("eights", "0")),
    number("zero point applied twice", "relaxed_u4 relaxed-dot32_u4", constant("eights", "16")),
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
        "dot: nibbles shifted in unsigned",
        "simd128_u4",
        DOT,
        "(i16x8.shr_s (i16x8.shl",
        "(i16x8.shr_u (i16x8.shl",
    ),
    text(
        "dot: even and odd activations exchanged",
        "simd128_u4",
        DOT,
        '{{ odd("$y0") | trim }}',
        '{{ even("$y0") | trim }}',
    ),
    number("dot: a bit of the odd activations masked off", "simd128_u4", constant("odd", "0xfe00")),
    number("dot: high nibbles' sign not flipped", "simd128_u4", constant("signs", "0x08")),
    text(
        "dot: activations shifted by seven",
        "simd128_u4",
        DOT,
        "(i16x8.shl (local.get {{ y }}) (i32.const 8))",
        "(i16x8.shl (local.get {{ y }}) (i32.const 7))",
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
    # Integer sums
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
    text(
        "fold takes a lane twice",
        "relaxed_u4 simd128_u4",
        SUMS,
        'fold("$p2", "$p3", [0, 4, 1, 5], [2, 6, 3, 7])',
        'fold("$p2", "$p3", [0, 4, 1, 5], [2, 6, 3, 6])',
    ),
    text(
        "fold exchanges two blocks",
        "relaxed_u4",
        SUMS,
        'fold("$p0", "$p1", [0, 4, 1, 5], [2, 6, 3, 7])',
        'fold("$p1", "$p0", [0, 4, 1, 5], [2, 6, 3, 7])',
    ),
    text(
        "a pair's sum not added to itself",
        "relaxed_u2",
        SUMS,
        'rotate_add("$p0", [2, 3, 0, 1]) | trim) | trim | indent(2)',
        'rotate_add("$p0", [0, 1, 2, 3]) | trim) | trim | indent(2)',
    ),
    text("sums converted unsigned", "relaxed_u4", GROUP, "f32x4.convert_i32x4_s", "f32x4.convert_i32x4_u"),
    # Scales
    text(
        "scales a rounding off",
        "scalar_u1 relaxed_u1",
        SCALES,
        "(f32.const 0x1p+{{ factor }}))",
        "(f32.const 0x1.000002p+{{ factor }}))",
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
    number("a scale's factor off by one", "scalar_u1", lambda p: replace(p, x_factor=p.x_factor + 1)),
    number(
        "dot: the activations' factor of 2^8 left in",
        "simd128_u4",
        lambda p: replace(p, y_factor=p.y_factor + 8),
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
    # Loops and memory
    text(
        "tail lost",
        "relaxed_u4 scalar_u2",
        FRAME,
        "(if (i32.ne (local.get $x) (local.get $end))",
        "(if (i32.const 0)",
    ),
    text(
        "last block read twice",
        "relaxed_u4",
        FRAME,
        "    (if (i32.ne (local.get $x) (local.get $end))",
        "    (local.set $x (i32.sub (local.get $x) (i32.const 18)))\n"
        "    (local.set $y (i32.sub (local.get $y) (i32.const 34)))\n"
        "    (if (i32.ne (local.get $x) (local.get $end))",
    ),
    text(
        "one block too many",
        "relaxed_u4",
        FRAME,
        "(local.set $end\n      (i32.add (local.get $x)",
        "(local.set $end\n      (i32.add (i32.add (local.get $x) (i32.const 18))",
    ),
    text(
        "accumulator dropped",
        "relaxed_u8_a2",
        SUMS,
        '"(f32x4.add %s (local.get $acc%d))" | format(sum.v, a) if sum.v',
        "sum.v if sum.v",
    ),
    text(
        "accumulator counted with the wrong sign",
        "relaxed_u4",
        GROUP,
        "(f32x4.add (local.get $acc",
        "(f32x4.sub (local.get $acc",
    ),
    text(
        "accumulator reset each turn",
        "relaxed_u4",
        GROUP,
        "(f32x4.add (local.get $acc{{ g.accumulator }})",
        "(f32x4.add (v128.const i32x4 0 0 0 0)",
    ),
    text(
        "a lane of the result lost",
        "relaxed_u4",
        SUMS,
        "(f32x4.extract_lane 3 (local.get $d))",
        "(f32x4.extract_lane 2 (local.get $d))",
    ),
    number(
        "activations' low half read twice",
        "relaxed_u4 simd128_u4",
        last_block(lambda b: replace(b, y_high=b.y_low)),
    ),
    number("an offset off by one", "relaxed_u4", last_block(lambda b: replace(b, x_quants=b.x_quants + 1))),
    number(
        "an activation offset off by one", "simd128_u4", last_block(lambda b: replace(b, y_low=b.y_low - 1))
    ),
    number(
        "a block's offset that of its neighbour",
        "relaxed_u4",
        last_block(lambda b: replace(b, x_quants=b.x_quants - 18)),
    ),
    number(
        "the tail reads the next block's scale",
        "relaxed_u4",
        tail(lambda b: replace(b, y_scale=b.y_scale + 34)),
    ),
    number("a turn steps one block too far in y", "relaxed_u4", lambda p: replace(p, y_step=p.y_step + 34)),
    number("a turn steps past the end of x", "relaxed_u4", lambda p: replace(p, x_step=p.x_step + 18)),
    number("leftover blocks floored away", "relaxed_u4", lambda p: replace(p, elements=p.elements // 2)),
    text(
        "read past the end",
        "relaxed_u4 scalar_u1",
        FRAME,
        "(local.set $y (i32.add (local.get $y) (i32.const {{ y_step }})))",
        "(local.set $y (i32.add (local.get $y) (i32.const {{ y_step }}))) (drop (i32.load8_u (local.get $y)))",
    ),
    text(
        "write past the end",
        "relaxed_u4",
        FRAME,
        "(f32.store align=1 (local.get $s)",
        "(f32.store offset=4 align=1 (local.get $s) (f32.const 1))\n    (f32.store align=1 (local.get $s)",
    ),
    text(
        "write before the blocks are checked",
        "relaxed_u4",
        FRAME,
        "    ;; the contract:",
        "    (f32.store align=1 (local.get $s) (f32.const 0))\n    ;; the contract:",
    ),
    text(
        "n not checked",
        "relaxed_u4",
        FRAME,
        "(i32.and (local.get $n) (i32.const {{ not_whole_blocks }}))",
        "(i32.const 0)",
    ),
    text("negative n accepted", "scalar_u1", FRAME, "{{ not_whole_blocks }}", "0x0000001f"),
    text("nrc not checked", "relaxed_u4", FRAME, "(i32.xor (local.get $nrc) (i32.const 1))", "(i32.const 0)"),
    text(
        "addresses compared as signed",
        "relaxed_u4",
        FRAME,
        "(br_if $single (i32.ne (local.get $x)",
        "(br_if $single (i32.lt_s (local.get $x)",
    ),
    text(
        "result not stored",
        "scalar_u1",
        FRAME,
        "(f32.store align=1 (local.get $s)",
        "(f32.store align=1 (i32.const 0)",
    ),
    text(
        "scalar sums left out of the result",
        "relaxed_u4",
        SUMS,
        '"(f32.add\\n  %s\\n  (local.get $sum%d))" | format(sum.v | indent(2), a) if sum.v',
        "sum.v if sum.v",
    ),
)
