"""Faults in 64-bit memory: what is computed or compared in 32 bits, and what wraps around 2^64."""

from __future__ import annotations

from tools.mutants.mutant import Mutant, code, text

FRAME, RANGES = "frames/vec_dot", "lib/ranges"
DOT, QUANTISER = "vec_dot_q4_0_q8_0__relaxed_u4_memory64", "quantize_row_q8_0__scalar_u1_memory64"
PRODUCT = "(i64.gt_u (local.get $items) (i64.div_u (i64.const -1) (local.get $bytes)))"
STRIDE = "(i64.gt_u (local.get $stride) (i64.div_u (i64.sub (i64.const -1) (local.get $length)) (local.get $more)))"
PAST = "(i64.ge_u (i64.shr_u (i64.sub (local.get $end) (i64.const 1)) (i64.const 16)) (memory.size))"
STEPS = "templates/lib/matrix/functions.wat.j2"
CUT = "(ptr.const 0xffffffff))"

TESTS = "tests/kernels/test_memories.py::"
BY_INTEGERS = "tests/kernels/test_memory64_ranges.py"

MEMORIES: tuple[Mutant, ...] = (
    text("memory64: an address of 32 bits", DOT, FRAME, "(local.set $y (local.get $vy))",
         "(local.set $y (i64.extend_i32_u (i32.wrap_i64 (local.get $vy))))"),
    text("memory64: addresses over 2 GiB taken as negative", DOT, FRAME, "(local.set $x (local.get $vx))",
         "(local.set $x (i64.extend32_s (local.get $vx)))"),
    text("memory64: an end that wraps around", QUANTISER, RANGES, "(i64.lt_u (local.get $end) (local.get $at))",
         "(i32.const 0)"),
    text("memory64: a page past memory allowed", QUANTISER, RANGES, PAST, PAST.replace("ge_u", "gt_u")),
    text("memory64: the last byte of memory forbidden", QUANTISER, RANGES, PAST,
         PAST.replace("(i64.sub (local.get $end) (i64.const 1))", "(local.get $end)")),
    code("memory64: a product that wraps around", BY_INTEGERS, "templates/lib/ranges.wat.j2", PRODUCT, "(i32.const 0)"),
    code("memory64: strides that wrap around", BY_INTEGERS, "templates/lib/ranges.wat.j2", STRIDE, "(i32.const 0)"),
    code("memory64: a stride of nothing refused", BY_INTEGERS, "templates/lib/ranges.wat.j2",
         "(if (i64.eqz (local.get $length))", "(if (i32.const 0)"),
    code("memory64: bytes of all tiles in 32 bits", f"{TESTS}test_weights_of_more_than_4_gib",
         "templates/lib/matrix/walk.wat.j2", "{{ plan.tile.groups | length }}))))\n;;% if",
         f"{{{{ plan.tile.groups | length }}}}))))\n(local.set $w_rest (ptr.and (local.get $w_rest) {CUT})\n;;% if"),
    code("memory64: bytes of four rows in 32 bits", f"{TESTS}test_rows_as_long_as_n_can_be",
         STEPS, "(ptr.const {{ plan.group_bytes }})))",
         f"(ptr.const {{{{ plan.group_bytes }}}})))\n(local.set $w_step (ptr.and (local.get $w_step) {CUT})"),
    code("memory64: bytes between columns of results in 32 bits", f"{TESTS}test_columns_of_matrices_over_4_gib_apart",
         STEPS, "(ptr.shl (local.get $bs) (ptr.const 2))", f"(ptr.and (ptr.shl (local.get $bs) (ptr.const 2)) {CUT}"),
    code("a module with another memory", f"{TESTS}test_a_module_with_another_memory_than_its_name_says_is_told",
         "codegen/verify/module_contract.py", "want = spec.memory is Memory.MEMORY64,", "want = found.is_64,"),
)  # fmt: skip
