"""Prepared activations against the oracle: every shape, any numbers, and what a matrix kernel makes of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import EngineOptions, Isa, KernelSpec, verify_kernel
from codegen.base.errors import KernelCallError, KernelTrapError, SpecError
from codegen.formats import Q8_0
from codegen.formats.layouts import Activations, Kind, Record
from codegen.formats.quantise import quantize_q8_0
from codegen.oracle.dot import decode
from codegen.oracle.matrix import prepare
from codegen.runtime.pack_activations import Preparer
from codegen.verify.pack_activations.cases import matrix
from codegen.verify.quantize_row.cases import small_cases
from tests.specs import EVERY_SPEC

PREPARERS = [spec for spec in EVERY_SPEC if spec.op == "pack_activations"]
EXPORTING = [spec for spec in PREPARERS if spec.memory == "export" and spec.unroll in (1, 5)]
RECORDS = [Record(kind, activations) for kind in Kind for activations in Activations]


def named(how: str) -> KernelSpec:
    return KernelSpec.parse(f"pack_activations_q8_0__{how}")


SHAPES = [
    Preparer.load(named(how))
    for how in ("scalar_u1", "simd128_u4", "relaxed_u4_broadcast", "relaxed-sums_u5")
]


def wanted(kernel: Preparer, values: np.ndarray) -> bytes:
    return prepare(quantize_q8_0(values.reshape(-1)), kernel.record)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["simd128-pairs_u5_broadcast", "relaxed-wide_u2_import"])
def test_kernels_that_are_not_shipped_verify_too(how: str) -> None:
    report = verify_kernel(named(how))
    assert report.passed, report.failures[:5]
    assert report.blocks > 100_000


@pytest.mark.parametrize("spec", EXPORTING, ids=lambda spec: spec.name)
def test_every_kind_at_every_number_of_blocks_and_columns(spec: KernelSpec) -> None:
    kernel = Preparer.load(spec)
    for columns, blocks in ((0, 3), (1, 0), (1, 1), (2, 3), (3, 4), (2, 9), (1, 11)):
        values = matrix(f"{columns}-{blocks}", columns, blocks)
        assert kernel.prepare(values) == wanted(kernel, values), (columns, blocks)


ANY_BITS = st.integers(0, (1 << 32) - 1)
SPECIAL = st.sampled_from([0, 1 << 31, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00000])


@settings(max_examples=200, deadline=None)
@given(st.lists(ANY_BITS | SPECIAL, min_size=192, max_size=192))
def test_any_bits_at_all(bits: list[int]) -> None:
    values = np.array(bits, np.uint32).view(np.float32).reshape(1, -1)
    for kernel in SHAPES:
        assert kernel.prepare(values) == wanted(kernel, values), kernel.spec.name


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_record_has_what_the_products_need(record: Record) -> None:
    """The oracle by its meaning: the start undoes the 8 in raw nibbles, whatever these are, and scales are exact."""
    values = matrix("meaning", 1, 6)
    blocks = decode(quantize_q8_0(values.reshape(-1)), Q8_0)
    times = 4 if record.activations is Activations.BROADCAST else 1
    words = np.frombuffer(prepare(quantize_q8_0(values.reshape(-1)), record), "<u4").reshape(6, -1)[
        :, ::times
    ]
    nibbles = np.random.default_rng(7).integers(0, 16, (6, 32))
    exact = ((nibbles - 8) * blocks.values).sum(axis=1)
    starts = words[:, 0].copy()
    if record.kind is Kind.PAIRS:
        start = starts.view("<i2").reshape(6, 2).astype(int).sum(axis=1)
    else:
        start = starts.view("<i4").astype(int)
    quants = np.ascontiguousarray(words[:, 2:])
    if record.kind is Kind.WIDE:
        parts = quants.view("<i2").reshape(6, 4, 8).astype(int)
        low, high = nibbles[:, :16], nibbles[:, 16:]
        raw = np.stack([low[:, ::2], high[:, ::2] * 16, low[:, 1::2] * 256, high[:, 1::2]], axis=1)
        assert ((parts * raw).sum(axis=(1, 2)) + start == 256 * exact).all()
    else:
        assert ((quants.view("i1").astype(int) * nibbles).sum(axis=1) + start == exact).all()
    scales = np.ascontiguousarray(words[:, 1]).view("<f4").astype(np.float64)
    assert (scales == blocks.scales.view(np.float16).astype(np.float64) * 2.0**record.exponent).all()


def test_all_isas_give_the_same_records() -> None:
    for kind in ("wide", "sums"):
        kernels = [
            Preparer.load(KernelSpec.parse(name))
            for name in (
                f"pack_activations_q8_0__simd128{'' if kind == 'wide' else '-sums'}_u4",
                f"pack_activations_q8_0__relaxed-{kind}_u1",
            )
        ]
        for case in small_cases():
            assert len({kernel.prepare(case.values.reshape(1, -1)) for kernel in kernels}) == 1, case.name


def test_relaxed_gives_the_same_bytes_with_deterministic_mode_on_and_off() -> None:
    spec = named("relaxed_u4_broadcast")
    fast, defined = Preparer.load(spec), Preparer.load(spec, EngineOptions(relaxed_simd_deterministic=True))
    for case in small_cases():
        values = case.values.reshape(1, -1)
        assert fast.prepare(values) == defined.prepare(values), case.name


@pytest.mark.parametrize("how", ["scalar_u1", "simd128_u1", "relaxed_u1"])
def test_a_kernel_validates_with_just_the_features_it_needs(how: str) -> None:
    isa = named(how).isa
    options = EngineOptions(simd=isa is not Isa.SCALAR, relaxed_simd=isa is Isa.RELAXED)
    kernel = Preparer.load(named(how), options)
    values = matrix("features", 2, 3)
    assert kernel.prepare(values) == wanted(kernel, values)


@pytest.mark.parametrize("arguments", [(31, 4096, 0, 0, 1), (32, 4096, 0, 0, 1 << 31), (32, 0, 39, 0, 1)])
def test_what_is_outside_the_contract_traps_by_it(arguments: tuple[int, ...]) -> None:
    with pytest.raises(KernelTrapError) as caught:
        SHAPES[0].invoke(*arguments)
    assert caught.value.contract


def test_scalar_has_compact_records_only() -> None:
    with pytest.raises(SpecError, match=r"^activations broadcast: scalar"):
        KernelSpec(Isa.SCALAR, op="pack_activations", x="q8_0", y="", activations=Activations.BROADCAST)


@pytest.mark.parametrize(
    "values", [np.zeros((1, 32)), np.zeros(32, np.float32), np.zeros((2, 33), np.float32)]
)
def test_what_are_no_columns_is_refused(values: np.ndarray) -> None:
    with pytest.raises(KernelCallError, match=r"^values: "):
        SHAPES[0].prepare(values)
