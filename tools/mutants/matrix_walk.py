"""Faults in what goes over tiles of matrices: what is left over, panels, checks, mul_mat."""

from __future__ import annotations

from tools.mutants.matrix import GEMV, MUL_MAT, PANEL, SCALAR, TILE, fault
from tools.mutants.mutant import text

LESS = "(i32.lt_u (local.get $left) (i32.const {{ plan.tile.columns | length }}))"
STRIDE_BELOW_ROWS = '(ptr.lt_u (local.get $bs) {{ address.from_i32("(local.get $nc)") | trim }})'
WRONG_STRIDE = f"(i32.and (i32.gt_u (local.get $nr) (i32.const 1)) {STRIDE_BELOW_ROWS})"
COLUMNS = '{{ address.from_i32("(local.get $panel)") | trim }}'
PAST_MANY = f"(ptr.add (local.get $vy) (ptr.mul (local.get $y_step) {COLUMNS}))"
NEXT_RESULTS = f"(local.set $s (ptr.add (local.get $s) (ptr.mul (local.get $bs) {COLUMNS})))"

MATRIX_WALK = (
    fault("a tile of columns where too few are left", TILE, "walk", LESS, "(i32.eqz (local.get $left))"),
    fault("rows that fill no tile left out", GEMV, "walk", "(if (local.get $rows)", "(if (i32.const 0)"),
    fault(
        "a tile of rows where too few are left",
        GEMV,
        "walk",
        "(i32.div_u (local.get $rows) (i32.const {{ plan.tile.rows }}))",
        "(i32.add (i32.div_u (local.get $rows) (i32.const {{ plan.tile.rows }})) (i32.const 1))",
    ),
    fault(
        "once more where groups are neighbours",
        GEMV,
        "walk",
        "(local.set $to (ptr.add (local.get $to) (local.get $s_far)))",
        "(local.set $to (ptr.add (local.get $to) (local.get $s_next)))",
    ),
    fault(
        "groups of a tile that are neighbours are stepped over as if they were far apart",
        PANEL,
        "walk",
        "(if (i32.gt_u (local.get $columns) (i32.const 1))",
        "(if (i32.const 0)",
    ),
    fault(
        "left-over rows are those after the first tile",
        GEMV,
        "walk",
        "(local.set $w_rest (ptr.add (local.get $w) (ptr.mul (local.get $w_far)",
        "(local.set $w_rest (ptr.add (local.get $w) (ptr.mul (local.get $w_next)",
    ),
    fault(
        "once more without the last column",
        GEMV,
        "walk",
        "(i32.const {{ plan.group_rows }}) (local.get $columns))",
        "(i32.const {{ plan.group_rows }}) (i32.const 1))",
    ),
    fault(
        "totals not cleared",
        PANEL,
        "walk",
        "(v128.const i32x4 0 0 0 0))",
        "(v128.load offset={{ g.result }} align=1 (local.get $to)))",
    ),
    fault(
        "a panel's last column left out",
        PANEL,
        "panel",
        "(br_if $column (local.tee $left (i32.sub (local.get $left) (i32.const 1))))",
        "(br_if $column (i32.gt_u (local.tee $left (i32.sub (local.get $left) (i32.const 1))) (i32.const 1)))",
    ),
    fault("bs not checked", GEMV, "checks", WRONG_STRIDE, "(i32.const 0)"),
    fault(
        "bs checked where there is one column",
        GEMV,
        "checks",
        WRONG_STRIDE,
        "(i32.le_u (local.get $bs) (local.get $nc))",
    ),
    fault(
        "n not checked",
        GEMV,
        "checks",
        "(i32.and (local.get $n) (i32.const {{ plan.refused }}))",
        "(i32.const 0)",
    ),
    fault(
        "no rows is not nothing",
        GEMV,
        "checks",
        "(i32.or (i32.eqz (local.get $nr)) (i32.eqz (local.get $nc)))",
        "(i32.eqz (local.get $nr))",
    ),
    fault(
        "a group of rows less in the range of weights",
        GEMV,
        "checks",
        "(i32.add (local.get $nc) (i32.const {{ plan.round_up }}))",
        "(local.get $nc)",
    ),
    fault("scalar: a nibble with bits of the next", SCALAR, "scalar", "(i32.const 15)", "(i32.const 31)"),
    fault("scalar: infinity not put right", SCALAR, "scalar", "(i32.const 0x70000000)", "(i32.const 0)"),
    fault(
        "scalar: left-over rows stored",
        SCALAR,
        "scalar",
        "(i32.gt_u (local.get $rows) (i32.const {{ row.lane }}))",
        "(i32.const 1)",
    ),
    text(
        "matrix: the second panel's activations are the first's",
        PANEL,
        "gemm_q4_0_q8_0",
        PAST_MANY,
        "(local.get $vy)",
    ),
    text("matrix: the second panel's results go to the first's", PANEL, "gemm_q4_0_q8_0", NEXT_RESULTS, ""),
    text(
        "matrix: results may overlap activations",
        GEMV,
        "gemm_q4_0_q8_0",
        '{{ ranges.apart("$s", "$vy") | trim }}',
        "",
    ),
    text(
        "mul_mat: columns of activations next to each other",
        MUL_MAT,
        "mul_mat_q4_0",
        "(local.set $vy (ptr.add (local.get $vy) (local.get $by)))",
        "(local.set $vy (ptr.add (local.get $vy) (ptr.shl (local.get $n) (ptr.const 2))))",
    ),
    text(
        "mul_mat: scratch memory of all columns",
        MUL_MAT,
        "mul_mat_q4_0",
        'checks.blocks_of("$panel")',
        'checks.blocks_of("$nr")',
    ),
    text("mul_mat: the second panel's results go to the first's", MUL_MAT, "mul_mat_q4_0", NEXT_RESULTS, ""),
    text("mul_mat: ranges may overlap", MUL_MAT, "mul_mat_q4_0", "{{ ranges.apart(a, b) | trim }}", ""),
)
