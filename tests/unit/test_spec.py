from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen import Isa, KernelSpec, Memory
from codegen.base.errors import CodegenError, SpecError
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.registry import FAMILIES, UNROLLS, fastest, registered, select
from tests.specs import EVERY_SPEC


@given(st.sampled_from(EVERY_SPEC))
def test_a_name_round_trips(spec: KernelSpec) -> None:
    assert KernelSpec.parse(spec.name) == spec


@given(st.sampled_from(EVERY_SPEC), st.sampled_from(EVERY_SPEC))
def test_different_specs_have_different_names(one: KernelSpec, other: KernelSpec) -> None:
    assert (one.name == other.name) == (one == other)


def test_defaults_are_left_out_of_a_name() -> None:
    spec = KernelSpec(Isa.SIMD128, unroll=2, accumulators=2, strategy="extmul")
    assert spec.name == "vec_dot_q4_0_q8_0__simd128-extmul_u2_a2"
    assert KernelSpec(Isa.RELAXED).name == "vec_dot_q4_0_q8_0__relaxed_u1"


def test_an_operation_with_tiles_has_them_in_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    tiled = replace(OPERATIONS["vec_dot"], name="gemm", operands=(("q8_0",),), tiles=((4, 4), (8, 1)))
    monkeypatch.setitem(OPERATIONS, "gemm", tiled)
    spec = KernelSpec(Isa.RELAXED, unroll=2, op="gemm", x="q8_0", y="", tile=(8, 1))
    assert spec.name == "gemm_q8_0_8x1__relaxed_u2"
    assert spec.contract == "gemm_q8_0"
    assert KernelSpec.parse(spec.name) == spec
    for name in ("gemm_q8_0__relaxed_u2", "gemm_q8_0_1x8__relaxed_u2", "vec_dot_q4_0_q8_0_8x1__relaxed_u2"):
        with pytest.raises(SpecError, match=r"^tile "):
            KernelSpec.parse(name)
    for tile in (None, (8, True), [8], (8, 1, 1), "8x1", np.zeros(2)):
        with pytest.raises(SpecError, match=r"^tile "):
            replace(spec, tile=tile)  # type: ignore[arg-type]


def test_an_operation_without_strategies_for_an_isa_has_no_such_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dots = OPERATIONS["vec_dot"]
    strict = replace(dots, strategies=tuple(s for s in dots.strategies if s.isa is not Isa.RELAXED))
    monkeypatch.setitem(OPERATIONS, "vec_dot", strict)
    with pytest.raises(SpecError, match=r"^isa relaxed: vec_dot has scalar, simd128"):
        KernelSpec(Isa.RELAXED)


@given(st.text(max_size=60) | st.text(alphabet="vecdotq408_simdrlxua-", max_size=60))
def test_no_text_parses_to_a_spec_of_another_name(text: str) -> None:
    try:
        spec = KernelSpec.parse(text)
    except SpecError as error:
        assert "\n" not in str(error)
    else:
        assert spec.name == text


@pytest.mark.parametrize(
    "name",
    [
        "vec_dot_q4_0_q8_0__relaxed_u0",
        "vec_dot_q4_0_q8_0__relaxed_u17",
        "vec_dot_q4_0_q8_0__relaxed_u02",
        "vec_dot_q4_0_q8_0__relaxed_u4_a1",
        "vec_dot_q4_0_q8_0__relaxed_u4_a3",
        "vec_dot_q4_0_q8_0__relaxed-dot16_u1",
        "vec_dot_q4_0_q8_0__scalar-dot_u1",
        "vec_dot_q4_0_q8_0__avx2_u1",
        "vec_dot_q8_0_q4_0__scalar_u1",
        "vec_dot_q4_0_q8_0__article",
        "vec_dot_q4_0_q8_0__relaxed_u4_import_overflow",
        "vec_dot_q4_0_q8_0__relaxed_u4_narrow_overflow",
        "vec_dot_q4_0_q8_0__relaxed_u4_arithmetic",
        "vec_dot_q4_0_q8_0__relaxed_u4_shuffle",
        "vec_dot_q4_0_q8_0__relaxed_u1_overflow",
        "vec_dot_q4_0_q8_0__scalar_u1\n",
        "vec_dot_q4_0_q8_0__scalar_u\N{ARABIC-INDIC DIGIT TWO}",
        "",
    ],
)
def test_what_is_no_canonical_name_is_refused(name: str) -> None:
    with pytest.raises(SpecError):
        KernelSpec.parse(name)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"isa": "mmx"}, "isa"),
        ({"isa": "scalar", "unroll": 0}, "unroll"),
        ({"isa": "scalar", "unroll": 17}, "unroll"),
        ({"isa": "scalar", "unroll": 2.5}, "unroll"),
        ({"isa": "scalar", "unroll": True}, "unroll"),
        ({"isa": "scalar", "unroll": 16, "accumulators": 16}, "accumulators"),
        ({"isa": "scalar", "unroll": 4, "accumulators": 3}, "accumulators"),
        ({"isa": "scalar", "strategy": "dot"}, "strategy"),
        ({"isa": "scalar", "scales": "guess"}, "scales"),
        ({"isa": "scalar", "memory": "memory32"}, "memory"),
        ({"isa": "relaxed", "unroll": 4, "fold": "paper"}, "fold"),
        ({"isa": "scalar", "unroll": 4, "fold": "narrow"}, "fold"),
        ({"isa": "simd128", "unroll": 4, "fold": "narrow"}, "fold"),
        ({"isa": "relaxed", "unroll": 4, "accumulators": 4, "fold": "narrow"}, "fold"),
        ({"isa": "scalar", "unroll": 4, "scales": "overflow"}, "scales"),
        ({"isa": "relaxed", "scales": "overflow"}, "scales"),
        ({"isa": "scalar", "op": "axpy"}, "op"),
        ({"isa": "scalar", "x": "q4_K"}, "formats"),
    ],
)
def test_a_wrong_parameter_is_named(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(SpecError, match=f"^{named}"):
        KernelSpec(**arguments)  # type: ignore[arg-type]


def test_the_registry_has_each_family_at_each_unroll_once() -> None:
    assert len(set(registered())) == len(registered())
    assert {spec.isa for spec in registered()} == set(Isa)
    for isa in Isa:
        assert {spec.unroll for spec in registered() if spec.isa is isa} >= set(UNROLLS)
    assert set(fastest().values()) <= set(registered())


def test_selection_by_pattern_isa_and_unroll() -> None:
    assert select() == registered()
    assert {s.isa for s in select(isas=[Isa.RELAXED])} == {Isa.RELAXED}
    assert [s.name for s in select(["*scalar_u2"])] == ["vec_dot_q4_0_q8_0__scalar_u2"]
    assert select(["vec_dot_q4_0_q8_0__relaxed_u9_a3"]) == (
        KernelSpec(Isa.RELAXED, unroll=9, accumulators=3),
    )
    assert select(["*_u1", "*scalar*"]).count(KernelSpec(Isa.SCALAR)) == 1


def test_an_unroll_is_that_of_each_family_and_all_other_kernels_are_there_as_they_are() -> None:
    chosen = select(unroll=7)
    assert [spec for spec in chosen if spec.unroll == 7] == [replace(family, unroll=7) for family in FAMILIES]
    of_families = {replace(family, unroll=unroll) for family in FAMILIES for unroll in UNROLLS}
    others = {spec for spec in registered() if spec.memory is Memory.EXPORT} - of_families
    assert {spec for spec in chosen if spec.unroll != 7} == others
    assert {spec.op for spec in chosen} == set(OPERATIONS)
    assert len(set(chosen)) == len(chosen)


@pytest.mark.parametrize(
    "arguments", [(["nothing*"],), (["*scalar*"], [Isa.RELAXED]), (["vec_dot_q4_0_q8_0__scalar_u2"], [], 3)]
)
def test_a_selection_of_nothing_is_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(CodegenError):
        select(*arguments)  # type: ignore[arg-type]
