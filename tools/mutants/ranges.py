"""Faults in the check of ranges: what ends past memory, what wraps around, and what overlaps."""

from __future__ import annotations

from tools.mutants.mutant import Mutant, text
from tools.mutants.quantize import FRAME, fault

FILE = "lib/ranges"
UNREACHABLE = "(then (unreachable))"
PAST = "(i64.gt_u (local.get $end) (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16)))"
SUM = "(i64.add (i64.extend_i32_u (local.get $at)) (i64.mul (local.get $items) (local.get $bytes)))"
NARROW = (
    "(i64.extend_i32_u (i32.add (local.get $at)"
    " (i32.mul (i32.wrap_i64 (local.get $items)) (i32.wrap_i64 (local.get $bytes)))))"
)
A, B = (f'{{{{ address.to_i64("(local.get ${start})") | trim }}}}' for start in "ab")
A_FIRST = f"(i64.lt_u {A} (local.get $b_end))"
B_FIRST = f"(i64.lt_u {B} (local.get $a_end))"
APART = '{{ ranges.apart("$x", "$y") | trim | indent(4) }}'
Y_END = (
    '{{ ranges.end("$y", "(i64.div_u (local.get $k) (i64.const %d))" | format(plan.block), plan.y_block)'
    " | trim | indent(4) }}"
)

RANGES: tuple[Mutant, ...] = (
    fault("rows past memory not noticed", "scalar_u1", FILE, PAST, "(i32.const 0)"),
    fault("the last byte of memory forbidden", "scalar_u1", FILE, PAST, PAST.replace("gt_u", "ge_u")),
    fault("a range that wraps around 4 GiB", "scalar_u1", FILE, SUM, NARROW),
    fault("an address over 2 GiB taken as negative", "scalar_u1", FILE,
          SUM, SUM.replace("extend_i32_u", "extend_i32_s")),
    fault("an overlap from before not noticed", "simd128_u1", FILE, A_FIRST, A_FIRST.replace("lt_u", "gt_u")),
    fault("an overlap of one byte not noticed", "simd128_u1", FILE,
          f"{B_FIRST})", f"(i64.lt_u (i64.add {B} (i64.const 1)) (local.get $a_end)))"),
    fault("buffers that touch forbidden", "simd128_u1", FILE, B_FIRST, B_FIRST.replace("lt_u", "le_u")),
    fault("overlaps not looked at", "relaxed_u4", FRAME, APART, ""),
    fault("blocks past memory not looked at", "relaxed_u4", FRAME, Y_END, ""),
    text("ranges beyond 64 bits", "gemm_q4_0_q8_0_8x4__simd128_u1", FILE,
         "(i64.gt_u (local.get $items) (i64.const 0x100000000))", "(i32.const 0)"),
    fault("no elements refused", "scalar_u1", FILE,
          "(then (return (i64.const 0)))", "(then (return (i64.const 0x100000001)))"),
)  # fmt: skip
