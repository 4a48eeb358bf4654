from __future__ import annotations

import pytest

from codegen import Isa, KernelSpec, Memory
from codegen.errors import SpecError
from codegen.tune import space
from tests.specs import DOTS
from tests.tunings import CONTRACT, spec


def of(*arguments: object) -> tuple[KernelSpec, ...]:
    return space.candidates(*arguments)[CONTRACT]  # type: ignore[arg-type]


def test_every_kernel_of_these_shapes_is_tried_once() -> None:
    wanted = {
        one
        for one in DOTS
        if one.unroll in (1, 2, 3, 4, 6, 8, 12, 16)
        and one.accumulators in (1, 2, 4)
        and one.memory is Memory.EXPORT
    }
    assert len(of()) == len(wanted)
    assert set(of()) == wanted


def test_every_candidate_is_a_kernel_of_its_contract_by_its_name() -> None:
    for contract, specs in space.candidates().items():
        assert {one.contract for one in specs} == {contract}
        assert tuple(KernelSpec.parse(one.name) for one in specs) == specs


def test_isas_and_unrolls_narrow_it() -> None:
    assert {one.isa for one in of((), [Isa.RELAXED])} == {Isa.RELAXED}
    assert {(one.unroll, one.accumulators) for one in of((), [Isa.RELAXED], [5, 10])} == {
        (5, 1), (10, 1), (10, 2),
    }  # fmt: skip


def test_patterns_narrow_it_and_a_full_name_need_not_be_in_it() -> None:
    assert {one.strategy for one in of(["*-dot32_*"])} == {"dot32"}
    free = spec("relaxed_u9_a3_import")
    assert of([free.name]) == (free,)
    assert of(["*__scalar_u1", free.name, "*__scalar_u[12]"]) == (
        spec("scalar_u1"), free, spec("scalar_u2"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        (["nothing*"],),
        (["*scalar*"], [Isa.RELAXED]),
        ([f"{CONTRACT}__scalar_u2"], [], [3]),
        ([f"{CONTRACT}__scalar_u2"], [Isa.SIMD128]),
        (["*article*"], [], [2]),
        (["relaxed_u2"],),
    ],
)
def test_an_empty_space_is_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(SpecError):
        of(*arguments)


def test_the_baseline_is_the_registrys_plainest_kernel_and_the_article_is_never_best() -> None:
    assert space.baseline(spec("relaxed_u9_a3_table")) == spec("scalar_u1")
    assert [one.strategy for one in of() if not space.eligible(one)] == ["article"]
