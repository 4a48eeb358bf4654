"""Faults in the functions that multiply a tile of matrices."""

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
MUL_MAT = "mul_mat_q4_0_8x1__relaxed_u1_broadcast_output"
HERE = "lib/matrix"
TWO = "(if (i32.ge_u (local.get $rows) (i32.const 2))"
HIGH = "(i16x8.shr_u %s (i32.const 4))"
UNIT = "(i64.const {{ plan.notice.unit }})"


def fault(name: str, kernels: str, file: str, old: str, new: str) -> Mutant:
    """A fault in a template of the matrix kernels."""
    return text(f"matrix: {name}", kernels, f"{HERE}/{file}", old, new)


def number(name: str, kernels: str, change: Callable[[MatrixPlan], MatrixPlan]) -> Mutant:
    """A fault in a plan."""
    return Mutant(f"matrix: {name}", tuple(kernels.split()), plan=change)


def last_word(**changed: int) -> Callable[[MatrixPlan], MatrixPlan]:
    """Moves the last word of activations of the tile, or what it meets."""

    def change(plan: MatrixPlan) -> MatrixPlan:
        *steps, step = plan.tile.steps
        *words, word = step.words
        moved = replace(word, **{name: getattr(word, name) + by for name, by in changed.items()})
        return of_tile(steps=(*steps, replace(step, words=(*words, moved))))(plan)

    return change


def of_tile(**changed: Any) -> Callable[[MatrixPlan], MatrixPlan]:
    """Changes the function that does most, and not the others."""

    def change(plan: MatrixPlan) -> MatrixPlan:
        tile: Body = replace(plan.tile, **changed)
        return replace(plan, tile=tile)

    return change


MATRIX = (
    fault("the low nibbles are masked, the high ones are not moved", GEMV, "dot16", HIGH, "%s"),
    fault(
        "relaxed operands exchanged",
        DOT,
        "dot32",
        "(local.get {{ a }}) (local.get {{ n }}) (local.get {{ sum }})",
        "(local.get {{ n }}) (local.get {{ a }}) (local.get {{ sum }})",
    ),
    fault(
        "relaxed operands of i16 dots exchanged",
        GEMV,
        "dot16",
        "(i16x8.relaxed_dot_i8x16_i7x16_s (local.get {{ a }}) (local.get {{ n }})))",
        "(i16x8.relaxed_dot_i8x16_i7x16_s (local.get {{ n }}) (local.get {{ a }})))",
    ),
    fault("pairs are added unsigned", GEMV, "dot16", "extadd_pairwise_i16x8_s", "extadd_pairwise_i16x8_u"),
    fault(
        "nibble 3 with its sign",
        WIDE,
        "dot",
        "(i16x8.shr_u {{ q }} (i32.const 12))",
        "(i16x8.shr_s {{ q }} (i32.const 12))",
    ),
    fault(
        "sums start from zero",
        GEMV,
        "tile",
        '(local.set $a {{ block.word(0, "$y%d" | format(c.index)) | trim }})',
        "(local.set $a (v128.const i32x4 0 0 0 0))",
    ),
    fault("the next column's activations", TILE, "block", '"$y%d" | format(c)', '"$y0"'),
    fault(
        "a group reads the weights of the one before",
        TILE,
        "block",
        "(local.set $q (v128.load offset={{ step.w }} align=1 (local.get $w{{ g }})))",
        "(local.set $q (v128.load offset={{ step.w }} align=1 (local.get $w0)))",
    ),
    fault("scales of weights unsigned", GEMV, "block", "v128.load16x4_s", "v128.load16x4_u"),
    fault(
        "scales of weights of the first group",
        DOT,
        "block",
        "(v128.load16x4_s align=1 (local.get $w{{ g }}))",
        "(v128.load16x4_s align=1 (local.get $w0))",
    ),
    fault(
        "infinite scales not noticed",
        GEMV,
        "block",
        "(local.set $seen\n",
        "(local.set $seen (i64.const 0))\n(drop\n",
    ),
    fault(
        "infinite scales of the last group only",
        DOT,
        "block",
        "(i64.or (local.get $seen)",
        "(i64.or (i64.const 0)",
    ),
    fault("NaN noticed, infinity not", GEMV, "block", UNIT, "(i64.const 0x03ff03ff03ff03ff)"),
    fault(
        "infinity not put right",
        GEMV,
        "block",
        "(v128.and (v128.const i32x4 0x70000000 0x70000000 0x70000000 0x70000000)",
        "(v128.and (v128.const i32x4 0 0 0 0)",
    ),
    fault(
        "all of four rows stored",
        GEMV,
        "block",
        "(if (i32.ge_u (local.get $rows) (i32.const {{ plan.group_rows }}))",
        "(if (i32.const 1)",
    ),
    fault("the second of left-over rows not stored", GEMV, "block", TWO, "(if (i32.const 0)"),
    fault(
        "columns of results next to each other",
        TILE,
        "block",
        "(ptr.add (local.get $s) (local.get $bs))",
        "(ptr.add (local.get $s) (ptr.const 4))",
    ),
    fault(
        "steps go on from where they ended",
        ROLLED,
        "tile",
        "{{ move(body, plan.back_w, plan.back_y) | trim }}",
        "{{ move(body, plan.back_w, plan.step_y) | trim }}",
    ),
    number("the last word of activations beside its place", f"{TILE} {PANEL}", last_word(y=4)),
    number("the last word meets the other nibbles", f"{DOT} {PANEL}", last_word(part=-1)),
    number(
        "a block of weights is a row's",
        GEMV,
        lambda plan: replace(plan, group_bytes=plan.group_bytes - 18),
    ),
    number(
        "results of the next tile are two groups further",
        GEMV,
        lambda plan: replace(plan, group_result=2 * plan.group_result),
    ),
)
