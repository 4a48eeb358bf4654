"""Faults in what matrix kernels read: prepared activations, and interleaved weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from codegen.ops.quantize_mat.plan import ColumnPlan, Part
from codegen.ops.repack.plan import RepackPlan
from tools.mutants.mutant import Mutant, text

FRAME, REPACK = "quantize_mat_q8_0", "repack_q4_0"
STORES, SCALAR, WIDENED = (
    "lib/quantize/stores/record",
    "lib/quantize/scalar_stores/record",
    "lib/quantize/widened",
)
BROADCAST, COMPACT = "lib/quantize/stores/broadcast", "lib/quantize/stores/compact"
ROW, GROUP, TRANSPOSE, RANGES = "lib/repack/row", "lib/repack/group", "lib/transpose", "lib/ranges"

NOT_FINITE = "(i32x4.gt_s (local.get $h) (v128.const i32x4 0x7bff 0x7bff 0x7bff 0x7bff))"
FRACTION = "(i32x4.shl (local.get $h) (i32.const 13))\n        (v128.const"
SUMS = "(i16x8.add (i16x8.extadd_pairwise_i8x16_s (local.get $q0)) (i16x8.extadd_pairwise_i8x16_s (local.get $q1)))"
NEXT_COLUMN = "(local.set $vx (ptr.add (local.get $vx) (local.get $bx)))"
APART = '{{ ranges.apart("$s", "$vx") | trim | indent(4) }}'
ONE_LESS = "(i64.extend_i32_u (i32.sub (local.get {{ count }}) (i32.const 1)))"
RECORDS = "(i64.mul (i64.extend_i32_u (local.get $blocks)) (i64.extend_i32_u (local.get $nr)))"
GROUPS = (
    "(i64.mul (i64.extend_i32_u (i32.shr_u (local.get $rows) (i32.const %d)))"
    " (i64.extend_i32_u (local.get $blocks)))"
)
LAST_ROWS = "(i32.lt_u (local.get $row) (local.get $nc))"
FULL = "(i32.lt_u (i32.sub (local.get $nc) (local.get $row)) (i32.const {{ plan.group_rows }}))"


def fault(name: str, kernels: str, file: str, old: str, new: str, of: str = FRAME) -> Mutant:
    """A fault in a template."""
    made = text(f"{'prepare' if of == FRAME else 'repack'}: {name}", kernels, file, old, new)
    return replace(made, kernels=tuple(f"{of}__{kernel}" for kernel in made.kernels))


def number(name: str, kernels: str, change: Callable[[ColumnPlan], ColumnPlan]) -> Mutant:
    """A fault in a plan of quantize_mat."""
    return Mutant(f"prepare: {name}", tuple(f"{FRAME}__{k}" for k in kernels.split()), plan=change)


def packed(name: str, kernels: str, change: Callable[[RepackPlan], RepackPlan]) -> Mutant:
    """A fault in a plan of repack."""
    return Mutant(f"repack: {name}", tuple(f"{REPACK}__{k}" for k in kernels.split()), plan=change)


def parts(change: Callable[[Part], Any]) -> Callable[[ColumnPlan], ColumnPlan]:
    """Changes the last part of the last block of a turn."""

    def changed(plan: ColumnPlan) -> ColumnPlan:
        *blocks, (*others, last) = plan.parts
        return replace(plan, parts=(*blocks, (*others, change(last))))

    return changed


def last_word_of_row(plan: RepackPlan) -> RepackPlan:
    """A word of nibbles in the place of the one before."""
    *others, last = plan.words
    return replace(plan, words=(*others, replace(last, to=last.to - 16)))


def times_two(plan: ColumnPlan) -> ColumnPlan:
    """Scales that are half of what they should be."""
    return replace(plan, half_exponent=plan.half_exponent - 1)


PREPARE: tuple[Mutant, ...] = (
    number("scales by half too small", "scalar_u1 relaxed_u4_broadcast", times_two),
    number("zero point of 4, not 8", "relaxed-sums_u4", lambda p: replace(p, start_shift=p.start_shift - 1)),
    number("zero point of 4, not 8, in scalar code", "scalar_u1", lambda p: replace(p, zero=p.zero // 2)),
    number("magic bits left in a sum", "scalar_u1", lambda p: replace(p, sum_start="0")),
    number("a part of a record elsewhere", "simd128_u4", parts(lambda part: replace(part, offset=part.offset - 4))),
    number("a part of a record twice", "simd128_u4 simd128_u4_broadcast",
           parts(lambda part: replace(part, source="w0"))),
    number("words of a part in reverse", "relaxed_u4_broadcast", parts(lambda part: replace(
        part, words=tuple(replace(w, lanes=v.lanes) for w, v in zip(part.words, part.words[::-1], strict=True))))),
    number("a turn steps one record too far", "relaxed-sums_u4", lambda p: replace(p, y_step=p.y_step + 40)),
    number("n not checked for whole blocks", "scalar_u1", lambda p: replace(p, not_whole_blocks="0x80000000")),
    number("n of 2^31 and more accepted", "scalar_u1", lambda p: replace(p, not_whole_blocks="0x1f")),
    fault("infinite and NaN scales finite", "simd128_u4 relaxed_u4_broadcast", STORES,
          NOT_FINITE, "(v128.const i64x2 0 0)"),
    fault("NaN scales infinite", "relaxed-sums_u4", STORES, FRACTION, "(v128.const i64x2 0 0)\n        (v128.const"),
    fault("the largest scale infinite", "simd128_u4", STORES, "0x7bff 0x7bff", "0x7bfe 0x7bff"),
    fault("infinite and NaN scales finite in scalar code", "scalar_u1", SCALAR,
          "(i32.ge_u (local.get $h) (i32.const 0x7c00))", "(i32.const 0)"),
    fault("half of a block's quants not in its start", "relaxed_u4_broadcast", STORES,
          SUMS, "(i16x8.extadd_pairwise_i8x16_s (local.get $q0))"),
    fault("starts without a sign", "simd128_u4", STORES, "(i32x4.neg ", "(i32x4.abs "),
    fault("a start of other pairs", "relaxed_u4_broadcast", STORES, '"i16x8.add", group', '"i32x4.add", group'),
    fault("starts of blocks without numbers kept", "scalar_u1", SCALAR,
          "(i32.store offset={{ b.y }} align=1 (local.get $y) (i32.const 0))", ""),
    fault("odd quants with the even ones below them", "simd128_u4", WIDENED,
          "(v128.const i32x4 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00)", "(v128.const i32x4 -1 -1 -1 -1)"),
    fault("high even quants 256 times", "simd128_u4_broadcast", WIDENED,
          "(i32.const 8)) (i32.const 4)))", "(i32.const 8)) (i32.const 0)))"),
    fault("low odd quants unsigned", "simd128_u4", WIDENED, "$w2 (i16x8.shr_s", "$w2 (i16x8.shr_u"),
    fault("a lane four times, the first", "relaxed_u4_broadcast", BROADCAST, "shuffle_32(lanes)",
          "shuffle_32([0, 0, 0, 0])"),
    fault("starts and scales of the first block in all", "relaxed-sums_u4", COMPACT, "{{ lanes[0] }}", "0"),
    fault("columns that all are the first", "scalar_u1", FRAME, NEXT_COLUMN, ""),
    fault("columns next to each other", "relaxed-sums_u4", FRAME,
          NEXT_COLUMN, NEXT_COLUMN.replace("(local.get $bx)", "(ptr.shl (local.get $n) (ptr.const 2))")),
    fault("overlaps not looked at", "scalar_u1", FRAME, APART, ""),
    fault("rows counted one too many", "scalar_u1", RANGES,
          ONE_LESS, "(i64.extend_i32_u (local.get {{ count }}))"),
    fault("rows counted in 32 bits", "scalar_u1", RANGES, "(i64.extend_i32_u (local.get {{ stride }}))",
          "(i64.and (i64.extend_i32_u (local.get {{ stride }})) (i64.const 0x7fffffff))"),
    fault("records counted in 32 bits", "scalar_u1", FRAME, RECORDS,
          "(i64.extend_i32_u (i32.mul (local.get $blocks) (local.get $nr)))"),
    fault("a negative number of columns accepted", "scalar_u1", FRAME,
          "(i32.lt_s (local.get $nr) (i32.const 0))", "(i32.const 0)"),
    fault("no columns prepared once", "scalar_u1", FRAME, "(i32.eqz (local.get $nr))", "(i32.const 0)"),
    packed("n of 2^31 and more accepted", "scalar_u1", lambda p: replace(p, not_whole_blocks="0x1f")),
    fault("groups counted in 32 bits", "simd128_u1", REPACK, GROUPS,
          "(i64.extend_i32_u (i32.mul (i32.shr_u (local.get $rows) (i32.const %d)) (local.get $blocks)))", REPACK),
    packed("a word of nibbles in another's place", "scalar_u1 simd128_u1", last_word_of_row),
    packed("scales of rows exchanged", "simd128_u1", lambda p: replace(p, scales=(*p.scales[:2], 6, 4))),
    packed("n not checked for whole blocks", "scalar_u1", lambda p: replace(p, not_whole_blocks="0x80000000")),
    packed("rows of a last group lost", "simd128_u1", lambda p: replace(p, whole_groups=-8)),
    packed("words of a group's rows in one place", "scalar_u1", lambda p: replace(p, word_bytes=0)),
    fault("columns of the transposition exchanged", "simd128_u1", TRANSPOSE, '"$t1", [2, 3, 6, 7]',
          '"$t1", [0, 1, 4, 5]', REPACK),
    fault("missing rows not zeros", "scalar_u1 simd128_u1", ROW,
          "(i32.store16 align=1 (local.get $scale) (i32.const 0))", "", REPACK),
    fault("missing rows read", "simd128_u1", REPACK, LAST_ROWS, "(i32.const 1)", REPACK),
    fault("a last group taken for a whole one", "simd128_u1", REPACK,
          FULL, "(i32.ge_u (local.get $row) (local.get $nc))", REPACK),
    fault("rows next to each other", "simd128_u1", GROUP, "(local.set $x{{ k }} (ptr.add",
          "(local.set $x0 (ptr.add", REPACK),
    fault("overlaps not looked at", "simd128_u1", REPACK, APART, "", REPACK),
    fault("a negative number of rows accepted", "scalar_u1", REPACK,
          "(i32.lt_s (local.get $nc) (i32.const 0))", "(i32.const 0)", REPACK),
)  # fmt: skip
