"""The kernels against the oracle: every parameter's whole range, every engine mode."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import EngineOptions, Isa, Kernel, KernelSpec, Memory, assemble, render_kernel, verify_kernel
from codegen.base.errors import KernelCallError, KernelLoadError, KernelTrapError
from codegen.formats import FORMATS, Q4_0
from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.registry import registered
from codegen.oracle.dot import dot
from codegen.verify.dot.cases import Cases
from codegen.verify.dot.judge import bound, mismatch
from tests.specs import DOTS, STRATEGY_OF_ISA

# One repack is a whole matrix, and the exact result of one mul_mat is many blocks' work.
LEAST_BLOCKS = {"repack": 5_000, "mul_mat": 40_000}


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_every_registered_kernel_verifies(spec: KernelSpec) -> None:
    report = verify_kernel(spec)
    assert report.passed, report.failures[:5]
    assert report.blocks > LEAST_BLOCKS.get(spec.op, 100_000)


@pytest.mark.parametrize("unroll", range(1, 17))
@pytest.mark.parametrize(("isa", "strategy"), STRATEGY_OF_ISA)
def test_every_block_count_with_every_unroll(isa: Isa, strategy: str, unroll: int) -> None:
    spec = KernelSpec(isa, unroll=unroll, strategy=strategy)
    kernel = Kernel.load(spec)
    for blocks in range(41):
        case = Cases(Q4_0).random(f"count-{blocks}", blocks, "powers")
        got = kernel.vec_dot(case.x, case.y, case.n)
        assert mismatch(got, dot(case.x, case.y, case.n), Fraction(0)) is None, blocks


@settings(max_examples=60, deadline=None)
@given(
    spec=st.sampled_from(DOTS),
    blocks=st.integers(0, 70),
    scales=st.sampled_from(["powers", "usual", "finite"]),
)
def test_any_spec_on_any_blocks(spec: KernelSpec, blocks: int, scales: str) -> None:
    x = FORMATS[spec.x]
    case = Cases(x).random(f"{scales}-{blocks}", blocks, scales)
    expected = dot(case.x, case.y, case.n, x)
    got = Kernel.load(spec).vec_dot(case.x, case.y, case.n)
    assert mismatch(got, expected, bound(dot_plan(spec), blocks, expected.magnitude)) is None


@settings(max_examples=40, deadline=None)
@given(data=st.data(), blocks=st.integers(1, 20))
def test_arbitrary_bytes_are_blocks(data: st.DataObject, blocks: int) -> None:
    x = data.draw(st.binary(min_size=18 * blocks, max_size=18 * blocks))
    y = data.draw(st.binary(min_size=34 * blocks, max_size=34 * blocks))
    expected = dot(x, y, 32 * blocks)
    for isa in Isa:
        spec = KernelSpec(isa, unroll=4)
        got = _loaded(spec).vec_dot(x, y, 32 * blocks)
        assert mismatch(got, expected, bound(dot_plan(spec), blocks, expected.magnitude)) is None, isa


_KERNELS: dict[KernelSpec, Kernel] = {}


def _loaded(spec: KernelSpec) -> Kernel:
    if spec not in _KERNELS:
        _KERNELS[spec] = Kernel.load(spec)
    return _KERNELS[spec]


@pytest.mark.parametrize("strategy", OPERATIONS["vec_dot"].strategies_of(Isa.RELAXED, "q4_0"))
@pytest.mark.parametrize("unroll", [1, 2, 4, 5])
def test_relaxed_gives_the_same_bits_with_deterministic_mode_on_and_off(strategy: str, unroll: int) -> None:
    spec = KernelSpec(Isa.RELAXED, unroll=unroll, strategy=strategy)
    fast = Kernel.load(spec)
    defined = Kernel.load(spec, EngineOptions(relaxed_simd_deterministic=True))
    for case in Cases(Q4_0).all():
        bits = [struct.pack("<f", k.vec_dot(case.x, case.y, case.n)) for k in (fast, defined)]
        assert bits[0] == bits[1] or all(np.isnan(struct.unpack("<f", b)[0]) for b in bits), case.name


def test_kernels_of_unroll_1_give_the_bits_of_scalar_on_every_case() -> None:
    kernels = [_loaded(KernelSpec(isa, strategy=strategy)) for isa, strategy in STRATEGY_OF_ISA]
    for case in Cases(Q4_0).all():
        got = {struct.pack("<f", kernel.vec_dot(case.x, case.y, case.n)) for kernel in kernels}
        assert len(got) == 1 or all(np.isnan(struct.unpack("<f", b)[0]) for b in got), case.name


@pytest.mark.parametrize("isa", Isa)
def test_a_kernel_validates_with_just_the_features_it_needs(isa: Isa) -> None:
    spec = KernelSpec(isa, unroll=4)
    options = EngineOptions(simd=isa is not Isa.SCALAR, relaxed_simd=isa is Isa.RELAXED)
    assert Kernel.load(spec, options).vec_dot(b"", b"", 0) == 0.0


@pytest.mark.parametrize(
    ("isa", "options"),
    [
        (Isa.SIMD128, EngineOptions(simd=False, relaxed_simd=False)),
        (Isa.RELAXED, EngineOptions(relaxed_simd=False)),
    ],
)
def test_a_kernel_is_refused_where_its_feature_is_off(isa: Isa, options: EngineOptions) -> None:
    # The driver is plain wasm: what is refused is the kernel.
    with pytest.raises(KernelLoadError, match=r"SIMD|simd"):
        Kernel.load(KernelSpec(isa), options)


def test_the_impossible_engine_is_refused_before_it_aborts_the_process() -> None:
    with pytest.raises(KernelCallError, match="relaxed_simd"):
        EngineOptions(simd=False, relaxed_simd=True)


@pytest.mark.parametrize(
    "spec",
    [spec for spec in DOTS if (spec.unroll, spec.accumulators, spec.memory) == (2, 1, Memory.IMPORT)],
    ids=lambda spec: spec.name,
)
def test_blocks_and_results_above_2_gib(spec: KernelSpec) -> None:
    kernel = Kernel.load(spec)
    x = FORMATS[spec.x]
    case = Cases(x).random("high", 5, "powers")
    high = (1 << 31) + 12345
    kernel.arena.reach(high + 100_000)
    kernel.arena.view(high, len(case.x))[:] = np.frombuffer(case.x, np.uint8)
    kernel.arena.view(high + 5000, len(case.y))[:] = np.frombuffer(case.y, np.uint8)
    kernel.call(case.n, high + 9001, high, high + 5000)
    got = float(kernel.arena.view(high + 9001, 4).copy().view("<f4")[0])
    assert mismatch(got, dot(case.x, case.y, case.n, x), Fraction(0)) is None


@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("side", ["x", "y"])
def test_a_block_past_the_end_of_memory_traps_and_writes_nothing(isa: Isa, side: str) -> None:
    kernel = Kernel.load(KernelSpec(isa, unroll=4))
    arena = kernel.arena
    s, blocks = arena.allocate(4), arena.allocate(4096)
    arena.view(s, 4)[:] = 0xA5
    size = {"x": 18, "y": 34}[side]
    past = arena.end - 3 * size + 1
    with pytest.raises(KernelTrapError, match="out of bounds"):
        kernel.call(96, s, past if side == "x" else blocks, past if side == "y" else blocks)
    assert (arena.view(s, 4) == 0xA5).all()


def test_a_call_leaves_nothing_behind_for_the_next() -> None:
    special = Cases(Q4_0).constant("inf", (), 9, 1, 1, dx=0x7C00)
    plain = Cases(Q4_0).random("plain", 9, "usual")
    for isa in Isa:
        kernel = Kernel.load(KernelSpec(isa, unroll=4))
        first = kernel.vec_dot(plain.x, plain.y, plain.n)
        assert kernel.vec_dot(special.x, special.y, special.n) == float("inf")
        assert kernel.vec_dot(plain.x, plain.y, plain.n) == first


@pytest.mark.parametrize("isa", Isa)
def test_no_elements_store_plus_zero(isa: Isa) -> None:
    kernel = Kernel.load(KernelSpec(isa, unroll=4))
    s = kernel.arena.allocate(4)
    kernel.arena.view(s, 4)[:] = 0xFF
    kernel.call(0, s, kernel.arena.end, kernel.arena.end)
    assert kernel.arena.view(s, 4).tobytes() == bytes(4)


def test_the_two_assemblers_give_the_same_bytes() -> None:
    from codegen.wasm.assemble import Assembler, default_assembler

    if default_assembler() is not Assembler.WABT:
        pytest.skip("no WABT wheel for this platform")
    for spec in registered():
        wat = render_kernel(spec)
        assert assemble(wat, Assembler.WABT) == assemble(wat, Assembler.WASMTIME), spec.name
