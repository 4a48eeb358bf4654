"""Faults in loops, accumulators, addresses and the contract."""

from __future__ import annotations

from dataclasses import replace

from tools.mutants.mutant import FRAME, GROUP, SUMS, Mutant, last_block, number, tail, text

LOOPS: tuple[Mutant, ...] = (
    text(
        "tail lost",
        "relaxed_u4 scalar_u2",
        FRAME,
        "(if (ptr.ne (local.get $x) (local.get $end))",
        "(if (i32.const 0)",
    ),
    text(
        "last block read twice",
        "relaxed_u4",
        FRAME,
        "    (if (ptr.ne (local.get $x) (local.get $end))",
        "    (local.set $x (ptr.sub (local.get $x) (ptr.const 18)))\n"
        "    (local.set $y (ptr.sub (local.get $y) (ptr.const 34)))\n"
        "    (if (ptr.ne (local.get $x) (local.get $end))",
    ),
    text(
        "one block too many",
        "relaxed_u4",
        FRAME,
        "(local.set $end\n      (ptr.add (local.get $x)",
        "(local.set $end\n      (ptr.add (ptr.add (local.get $x) (ptr.const 18))",
    ),
    text(
        "accumulator dropped",
        "relaxed_u8_a2",
        SUMS,
        "(local.set $total (f32x4.add (local.get $total) (local.get $acc{{ a }})))",
        "(nop)",
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
        "(f32x4.extract_lane 3 (local.get $total))",
        "(f32x4.extract_lane 2 (local.get $total))",
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
        "(local.set $y (ptr.add (local.get $y) (ptr.const {{ y_step }})))",
        "(local.set $y (ptr.add (local.get $y) (ptr.const {{ y_step }}))) (drop (i32.load8_u (local.get $y)))",
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
        "(i32.and (local.get $n) (i32.const {{ plan.not_whole_blocks }}))",
        "(i32.const 0)",
    ),
    text("negative n accepted", "scalar_u1", FRAME, "{{ plan.not_whole_blocks }}", "0x0000001f"),
    text("nrc not checked", "relaxed_u4", FRAME, "(i32.xor (local.get $nrc) (i32.const 1))", "(i32.const 0)"),
    text(
        "addresses compared as signed",
        "relaxed_u4",
        FRAME,
        "(br_if $single (ptr.ne (local.get $x)",
        "(br_if $single (ptr.lt_s (local.get $x)",
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
