"""Faults in quantisers: rounding, scales, blocks that go together, and the contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from codegen.ops.quantize_row.blocks import Block
from codegen.ops.quantize_row.plan import RowPlan
from tools.mutants.mutant import Mutant, text

FRAME = "quantize_row_q8_0"
SCALAR, VECTOR, AGAIN, HALF, QUANTS, FOLD, LOOPS = (
    f"lib/quantize/{n}" for n in ("scalar", "vector", "again", "half", "quants", "fold", "loops")
)
ADDED = "(f32.add (local.get $v) (f32.copysign (f32.const 0x1.fffffep-2) (local.get $v)))"
OFFSET = "(f32.copysign (f32.const 0x1.fffffep-2) (local.get $v))"
VALUE = "(f32.load offset={{ value.x }} align=1 (local.get $x))"
BITS = "(f32.reinterpret_i32 (local.get $m0))"
LOAD = "(v128.load offset={{ offsets[0] }} align=1 (local.get $x))"
BELOW = "(f32x4.lt (local.get $d) (v128.const f32x4 0x1p-14 0x1p-14 0x1p-14 0x1p-14))"
USABLE = "(if (i32.and (f32.gt (local.get $id) (f32.const 0)) (f32.lt (local.get $id) (f32.const inf)))"
FINITE = "(f32x4.lt (local.get $id2) (v128.const f32x4 inf inf inf inf))"
POSITIVE = "(f32x4.gt (local.get $id2) (v128.const f32x4 0 0 0 0))"
INVERSE = "(v128.and (local.get $id) (f32x4.lt (local.get $id) (v128.const f32x4 inf inf inf inf)))"
ODD = "(i32.and (i32.shr_u (local.get $h) (i32.const 13)) (i32.const 1))"
ODD_LANES = "(v128.and (i32x4.shr_u (local.get $d) (i32.const 13)) (v128.const i32x4 1 1 1 1))"
UP = "(i16x8.sub (local.get {{ n }}) (i16x8.gt_s (local.get {{ n }}) (local.get $minus)))"
VOID = """(if
  (i32.eqz
    (i32x4.all_true
      (v128.and
        (f32x4.gt (local.get $id2) (v128.const f32x4 0 0 0 0))
        (f32x4.lt (local.get $id2) (v128.const f32x4 inf inf inf inf)))))"""
ADVANCE = "(local.set $y (ptr.add (local.get $y) (ptr.const {{ y_step }})))"


def fault(name: str, kernels: str, file: str, old: str, new: str) -> Mutant:
    """A fault in a template of quantisers."""
    made = text(f"quantise: {name}", kernels, file, old, new)
    return replace(made, kernels=tuple(f"{FRAME}__{kernel}" for kernel in made.kernels))


def number(name: str, kernels: str, change: Callable[[RowPlan], RowPlan]) -> Mutant:
    """A fault in a plan of quantisers."""
    return Mutant(f"quantise: {name}", tuple(f"{FRAME}__{k}" for k in kernels.split()), plan=change)


def last_block(change: Callable[[Block], Block]) -> Callable[[RowPlan], RowPlan]:
    """Changes the last block of the last group."""

    def changed(plan: RowPlan) -> RowPlan:
        *groups, group = plan.groups
        return replace(plan, groups=(*groups, (*group[:-1], change(group[-1]))))

    return changed


def upper_quants_first(block: Block) -> Block:
    """The halves of a block's quants in each other's place."""
    low, high = block.halves
    return replace(block, halves=(replace(low, y=high.y), replace(high, y=low.y)))


QUANTIZE: tuple[Mutant, ...] = (
    fault("ties to even", "scalar_u1", SCALAR, f"(f32.trunc {ADDED})", "(f32.nearest (local.get $v))"),
    fault("ties of negative numbers up", "scalar_u1", SCALAR,
          ADDED, ADDED.replace(OFFSET, "(f32.const 0x1.fffffep-2)")),
    fault("a half added, not the f32 below it", "scalar_u1", SCALAR, "0x1.fffffep-2", "0x1p-1"),
    fault("quants cut off", "simd128_u4 relaxed_u1", QUANTS, UP, "(local.get {{ n }})"),
    fault("negative quants rounded up", "simd128_u4", QUANTS,
          UP, "(i16x8.sub (local.get {{ n }}) (local.get $minus))"),
    fault("divided by d, not multiplied with 1 / d", "scalar_u1", SCALAR,
          f"(f32.mul {VALUE} (local.get $id))", f"(f32.div {VALUE} (local.get $d))"),
    fault("multiplied with 1 / 127, not divided by 127", "scalar_u1", SCALAR,
          f"(f32.div {BITS} (f32.const 127))", f"(f32.mul {BITS} (f32.const 0x1.020408p-7))"),
    fault("largest number, not magnitude", "simd128_u1", VECTOR,
          f"(v128.and {LOAD} (local.get $magnitude))", LOAD),
    fault("a lane of the largest lost", "simd128_u4", FOLD, "[2, 6, 3, 7]", "[2, 6, 3, 6]"),
    fault("a lane of a lone block's largest lost", "simd128_u1", FOLD, "[1, 0, 3, 2]", "[0, 0, 2, 2]"),
    fault("f16 scale cut off", "scalar_u1", HALF,
          f"(i32.const 0xc8000fff))\n      {ODD})", "(i32.const 0xc8000000))\n      (i32.const 0))"),
    fault("f16 scale's ties down", "scalar_u1", HALF, ODD, "(i32.const 0)"),
    fault("f16 scales' ties up", "simd128_u4", HALF, ODD_LANES, "(v128.const i32x4 1 1 1 1)"),
    fault("f16 subnormals lost", "scalar_u1", HALF,
          "(f32.lt (local.get $d) (f32.const 0x1p-14))", "(i32.const 0)"),
    fault("f16 subnormals of lanes up to 2^-15", "simd128_u4", HALF, BELOW, BELOW.replace("-14", "-15")),
    fault("f16 scale beyond infinity", "scalar_u1", HALF,
          "(i32.lt_u (local.get $h) (i32.const 0x7c00))", "(i32.const 1)"),
    fault("NaN becomes an infinite scale", "scalar_u1", HALF,
          "(i32.gt_u (local.get $m0) (i32.const 0x7f800000))", "(i32.const 0)"),
    fault("NaN becomes an infinite scale in lanes", "relaxed_u4", HALF,
          "(f32x4.ne (local.get $m0) (local.get $m0))", "(v128.const i64x2 0 0)"),
    fault("quants of NaN, infinity and nothing kept", "scalar_u1", SCALAR, USABLE, "(if (i32.const 1)"),
    fault("void quants kept", "simd128_u4 relaxed_u1", AGAIN, VOID, "(if (i32.const 0)"),
    fault("void quants kept where 2 / d overflows", "simd128_u4", AGAIN, FINITE, FINITE.replace(".lt", ".le")),
    fault("void quants kept where d is infinite", "simd128_u1", AGAIN, POSITIVE, POSITIVE.replace(".gt", ".ge")),
    fault("quants where 1 / d overflows", "simd128_u1", AGAIN, INVERSE, "(local.get $id)"),
    fault("only the first block done once more", "simd128_u4", AGAIN,
          "{{ group[-1].x_end }}", "{{ group[0].x_end }}"),
    fault("blocks done once more with one scale", "simd128_u4", AGAIN, "[1, 2, 3, 0]", "[0, 1, 2, 3]"),
    number("scale of another block stored", "simd128_u4", last_block(lambda b: replace(b, half_lane=0))),
    number("values times another block's 1 / d", "simd128_u4", last_block(lambda b: replace(b, lanes=(0,) * 4))),
    number("halves of a block exchanged", "simd128_u4", last_block(upper_quants_first)),
    number("a scale's offset off by one", "simd128_u4", last_block(lambda b: replace(b, y_scale=b.y_scale + 1))),
    number("a turn steps one block too far in y", "simd128_u4", lambda p: replace(p, y_step=p.y_step + 34)),
    number("leftover blocks floored away", "simd128_u4", lambda p: replace(p, elements=p.elements // 2)),
    number("k not checked for whole blocks", "scalar_u1", lambda p: replace(p, not_whole_blocks=0)),
    fault("tail lost", "simd128_u4", LOOPS, "(if (ptr.ne (local.get $x) (local.get $end))", "(if (i32.const 0)"),
    fault("end of the row compared as an order", "scalar_u1", LOOPS,
          "(br_if $single (ptr.ne (local.get $x)", "(br_if $single (ptr.lt_u (local.get $x)"),
    fault("writes past its blocks", "simd128_u1", LOOPS,
          ADVANCE, f"{ADVANCE} (i32.store8 (local.get $y) (i32.const 0))"),
    fault("reads ahead", "simd128_u4", LOOPS, ADVANCE, f"{ADVANCE} (drop (i32.load8_u (local.get $x)))"),
    fault("reads the byte before x", "scalar_u1", LOOPS, "(local.set $end",
          "(drop (i32.load8_u (ptr.sub (local.get $x) (ptr.const 1))))\n(local.set $end"),
    fault("quants done once more cut off", "relaxed_u4", QUANTS, "(v128.const f32x4 0x1.fffffep-2 0x1.fffffep-2"
          " 0x1.fffffep-2 0x1.fffffep-2)", "(v128.const f32x4 0 0 0 0)"),
    fault("signs lost where quants are done once more", "simd128_u4", QUANTS,
          "(v128.const i32x4 0x7fffffff 0x7fffffff 0x7fffffff 0x7fffffff)",
          "(v128.const i32x4 -1 -1 -1 -1)"),
)  # fmt: skip
