"""Faults in the check of ranges: what ends past memory, what wraps around, and what overlaps."""

from __future__ import annotations

from tools.mutants.mutant import KernelMutant, text

FILE = "lib/ranges"
PAST = "(i64.gt_u (local.get $end) (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16)))"
SUM = "(i64.add (i64.extend_i32_u (local.get $at)) (i64.mul (local.get $items) (local.get $bytes)))"
NARROW = (
    "(i64.extend_i32_u (i32.add (local.get $at)"
    " (i32.mul (i32.wrap_i64 (local.get $items)) (i32.wrap_i64 (local.get $bytes)))))"
)
A, B = (f'{{{{ address.to_i64("(local.get ${start})") }}}}' for start in "ab")
A_FIRST = f"(i64.lt_u {A} (local.get $b_end))"
B_FIRST = f"(i64.lt_u {B} (local.get $a_end))"
ONE_LESS = "(i64.extend_i32_u (i32.sub (local.get {{ count }}) (i32.const 1)))"


def fault(name: str, old: str, new: str, kernel: str = "quantize_row_q8_0__simd128_u1") -> KernelMutant:
    """A fault in the functions that check ranges."""
    return text(f"ranges: {name}", kernel, FILE, old, new)


RANGES: tuple[KernelMutant, ...] = (
    fault("rows past memory not noticed", PAST, "(i32.const 0)"),
    fault("the last byte of memory forbidden", PAST, PAST.replace("gt_u", "ge_u")),
    fault("a range that wraps around 4 GiB", SUM, NARROW),
    fault("an address over 2 GiB taken as negative", SUM, SUM.replace("extend_i32_u", "extend_i32_s")),
    fault("an overlap from before not noticed", A_FIRST, A_FIRST.replace("lt_u", "gt_u")),
    fault("an overlap of one byte not noticed",
          f"{B_FIRST})", f"(i64.lt_u (i64.add {B} (i64.const 1)) (local.get $a_end)))"),
    fault("buffers that touch forbidden", B_FIRST, B_FIRST.replace("lt_u", "le_u")),
    fault("no elements refused", "(then (return (i64.const 0)))", "(then (return (i64.const 0x100000001)))"),
    fault("ranges beyond 64 bits", "(i64.gt_u (local.get $items) (i64.const 0x100000000))", "(i32.const 0)",
          "gemm_q4_0_q8_0_8x4__simd128_u1"),
    fault("rows counted one too many",
          ONE_LESS, "(i64.extend_i32_u (local.get {{ count }}))", "pack_activations_q8_0__scalar_u1"),
    fault("rows counted in 32 bits", "(i64.extend_i32_u (local.get {{ stride }}))",
          "(i64.and (i64.extend_i32_u (local.get {{ stride }})) (i64.const 0x7fffffff))",
          "pack_activations_q8_0__scalar_u1"),
)  # fmt: skip
