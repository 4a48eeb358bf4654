import numpy as np
import pytest

from codegen import Isa, KernelSpec
from codegen.formats import Q4_0
from codegen.kernels.dot.plan import dot_plan
from codegen.verify.dot.cases import Cases
from codegen.verify.dot.judge import differs, roundings
from codegen.verify.dot.model import result, terms


def test_one_block_a_turn_is_summed_in_order() -> None:
    case = Cases(Q4_0).random("model", 9, "usual")
    each = terms(case.x, case.y, Q4_0)
    total = np.float32(0)
    for term in each:
        total = np.float32(total + term)
    assert result(dot_plan(KernelSpec(Isa.SCALAR)), each) == total


def test_four_blocks_share_a_vector_and_the_rest_follows() -> None:
    each = np.array([1, 2**24, 1, -(2**24), 1, 1], np.float32)
    # lanes 1, 2^24, 1, -2^24 join as (1 + 2^24) + (1 - 2^24) = 2^24 + (1 - 2^24) = 1
    assert result(dot_plan(KernelSpec(Isa.RELAXED, unroll=4)), each) == 3
    assert result(dot_plan(KernelSpec(Isa.SCALAR)), each) == 2


@pytest.mark.parametrize("unroll", range(1, 17))
def test_the_bound_counts_every_addition_of_the_longest_path(unroll: int) -> None:
    for accumulators in (a for a in range(1, 9) if unroll % a == 0):
        plan = dot_plan(KernelSpec(Isa.RELAXED, unroll=unroll, accumulators=accumulators))
        for blocks in (1, 5, 16, 40):
            # Each addition that rounds can be off by half an ulp of what is there: make all of them round up.
            step = np.float32(2.0**-23)
            each = np.full(blocks, 1 + step, np.float32)
            error = abs(float(result(plan, each)) - blocks * (1 + float(step)))
            assert error <= roundings(plan, blocks) * 2.0**-24 * blocks * (1 + float(step))


def test_a_difference_in_the_last_bit_is_told() -> None:
    one = np.float32(1)
    assert differs(float(np.nextafter(one, np.float32(2))), one)
    assert differs(-0.0, np.float32(0))
    assert differs(1.0, one) is None
