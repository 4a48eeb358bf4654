"""Faults in plans: numbers that move several instructions of a kernel at once, so that no change of one makes them."""

from __future__ import annotations

from dataclasses import replace

from codegen.kernels.pack_activations.plan import ColumnPlan
from codegen.kernels.quantize_row.plan import RowPlan
from codegen.kernels.tile.plan import MatrixPlan
from tools.mutants.mutant import KernelMutant, number

_GEMV, _ROW, _MAT, _REPACK = (
    "gemv_q4_0_q8_0_8x1__relaxed_u1_broadcast",
    "quantize_row_q8_0__simd128_u4",
    "pack_activations_q8_0__relaxed_u4_broadcast",
    "repack_q4_0__simd128_u1",
)


def halves_exchanged(plan: RowPlan) -> RowPlan:
    """The two halves of the last block's quants in each other's place."""
    *groups, (*blocks, block) = plan.groups
    low, high = block.halves
    exchanged = replace(block, halves=(replace(low, y=high.y), replace(high, y=low.y)))
    return replace(plan, groups=(*groups, (*blocks, exchanged)))


def words_reversed(plan: ColumnPlan) -> ColumnPlan:
    """The words of the last part of a block's activations in reverse order."""
    *blocks, (*parts, part) = plan.parts
    lanes = [word.lanes for word in part.words]
    words = tuple(replace(word, lanes=at) for word, at in zip(part.words, reversed(lanes), strict=True))
    return replace(plan, parts=(*blocks, (*parts, replace(part, words=words))))


def other_nibbles(plan: MatrixPlan) -> MatrixPlan:
    """The last word of activations meets the low nibbles where it should meet the high ones."""
    *steps, step = plan.tile.steps
    *words, word = step.words
    changed = replace(step, words=(*words, replace(word, part=word.part - 1)))
    return replace(plan, tile=replace(plan.tile, steps=(*steps, changed)))


PLANS: tuple[KernelMutant, ...] = (
    number(
        "vec_dot: the weights' factor of 2^12 is left in",
        "vec_dot_q4_0_q8_0__simd128_u4",
        lambda plan: replace(plan, y_exponent=plan.y_exponent + 12),
    ),
    number(
        "vec_dot: iterations step past the end of x",
        "vec_dot_q4_0_q8_0__relaxed_u4",
        lambda plan: replace(plan, x_step=plan.x_step + 18),
    ),
    number("quantize_row: halves of a block exchanged", _ROW, halves_exchanged),
    number("pack_activations: words in reverse order", _MAT, words_reversed),
    number(
        "pack_activations: scales of half the size",
        _MAT,
        lambda p: replace(p, half_exponent=p.half_exponent - 1),
    ),
    number(
        "repack: scales of two rows exchanged", _REPACK, lambda p: replace(p, scales=(*p.scales[:2], 6, 4))
    ),
    number("gemv: a word meets the other nibbles", _GEMV, other_nibbles),
    number(
        "gemv: a block of weights has a row's size",
        _GEMV,
        lambda p: replace(p, group_bytes=p.group_bytes - 18),
    ),
    number("gemv: results two groups further", _GEMV, lambda p: replace(p, group_result=2 * p.group_result)),
)
