"""Faults against the contract: what a module is made of, what it ignores, and rounding that is not promised."""

from __future__ import annotations

from tools.mutants.mutant import FRAME, GROUP, Mutant, text

ADVANCE = "(local.set $x (ptr.add (local.get $x) (ptr.const {{ x_step }})))"
TERM = "(f32x4.mul (f32x4.convert_i32x4_s (local.get $p0)) (local.get $d))"
ACCUMULATE = f"(f32x4.add (local.get $acc{{{{ g.accumulator }}}})\n    {TERM})"

CONTRACT: tuple[Mutant, ...] = (
    text(
        "terms rounded twice",
        "relaxed_u4 simd128_u2",
        GROUP,
        TERM,
        "(f32x4.mul (f32x4.mul (f32x4.convert_i32x4_s (local.get $p0))"
        " (f32x4.mul (local.get $d) (v128.const f32x4 3 3 3 3))) (v128.const f32x4 0x1.555556p-2 0x1.555556p-2"
        " 0x1.555556p-2 0x1.555556p-2))",
    ),
    text(
        "multiplication and addition fused where the engine likes",
        "relaxed_u4",
        GROUP,
        ACCUMULATE,
        "(f32x4.relaxed_madd (f32x4.convert_i32x4_s (local.get $p0)) (local.get $d)"
        " (local.get $acc{{ g.accumulator }}))",
    ),
    text(
        "a relaxed opcode in a strict kernel",
        "simd128_u4",
        FRAME,
        "    ;; the result",
        "    (drop (i16x8.relaxed_q15mulr_s (v128.const i64x2 0 0) (v128.const i64x2 0 0)))\n    ;; the result",
    ),
    text(
        "SIMD in a scalar kernel",
        "scalar_u1",
        FRAME,
        "    ;; the result",
        "    (drop (v128.const i64x2 0 0))\n    ;; the result",
    ),
    text(
        "an export too many",
        "scalar_u1",
        FRAME,
        '  (func ${{ plan.spec.export }} (export',
        '  (func (export "helper"))\n  (func ${{ plan.spec.export }} (export',
    ),
    text("n beyond 16 bits cut off", "scalar_u1", FRAME,
         '"(i32.div_u (local.get $n) (i32.const %d))" | format(plan.x.elements)',
         '"(i32.div_u (i32.and (local.get $n) (i32.const 0xffff)) (i32.const %d))" | format(plan.x.elements)'),
    text("nrc beyond 8 bits cut off", "scalar_u1", FRAME, "(i32.xor (local.get $nrc) (i32.const 1))",
         "(i32.xor (i32.and (local.get $nrc) (i32.const 255)) (i32.const 1))"),
    text("bx not ignored", "relaxed_u4", FRAME, "(local.set $x (local.get $vx))",
         "(local.set $x (ptr.add (local.get $vx) (local.get $bx)))"),
    text("the unrolled loop reads ahead", "relaxed_u4", FRAME, ADVANCE,
         f"{ADVANCE} (drop (i32.load8_u (local.get $x)))"),
    text("reads the byte before x", "relaxed_u4", FRAME, "(local.set $y (local.get $vy))",
         "(local.set $y (local.get $vy)) (drop (i32.load8_u (ptr.sub (local.get $vx) (ptr.const 1))))"),
    text("end of the row compared as an order", "scalar_u1", FRAME, "(br_if $single (ptr.ne (local.get $x)",
         "(br_if $single (ptr.lt_u (local.get $x)"),
    text("entry to a loop compared as an order", "scalar_u1", FRAME, "(if (ptr.ne (local.get $x) (local.get $end))",
         "(if (ptr.lt_u (local.get $x) (local.get $end))"),
    text("a partial result stored in the loop", "scalar_u1", FRAME, ADVANCE,
         f"(f32.store align=1 (local.get $s) (f32.const 1)) {ADVANCE}"),
    text("writes to memory that is the host's", "scalar_u1", FRAME, "    ;; the contract:",
         "    (i32.store8 (i32.const 0) (i32.const 0))\n    ;; the contract:"),
)  # fmt: skip
