"""The check of ranges itself, on toy kernels that check too little, or too much."""

import pytest
import wasmtime

from codegen import KernelSpec
from codegen.runtime.quantize_row import Quantizer
from codegen.verify.memory_ranges import check_idle, check_ranges
from codegen.verify.quantize_row.cases import usual
from codegen.verify.quantize_row.verification import call_of
from codegen.verify.report import Report
from codegen.wasm.cost import Cost

SPEC = KernelSpec.parse("quantize_row_q8_0__scalar_u1")
BODY = """(module (memory (export "memory") 1)
  (func (export "quantize_row_q8_0") (param $x i32) (param $y i32) (param $k i64)
    (if {check} (then (unreachable)))
    (i32.store8 (local.get $y) (i32.const 0))))"""


def failures(check: str) -> str:
    kernel = Quantizer(SPEC, bytes(wasmtime.wat2wasm(BODY.format(check=check))))
    report = Report("toy", Cost(0, 0, 0, 0, 0))
    return "\n".join(check_ranges(kernel, call_of(usual("toy", 2)), report))


def test_a_kernel_that_checks_nothing_is_told_of_each_place() -> None:
    found = failures("(i32.const 0)")
    for place in (
        "x ends past memory: did not trap",
        "y ends past memory: did not trap",
        "y is past memory: ",
        "y begins with x: did not trap",
        "y ends with x: did not trap",
        "y begins at the last byte of x: did not trap",
        "y ends at the first byte of x: did not trap",
        "y ends at the first byte of x: wrote before it trapped",
    ):
        assert place in found
    assert "not by the contract" in found


def test_a_kernel_that_traps_where_buffers_touch_is_told() -> None:
    with pytest.raises(Exception, match="unreachable"):
        failures("(i32.const 1)")


def test_a_kernel_that_writes_when_there_is_nothing_to_do_is_told() -> None:
    kernel = Quantizer(SPEC, bytes(wasmtime.wat2wasm(BODY.format(check="(i64.eqz (i64.const 1))"))))
    report = Report("toy", Cost(0, 0, 0, 0, 0))
    found = next(check_idle(kernel, call_of(usual("toy", 2)), ({"k": 0},), report))
    assert found == "k = 0: wrote something"
