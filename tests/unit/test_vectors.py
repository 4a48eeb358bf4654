import json
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from codegen import Isa, Kernel, KernelSpec
from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.operations import OPERATIONS
from codegen.oracle.dot import dot
from codegen.verify.dot.judge import roundings
from codegen.verify.dot.vectors import FURTHER_ROUNDINGS, expectation
from codegen.verify.vectors import OPCODES, files

FOLDER = Path(__file__).resolve().parents[1] / "vectors"
DOTS = "vec_dot_q4_0_q8_0.json"
CASES = json.loads((FOLDER / DOTS).read_text())["cases"]
DONE = [case for case in CASES if "trap" not in case]

FIELD_FAULTS = {
    "random", "cancellation", "same-sign extremes", "minus 128", "subnormals", "overflow", "non-finite scales",
    "f16 conversion", "special scales", "block count", "odd block count", "tail", "nibble order", "lane order",
    "block offsets", "unaligned addresses", "tail over-read", "end of memory", "pointers over 2 GiB", "broken contract",
    "read before the start",
}  # fmt: skip


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """What a dot product must be."""
    (number,) = case["outputs"]["s"]["f32"]
    return dict(number)


def operands(case: dict[str, Any]) -> tuple[bytes, bytes, int]:
    """Weights, activations and elements of a dot product."""
    return bytes.fromhex(case["inputs"]["x"]), bytes.fromhex(case["inputs"]["y"]), case["arguments"][0]


def test_the_files_are_what_the_oracle_says() -> None:
    for name, text in files().items():
        assert (FOLDER / name).read_text() == text, f"{name}: run `make vectors` and review the diff"


def test_every_kind_of_fault_has_its_cases() -> None:
    assert {kind for case in CASES for kind in case["kinds"]} == FIELD_FAULTS


def test_names_are_unique() -> None:
    for name in files():
        names = [case["name"] for case in json.loads((FOLDER / name).read_text())["cases"]]
        assert len(names) == len(set(names))


def test_most_cases_demand_bits() -> None:
    assert sum("bits" in expected(case) for case in DONE) > 500


def test_bounds_hold_the_exact_value_and_are_tight() -> None:
    for case in DONE:
        if "value" not in expected(case):
            continue
        exact = dot(*operands(case))
        value, bound = Fraction(expected(case)["value"]), Fraction(expected(case)["bound"])
        assert abs(value - exact.value) < bound
        # A single quant that is off by one moves the result by more than the bound.
        assert bound < exact.magnitude / 50_000


def test_no_kernel_rounds_more_often_than_the_vectors_allow() -> None:
    for unroll in range(1, 17):
        for accumulators in (a for a in range(1, 9) if unroll % a == 0):
            plan = dot_plan(KernelSpec(Isa.RELAXED, unroll=unroll, accumulators=accumulators))
            for blocks in (1, 2, 3, 7, 16, 17, 40, 129):
                assert roundings(plan, blocks) <= blocks + FURTHER_ROUNDINGS


def test_every_strategy_passes_them_here() -> None:
    for strategy in OPERATIONS["vec_dot"].strategies:
        kernel = Kernel.load(KernelSpec(strategy.isa, strategy=strategy.name))
        for case in DONE:
            got = kernel.vec_dot(*operands(case))
            assert fits(got, expected(case)), (strategy, case["name"], got)


def fits(got: float, expect: dict[str, object]) -> bool:
    if "bits" in expect:
        return struct.pack(">f", got).hex() == str(expect["bits"])[2:]
    if "class" in expect:
        return bool(np.isnan(got))
    return abs(got - float(str(expect["value"]))) <= float(str(expect["bound"]))


def test_a_vector_of_an_infinity_is_its_bits() -> None:
    inf = next(case for case in CASES if case["name"] == "scale--inf-x0-b1")
    sign = dot(*operands(inf))
    assert expectation(sign, 1) in ({"bits": "0x7f800000"}, {"bits": "0xff800000"})


def test_relaxed_known_answers_have_seven_bit_operands() -> None:
    cases = json.loads((FOLDER / OPCODES).read_text())["cases"]
    relaxed = [case for case in cases if case["requires"] == Isa.RELAXED]
    assert len(relaxed) >= 8
    for case in relaxed:
        assert max(bytes.fromhex(case["operands"][1])) < 128
