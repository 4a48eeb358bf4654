"""The two runners, in wasmtime and in node where there is one: each kind of fault is seen and named."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
import wasmtime

from codegen.engines import Engine, discover, kernel_entry
from codegen.engines.wasmtime_configs import wasmtime_engine
from codegen.engines.wasmtime_runner import run_job
from tests import needs
from tests.engines.toy_kernels import CASES, TRAP, case, job, opcode, toy

ENGINES = {engine.name: engine for engine in discover()}


@pytest.fixture(params=needs.each("wasmtime", "node"))
def engine(request: pytest.FixtureRequest) -> Engine:
    """An engine of each runner's."""
    return ENGINES[request.param]


# By fault: what makes it in the toy kernel, and the case that must fail first.
FAULTS = {
    "reads past the end of x": ({"x": "18"}, "one"),
    "reads before y": ({"start": "(local.set $vy (i32.sub (local.get $vy) (i32.const 34)))"}, "one"),
    "writes after the result": ({"end": "(i32.store8 offset=4 (local.get $s) (i32.const 1))"}, "empty"),
    "writes before y": (
        {"start": "(i32.store8 (i32.sub (local.get $vy) (i32.const 9)) (i32.const 1))"},
        "empty",
    ),
    "changes y": ({"start": "(i32.store8 (local.get $vy) (i32.const 1))"}, "empty"),
    "keeps state": ({"start": "(local.set $sum (i32.gt_u (global.get $calls) (i32.const 1)))"}, "one"),
    "takes an address as signed": (
        {"start": "(if (i32.lt_s (local.get $vx) (i32.const 0)) (then (local.set $sum (i32.const 1))))"},
        "at 4 GiB",
    ),
    "does not trap": ({"guard": "(return)"}, "n is no multiple"),
    "writes before it traps": (
        {"guard": "(i32.store (local.get $s) (i32.const 0)) unreachable"},
        "n is no multiple",
    ),
    "always traps": ({"start": "unreachable"}, "empty"),
    "has no memory": ({"memory": '(memory (export "storage") 1)'}, "load"),
}


def test_right_kernels_pass_with_memory_of_their_own_and_of_the_host(engine):
    imported = toy("imported", memory='(import "env" "memory" (memory 1))')
    report = engine.run(job(toy(), imported))
    assert report.error is None
    assert [(k.passed, k.cases, k.failure, k.skipped) for k in report.kernels] == [
        (len(CASES), len(CASES), None, None)
    ] * 2
    assert report.kernels[0].results == report.kernels[1].results
    assert report.kernels[0].results[1] == "c1700000"
    assert report.kernels[0].results[-1] == "trap"


SHARED = {"memory": '(import "env" "memory" (memory 0 65536 shared))'}
LARGE = {"memory": '(import "env" "memory" (memory i64 0))', "ptr": "i64"}


def test_right_kernels_pass_with_shared_and_with_64_bit_memory(engine):
    report = engine.run(job(toy("shared", **SHARED), toy("large", **LARGE)))
    assert [(k.passed, k.failure, k.skipped) for k in report.kernels] == [(len(CASES), None, None)] * 2


def test_a_kernel_that_cuts_an_address_to_32_bits_fails_at_4_gib(engine):
    cut = "(local.set $vx (i64.and (local.get $vx) (i64.const 0xffffffff)))"
    (kernel,) = engine.run(job(toy("cut", **LARGE, start=cut))).kernels
    assert kernel.failure.case == "at 4 GiB"


def test_kernels_for_memories_that_an_engine_has_not_are_skipped():
    config = wasmtime.Config()
    config.wasm_memory64 = config.wasm_threads = False
    report = run_job(wasmtime.Engine(config), job(toy(), toy("shared", **SHARED), toy("large", **LARGE)))
    skipped = [kernel["skipped"] for kernel in report["kernels"]]
    assert skipped == [None, "the engine has no threads", "the engine has no 64-bit memories"]


def test_a_fault_is_a_failure_that_names_the_case(engine):
    report = engine.run(job(*(toy(fault, **parts) for fault, (parts, _) in FAULTS.items())))
    failed = {kernel.name: (kernel.failure.case, kernel.failure.phase) for kernel in report.kernels}
    assert failed == {fault: (where, "cold") for fault, (_, where) in FAULTS.items()}
    assert not any(kernel.ok for kernel in report.kernels)


@pytest.mark.parametrize(
    ("expect", "passes"),
    [
        ({"bits": "0xc1700000"}, True),
        ({"bits": "0xc1700001"}, False),
        ({"value": -15.25, "bound": 0.25}, True),
        ({"value": -15.25, "bound": 0.2}, False),
        ({"class": "nan"}, False),
        ({"class": "nonfinite"}, False),
        ({"something": "new"}, False),
    ],
)
def test_expectations(engine, expect, passes):
    (kernel,) = engine.run(job(toy(), cases=[case("one", [(3, -5)], expect)])).kernels
    assert kernel.ok == passes
    if not passes:
        assert kernel.failure.got == "0xc1700000 (-15)"
        assert json.loads(kernel.failure.expected) == expect


def test_a_trap_that_does_not_come_and_one_that_does(engine):
    (kernel,) = engine.run(job(toy(), cases=[case("one", [(3, -5)], TRAP)])).kernels
    assert (kernel.failure.got, kernel.failure.expected) == ("no trap", "a trap")
    (kernel,) = engine.run(job(toy(start="unreachable"), cases=[case("one", [(3, -5)])])).kernels
    assert kernel.failure.got.startswith("trap: ") and "unreachable" in kernel.failure.got
    assert kernel.failure.expected == "no trap"


# Copies k bytes of x to y, then stores k at s, as two f32 whose bits are its halves.
COPY = """(module (memory (export "memory") 1)
  (func (export "copy") (param $k i64) (param $x i32) (param $y i32) (param $s i32) (local $i i32)
    (if (i64.gt_u (local.get $k) (i64.const 100)) (then unreachable))
    (block $done (loop $next
      (br_if $done (i64.eq (i64.extend_i32_u (local.get $i)) (local.get $k)))
      (i32.store8 (i32.add (local.get $y) (local.get $i)) (i32.load8_u (i32.add (local.get $x) (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (i64.store (local.get $s) (local.get $k)){more}))"""


def copying(k="3", y="010203", halves=("0x00000003", "0x00000000"), more="", **other):
    wasm = bytes(wasmtime.wat2wasm(COPY.format(more=more)))
    entry = kernel_entry("copy", "copy", "scalar", wasm, "copy", ["i64", "i32", "i32", "i32"])
    outputs = {"y": {"bytes": y}, "s": {"f32": [{"bits": half} for half in halves]}}
    if "trap" in other:
        outputs = {"y": {"untouched": 3}, "s": {"untouched": 8}}
    arguments = [{"i64": k}, "x", "y", "s"]
    called = {
        "name": "copy",
        "kinds": [],
        "arguments": arguments,
        "inputs": {"x": "010203"},
        "outputs": outputs,
    }
    vectors = {
        "format": "ggml-wasm-vectors",
        "version": 2,
        "contract": "copy",
        "cases": [{**called, **other}],
    }
    return {**job(entry), "vectors": {"copy": vectors}}


@pytest.mark.parametrize("place", [{}, {"place": "start"}, {"place": "end"}, {"place": "high"}, {"align": 7}])
def test_any_call_will_do_with_bytes_several_numbers_and_an_i64(engine, place):
    (kernel,) = engine.run(copying(**place)).kernels
    assert kernel.failure is None
    assert kernel.results == ["0102030000000300000000"]


def test_what_is_wrong_with_bytes_is_told_by_place(engine):
    (kernel,) = engine.run(copying(y="010204")).kernels
    assert (kernel.failure.got, kernel.failure.expected) == ("y[2] = 0x03", "0x04")
    (kernel,) = engine.run(copying(halves=("0x00000003", "0x00000001"))).kernels
    assert kernel.failure.got == "0x00000000 (0)"
    assert json.loads(kernel.failure.expected) == {"bits": "0x00000001"}
    stray = "(i32.store8 offset=3 (local.get $y) (i32.const 0))"
    (kernel,) = engine.run(copying(more=stray)).kernels
    assert re.fullmatch(r"byte \d+ written", kernel.failure.got)


def test_an_i64_is_not_cut_off(engine):
    asked = copying()
    for k in (2**32 + 3, -(2**63)):
        asked["vectors"]["copy"]["cases"] += copying(k=str(k), trap=True)["vectors"]["copy"]["cases"]
    (kernel,) = engine.run(asked).kernels
    assert kernel.failure is None
    assert kernel.results[1:] == ["trap", "trap"]


@pytest.mark.parametrize(
    ("bits", "classes"), [("0x7fc00001", {"nan", "nonfinite"}), ("0xff800000", {"nonfinite"})]
)
def test_nan_and_infinity(engine, bits, classes):
    kernel = toy(end=f"(i32.store (local.get $s) (i32.const {bits}))")
    for name in ("nan", "nonfinite"):
        (report,) = engine.run(job(kernel, cases=[case("one", [(3, -5)], {"class": name})])).kernels
        assert report.ok == (name in classes)
        assert report.results == ["7fc00000" if "nan" in classes else "ff800000"]


@pytest.mark.needs("node")
def test_a_fault_of_the_optimising_tier_only_is_seen():
    hot = "(local.set $sum (i32.gt_u (global.get $calls) (i32.const 100000)))"
    (kernel,) = ENGINES["node"].run(job(toy(start=hot))).kernels
    assert kernel.failure.phase == "hot"


def test_opcodes(engine):
    operands = [bytes(range(16)), bytes([2] * 16)]
    product = b"".join((2 * i).to_bytes(2, "little") for i in range(8))
    low = "(i16x8.extmul_low_i8x16_s $a $b)"
    cases = [
        opcode("right", low, operands, product),
        opcode("wrong", low, operands, bytes(16)),
        opcode("other legal result", low, operands, bytes(16), alternatives=[product.hex()]),
    ]
    right, wrong, other = engine.run(job(opcodes=cases)).opcodes
    assert right.ok and other.ok
    assert (wrong.failure.phase, wrong.failure.got) == ("cold", product.hex())


def test_relaxed_kernels_are_skipped_where_there_is_no_relaxed_simd():
    report = ENGINES["wasmtime-strict"].run(job(toy(isa="relaxed"), toy()))
    assert [kernel.skipped for kernel in report.kernels] == ["the engine has no relaxed SIMD", None]
    assert report.ok


@pytest.mark.needs("wasmtime-sse2")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
def test_the_weak_configuration_is_weak(tmp_path):
    text = "(module (func (param v128) (result v128) (i32x4.mul (local.get 0) (i16x8.abs (local.get 0)))))"
    for name, avx in (("wasmtime", True), ("wasmtime-sse2", False)):
        (tmp_path / name).write_bytes(wasmtime.Module(wasmtime_engine(name), text).serialize())
        code = subprocess.run(
            ["objdump", "-d", tmp_path / name], capture_output=True, text=True, check=True
        ).stdout
        assert ("vpmulld" in code) == avx
        assert ("pmulld" in code) == avx
