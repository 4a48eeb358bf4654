"""Faults in products of matrices: tiles, what is left over, scales that are not finite, panels, checks, mul_mat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from codegen.ops.gemm.bodies import Body
from codegen.ops.gemm.plan import MatrixPlan
from tools.mutants.mutant import Mutant, text

GEMV, DOT, ROLLED, WIDE, SCALAR = (
    f"gemv_q4_0_q8_0_{how}"
    for how in (
        "8x1__relaxed_u1_broadcast",
        "16x1__relaxed-dot32_u1",
        "16x1__relaxed_u1_broadcast_rolled",
        "4x1__simd128_u1",
        "4x1__scalar_u1",
    )
)
TILE, PANEL = "gemm_q4_0_q8_0_8x4__simd128_u1", "gemm_q4_0_q8_0_8x1__relaxed_u1_broadcast_output"
ROWS, MUL_MAT = "gemv_rows_q4_0_q8_0_8x1__relaxed_u1", "mul_mat_q4_0_8x1__relaxed_u1_broadcast_output"
HERE = "lib/matrix"
LESS = "(i32.lt_u (local.get $left) (i32.const {{ plan.tile.columns | length }}))"
FULL_ROWS = "(br_if $no_more (i32.lt_u (local.get $rows) (i32.const {{ plan.tile.rows }})))"
TWO = "(if (i32.ge_u (local.get $rows) (i32.const 2))"
HIGH = "(i16x8.shr_u %s (i32.const 4))"
WRONG_STRIDE = "(i32.and (i32.gt_u (local.get $nr) (i32.const 1)) (i32.lt_u (local.get $bs) (local.get $nc)))"
PAST_MANY = "(i32.add (local.get $vy) (i32.mul (local.get $y_step) (local.get $panel)))"
NEXT_RESULTS = "(local.set $s (i32.add (local.get $s) (i32.mul (local.get $bs) (local.get $panel))))"
UNIT = "(i64.const {{ plan.notice.unit }})"


def fault(name: str, kernels: str, file: str, old: str, new: str) -> Mutant:
    """A fault in a template of the matrix kernels."""
    return text(f"matrix: {name}", kernels, f"{HERE}/{file}", old, new)


def number(name: str, kernels: str, change: Callable[[MatrixPlan], MatrixPlan]) -> Mutant:
    """A fault in a plan."""
    return Mutant(f"matrix: {name}", tuple(kernels.split()), plan=change)


def last_word(**changed: int) -> Callable[[MatrixPlan], MatrixPlan]:
    """Moves the last word of activations of the tile, or what it meets."""

    def change(numbers: MatrixPlan) -> MatrixPlan:
        *steps, step = numbers.tile.steps
        *words, word = step.words
        moved = replace(word, **{name: getattr(word, name) + by for name, by in changed.items()})
        return of_tile(steps=(*steps, replace(step, words=(*words, moved))))(numbers)

    return change


def of_tile(**changed: Any) -> Callable[[MatrixPlan], MatrixPlan]:
    """Changes the function that does most, and not the others."""

    def change(numbers: MatrixPlan) -> MatrixPlan:
        tile: Body = replace(numbers.tile, **changed)
        return replace(numbers, tile=tile)

    return change


MATRIX = (
    fault("the low nibbles are masked, the high ones are not moved", GEMV, "dot16", HIGH, "%s"),
    fault("relaxed operands exchanged", f"{DOT} {ROWS}", "dot32", "(local.get {{ a }}) (local.get {{ n }}) (local.get {{ sum }})",
          "(local.get {{ n }}) (local.get {{ a }}) (local.get {{ sum }})"),
    fault("relaxed operands of i16 dots exchanged", GEMV, "dot16",
          "(i16x8.relaxed_dot_i8x16_i7x16_s (local.get {{ a }}) (local.get {{ n }})))",
          "(i16x8.relaxed_dot_i8x16_i7x16_s (local.get {{ n }}) (local.get {{ a }})))"),
    fault("i16 sums saturate", GEMV, "dot16", "(i16x8.add (local.get {{ sum }})", "(i16x8.add_sat_s (local.get {{ sum }})"),
    fault("i16 sums of rows saturate", ROWS, "dot16", "(i16x8.add\n  {{ a }}", "(i16x8.add_sat_s\n  {{ a }}"),
    fault("pairs are added unsigned", GEMV, "dot16", "extadd_pairwise_i16x8_s", "extadd_pairwise_i16x8_u"),
    fault("nibble 3 with its sign", WIDE, "dot", "(i16x8.shr_u {{ q }} (i32.const 12))", "(i16x8.shr_s {{ q }} (i32.const 12))"),
    fault("sums start from zero", GEMV, "tile", "(local.set $a {{ block.word(0, \"$y%d\" | format(c.index)) | trim }})",
          "(local.set $a (v128.const i32x4 0 0 0 0))"),
    fault("the next column's activations", TILE, "block", '"$y%d" | format(c)', '"$y0"'),
    fault("a group reads the weights of the one before", TILE, "block", "(local.set $q (v128.load offset={{ step.w }} align=1 (local.get $w{{ g }})))",
          "(local.set $q (v128.load offset={{ step.w }} align=1 (local.get $w0)))"),
    fault("scales of weights unsigned", GEMV, "block", "v128.load16x4_s", "v128.load16x4_u"),
    fault("scales of weights of the first group", DOT, "block", "(v128.load16x4_s align=1 (local.get $w{{ g }}))", "(v128.load16x4_s align=1 (local.get $w0))"),
    fault("infinite scales not noticed", GEMV, "block", "(local.set $seen\n", "(local.set $seen (i64.const 0))\n(drop\n"),
    fault("infinite scales of the last group only", DOT, "block", "(i64.or (local.get $seen)", "(i64.or (i64.const 0)"),
    fault("NaN noticed, infinity not", GEMV, "block", UNIT, "(i64.const 0x03ff03ff03ff03ff)"),
    fault("infinity not put right", GEMV, "block", "(v128.and (v128.const i32x4 0x70000000 0x70000000 0x70000000 0x70000000)",
          "(v128.and (v128.const i32x4 0 0 0 0)"),
    fault("infinite scales of rows not noticed", ROWS, "row_scales", "(i64.add (local.get $d1) (i64.const {{ plan.notice.unit }}))", "(i64.const 0)"),
    fault("two rows' scales exchanged", ROWS, "row_scales", "packed(quad[2], quad[3])", "packed(quad[3], quad[2])"),
    fault("rows folded in another order", ROWS, "rows", "[0, 1, 4, 5], [2, 3, 6, 7]", "[0, 1, 6, 7], [2, 3, 4, 5]"),
    fault("missing rows read on", ROWS, "rows", "(i32.gt_u (local.get $rows) (i32.const {{ row.number }}))", "(i32.const 1)"),
    fault("all of four rows stored", GEMV, "block", "(if (i32.ge_u (local.get $rows) (i32.const 4))", "(if (i32.const 1)"),
    fault("the second of left-over rows not stored", GEMV, "block", TWO, "(if (i32.const 0)"),
    fault("columns of results next to each other", TILE, "block", "(local.set $s (i32.add (local.get $s) (local.get $bs)))",
          "(local.set $s (i32.add (local.get $s) (i32.const 4)))"),
    fault("steps go on from where they ended", ROLLED, "tile", "{{ move(body, -plan.steps_w, -plan.steps_y) | trim }}", "{{ move(body, -plan.steps_w, -plan.step_y) | trim }}"),
    fault("a tile of columns where too few are left", TILE, "walk", LESS, "(i32.eqz (local.get $left))"),
    fault("rows that fill no tile left out", GEMV, "walk", "(if (local.get $rows)", "(if (i32.const 0)"),
    fault("a tile of rows where too few are left", GEMV, "walk", FULL_ROWS, "(br_if $no_more (i32.eqz (local.get $rows)))"),
    fault("once more without the last column", GEMV, "walk", "(i32.const {{ plan.tile.rows }}) (local.get $columns))", "(i32.const {{ plan.tile.rows }}) (i32.const 1))"),
    fault("totals not cleared", PANEL, "walk", "(v128.const i32x4 0 0 0 0))", "(v128.load offset={{ g.result }} align=1 (local.get $to)))"),
    fault("a panel's last column left out", PANEL, "panel", "(br_if $column (local.tee $left (i32.sub (local.get $left) (i32.const 1))))",
          "(br_if $column (i32.gt_u (local.tee $left (i32.sub (local.get $left) (i32.const 1))) (i32.const 1)))"),
    fault("bs not checked", GEMV, "checks", WRONG_STRIDE, "(i32.const 0)"),
    fault("bs checked where there is one column", GEMV, "checks", WRONG_STRIDE, "(i32.le_u (local.get $bs) (local.get $nc))"),
    fault("n not checked", GEMV, "checks", "(i32.and (local.get $n) (i32.const {{ plan.refused }}))", "(i32.const 0)"),
    fault("negative counts not refused", GEMV, "checks", "(i32.const 0x80000000)", "(i32.const 0)"),
    fault("no rows is not nothing", GEMV, "checks", "(i32.or (i32.eqz (local.get $nr)) (i32.eqz (local.get $nc)))", "(i32.eqz (local.get $nr))"),
    fault("a group of rows less in the range of weights", GEMV, "checks", "(i32.add (local.get $nc) (i32.const 3))", "(local.get $nc)"),
    fault("scalar: a nibble with bits of the next", SCALAR, "scalar", "(i32.const 15)", "(i32.const 31)"),
    fault("scalar: infinity not put right", SCALAR, "scalar", "(i32.const 0x70000000)", "(i32.const 0)"),
    fault("scalar: left-over rows stored", SCALAR, "scalar", "(i32.gt_u (local.get $rows) (i32.const {{ row.lane }}))", "(i32.const 1)"),
    text("matrix: the second panel's activations are the first's", PANEL, "gemm_q4_0_q8_0", PAST_MANY, "(local.get $vy)"),
    text("matrix: the second panel's results go to the first's", PANEL, "gemm_q4_0_q8_0", NEXT_RESULTS, ""),
    text("matrix: results may overlap activations", GEMV, "gemm_q4_0_q8_0", '{{ ranges.apart("$s", "$vy") | trim }}', ""),
    text("mul_mat: columns of activations next to each other", MUL_MAT, "mul_mat_q4_0",
         "(local.set $vy (i32.add (local.get $vy) (local.get $by)))", "(local.set $vy (i32.add (local.get $vy) (i32.shl (local.get $n) (i32.const 2))))"),
    text("mul_mat: scratch memory of all columns", MUL_MAT, "mul_mat_q4_0", 'checks.blocks_of("$panel")', 'checks.blocks_of("$nr")'),
    text("mul_mat: the second panel's results go to the first's", MUL_MAT, "mul_mat_q4_0", NEXT_RESULTS, ""),
    text("mul_mat: ranges may overlap", MUL_MAT, "mul_mat_q4_0", "{{ ranges.apart(a, b) | trim }}", ""),
    number("the last word of activations beside its place", f"{TILE} {PANEL} {ROWS}", last_word(y=4)),
    number("the last word meets the other nibbles", f"{DOT} {PANEL}", last_word(part=-1)),
    number("a block of weights is a row's", GEMV, lambda numbers: replace(numbers, group_bytes=numbers.group_bytes - 18)),
    number("results of a tile are a group's", GEMV, lambda numbers: replace(numbers, tile_result=numbers.group_result)),
)
