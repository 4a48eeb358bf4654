"""Kernels for memories that threads share and for 64-bit ones: all verify, reach over 4 GiB, and share."""

import threading
from dataclasses import replace

import numpy as np
import pytest
import wasmtime

from codegen import EngineOptions, KernelSpec, Memory, verify_kernel
from codegen.base.errors import KernelCallError, KernelTrapError
from codegen.formats import Q4_0, Q8_0
from codegen.formats.layouts import GROUP_BYTES
from codegen.kernels.registry import MATRIX, UNTUNED, registered
from codegen.kernels.tile.plan import record_of
from codegen.oracle.inputs import rng_of
from codegen.oracle.matrix import interleave, prepare
from codegen.render.text import render_kernel
from codegen.runtime.gemm import MatrixKernel
from codegen.runtime.host import as_arguments, as_func, engine
from codegen.runtime.instance import Instance
from codegen.runtime.linear_memory import LinearMemory
from codegen.runtime.mul_mat import MulMat
from codegen.runtime.vec_dot import Kernel
from codegen.verify.calls import Call
from codegen.verify.module_contract import check_module
from codegen.verify.mul_mat import verification as mul_mat
from codegen.verify.pack_activations import cases as pack_activations
from codegen.verify.placement import FILL
from codegen.verify.repack import cases as repack
from codegen.verify.tile import verification as gemm
from codegen.verify.tile.cases import random_case
from codegen.wasm.assemble import assemble

EACH = tuple(
    dict.fromkeys(
        (
            *UNTUNED.values(),
            *(spec for spec in map(KernelSpec.parse, MATRIX) if spec.op == "pack_activations"),
        )
    )
)
"""One of each operation and ISA, and of each kind of prepared activations."""

MANY = (
    "gemv_q4_0_q8_0_4x1__scalar_u1",
    "gemv_q4_0_q8_0_8x1__relaxed_u1_broadcast_rolled",
    "gemm_q4_0_q8_0_8x4__simd128_u1",
    "gemm_q4_0_q8_0_8x1__relaxed_u1_output",
    "mul_mat_q4_0_8x4__relaxed_u1",
    "mul_mat_q4_0_4x1__scalar_u1",
)
"""Every way that matrix kernels go from column to column."""

GIB = 1 << 30
LONGEST = (1 << 31) - 32
"""Elements that a row can have."""

APART = (4 << 30) + 4096
"""Bytes from a column to the next, which 32 bits would take for 4096."""


def in_memory(name: str, memory: Memory = Memory.MEMORY64) -> KernelSpec:
    return replace(KernelSpec.parse(name), memory=memory)


@pytest.mark.slow
@pytest.mark.parametrize("spec", EACH, ids=lambda spec: f"{spec.op}-{spec.isa}")
def test_every_operation_and_isa_verifies_in_64_bit_memory(spec: KernelSpec) -> None:
    report = verify_kernel(replace(spec, memory=Memory.MEMORY64))
    assert report.passed, report.failures[:5]


@pytest.mark.parametrize(
    "spec", [spec for spec in registered() if spec.memory is Memory.EXPORT], ids=lambda spec: spec.name
)
def test_kernels_of_shared_memory_are_the_others_but_for_the_memory(spec: KernelSpec) -> None:
    """So what is verified of those holds, and of the registered ones that have shared memory all is verified, too."""
    plain, shared = (
        render_kernel(replace(spec, memory=memory)).partition("(module\n")[2].splitlines()
        for memory in (Memory.EXPORT, Memory.SHARED)
    )
    assert [(a, b) for a, b in zip(plain, shared, strict=True) if a != b] == [
        ('  (memory (export "memory") 1)', '  (import "env" "memory" (memory 0 65536 shared))')
    ]


def columns_of(data: bytes, count: int, stride: int) -> list[bytes]:
    """Columns, without what is between them."""
    length = len(data) - (count - 1) * stride
    return [data[at * stride :][:length] for at in range(count)]


def run_spread(kernel: Instance, call: Call, spread: dict[str, int], counts: str) -> None:
    """Calls a kernel with columns of some buffers APART bytes from each other, and looks at each column.

    Args:
        kernel: in 64-bit memory.
        call: any.
        spread: buffers, by name, with how many bytes apart their columns are in the call.
        counts: the argument that says how many columns there are.
    """
    count = int(call.arguments[counts])
    top, at, pieces = 64, {}, {}
    for name, data in {**call.inputs, **call.outputs}.items():
        at[name] = top
        pieces[name] = columns_of(data, count, spread[name]) if name in spread else [data]
        top += (len(pieces[name]) - 1) * APART + len(data) + 64
    kernel.arena.reach(top)
    for name, parts in pieces.items():
        for i, part in enumerate(parts):
            filled = np.frombuffer(part, np.uint8) if name in call.inputs else FILL
            kernel.arena.view(at[name] + i * APART, len(part))[:] = filled
    kernel.invoke(*call.placed(at))
    for name in call.outputs:
        for i, part in enumerate(pieces[name]):
            assert kernel.arena.view(at[name] + i * APART, len(part)).tobytes() == part, (name, i)


@pytest.mark.parametrize("name", MANY)
def test_columns_of_matrices_over_4_gib_apart(name: str) -> None:
    spec = in_memory(name)
    case = random_case("far-columns", 19, 5, 2)
    if spec.op == "mul_mat":
        kernel = MulMat.load(spec)
        call = mul_mat.call_of(kernel.record, case).asking(bs=APART // 4, by=APART)
        spread = {"s": 4 * case.rows, "y": 4 * case.n}
    else:
        kernel = MatrixKernel.load(spec)
        call = gemm.call_of(spec, case).asking(bs=APART // 4)
        spread = {"s": 4 * case.rows}
    run_spread(kernel, call, spread, "nr")


@pytest.mark.parametrize("how", ["scalar_u1", "relaxed_u4"])
def test_columns_to_prepare_over_4_gib_apart(how: str) -> None:
    kernel = Instance.load(spec := in_memory(f"pack_activations_q8_0__{how}"))
    call = pack_activations.call_of(pack_activations.matrix("far", 3, 5), 0, spec.record)
    run_spread(kernel, call.asking(bx=APART), {"vx": int(call.arguments["bx"])}, "nr")


@pytest.mark.parametrize("isa", ["scalar", "simd128"])
def test_rows_to_repack_over_4_gib_apart(isa: str) -> None:
    kernel = Instance.load(in_memory(f"repack_q4_0__{isa}_u1"))
    call = repack.call_of("far", 6, 3)
    run_spread(kernel, call.asking(bx=APART), {"vx": int(call.arguments["bx"])}, "nc")


def test_weights_of_more_than_4_gib() -> None:
    """All zeros, which nobody wrote, but for the last group: what is behind 4 GiB is not what is at the start."""
    kernel = MatrixKernel.load(in_memory("gemv_q4_0_q8_0_16x1__relaxed_u1"))
    case = random_case("large", 4, 1, 1 << 15)
    blocks, y = 1 << 15, prepare(case.y, kernel.record)
    groups = 4 * GIB // (blocks * GROUP_BYTES) + 3
    x = 1 << 20
    end = x + groups * blocks * GROUP_BYTES
    s, at_y = end, end + 16 * groups
    kernel.arena.reach(at_y + len(y))
    last = end - blocks * GROUP_BYTES
    assert last - x > 4 * GIB
    kernel.arena.view(last, end - last)[:] = np.frombuffer(interleave(case.x, 4, case.n), np.uint8)
    kernel.arena.view(at_y, len(y))[:] = np.frombuffer(y, np.uint8)
    kernel.invoke(case.n, s, 4 * groups, x, at_y, 1, 4 * groups)
    got = kernel.arena.view(s, 16 * groups).view("<f4")
    assert (got[-4:] == gemm.products(case.x, case.y, 4, 1, case.n)[0]).all()
    assert (got[:-4] == 0).all()


def test_rows_as_long_as_n_can_be() -> None:
    """Of four rows, more than 4 GiB: the second four are behind them."""
    kernel = MatrixKernel.load(in_memory("gemv_q4_0_q8_0_4x1__relaxed_u1"))
    first, n = random_case("long", 4, 1, 1), LONGEST
    group = n // 32 * GROUP_BYTES
    y = prepare(first.y, kernel.record)
    x, s, at_y = 4096, 64, 4096 + 2 * group
    kernel.arena.reach(at_y + n // 32 * kernel.record.bytes)
    kernel.arena.view(x + group, GROUP_BYTES)[:] = np.frombuffer(interleave(first.x, 4, 32), np.uint8)
    kernel.arena.view(at_y, len(y))[:] = np.frombuffer(y, np.uint8)
    kernel.invoke(n, s, 8, x, at_y, 1, 8)
    got = kernel.arena.view(s, 32).view("<f4")
    assert (got[4:] == gemm.products(first.x, first.y, 4, 1, 32)[0]).all()
    assert (got[:4] == 0).all()


def test_a_dot_product_as_long_as_n_can_be() -> None:
    kernel = Kernel.load(in_memory("vec_dot_q4_0_q8_0__relaxed_u4"))
    last = random_case("last", 1, 1, 1)
    x, y = 4096, (5 << 30) - 1
    at = {x + (LONGEST // 32 - 1) * Q4_0.bytes: last.x, y + (LONGEST // 32 - 1) * Q8_0.bytes: last.y}
    kernel.arena.reach(y + LONGEST // 32 * Q8_0.bytes)
    for address, block in at.items():
        kernel.arena.view(address, len(block))[:] = np.frombuffer(block, np.uint8)
    kernel.call(LONGEST, 64, x, y)
    assert kernel.arena.view(64, 4).view("<f4")[0] == kernel.vec_dot(last.x, last.y, 32)


@pytest.mark.parametrize("counts", [{"nr": -1}, {"nc": -1}, {"nr": -(1 << 31), "nc": 1, "bs": 1}])
def test_negative_counts_are_refused_though_memory_could_hold_as_many(counts: dict[str, int]) -> None:
    kernel = MatrixKernel.load(in_memory("gemv_q4_0_q8_0_4x1__scalar_u1"))
    kernel.arena.reach(17 * GIB)
    call = gemm.call_of(kernel.spec, random_case("nothing", 1, 1, 0)).asking(**counts)
    with pytest.raises(KernelTrapError) as error:
        kernel.invoke(*call.placed({"s": 0, "x": 0, "y": 0}))
    assert error.value.contract


def test_threads_share_a_matrix_in_instances_of_their_own() -> None:
    spec = in_memory("mul_mat_q4_0_8x4__simd128_u1", Memory.SHARED)
    case = random_case("threads", 64, 3, 40)
    host = engine(EngineOptions())
    module = wasmtime.Module(host, assemble(render_kernel(spec)))
    kind = module.imports[0].type
    assert isinstance(kind, wasmtime.MemoryType)
    shared = LinearMemory.like(kind, host, wasmtime.Store(host))
    call = mul_mat.call_of(record_of(spec), case)
    sizes = call.sizes() | {"second": len(call.outputs["work"])}
    at = dict(zip(sizes, np.cumsum([64, *sizes.values()]).tolist(), strict=False))
    shared.reach(at["second"] + sizes["second"])
    for name, data in call.inputs.items():
        shared.view()[at[name] :][: len(data)] = np.frombuffer(data, np.uint8)
    barrier = threading.Barrier(2, timeout=60)

    def half(first: int, work: str) -> None:
        store = wasmtime.Store(host)
        exports = wasmtime.Instance(store, module, [shared.memory]).exports(store)
        weights = at["x"] + first // 4 * (case.n // 32) * GROUP_BYTES
        values = call.asking(nc=32, s=at["s"] + 4 * first, vx=weights, work=work).placed(at)
        barrier.wait()
        as_func(exports[spec.export])(store, *as_arguments([kind for _, kind in spec.parameters], [*values]))

    threads = [threading.Thread(target=half, args=one) for one in ((0, "work"), (32, "second"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results = call.outputs["s"]
    assert shared.view()[at["s"] :][: len(results)].tobytes() == results


@pytest.mark.parametrize("other", [Memory.SHARED, Memory.MEMORY64])
def test_a_module_with_another_memory_than_its_name_says_is_told(other: Memory) -> None:
    for claimed, real in ((Memory.IMPORT, other), (other, Memory.IMPORT)):
        wasm = assemble(render_kernel(in_memory("repack_q4_0__scalar_u1", real)))
        failures = list(check_module(Instance(in_memory("repack_q4_0__scalar_u1", claimed), wasm)))
        assert any(failure.startswith("memory's (is_64, is_shared, min, max) are") for failure in failures)


def test_addresses_are_refused_where_they_do_not_fit() -> None:
    kernel = Instance.load(in_memory("repack_q4_0__scalar_u1"))
    with pytest.raises(KernelCallError, match="64 bits"):
        kernel.invoke(32, 1 << 64, 0, 0, 1)
    with pytest.raises(KernelCallError, match="32 bits"):
        Instance.load(in_memory("repack_q4_0__scalar_u1", Memory.SHARED)).invoke(32, 1 << 32, 0, 0, 1)


def test_random_bytes_are_the_same_in_every_memory() -> None:
    """What a kernel computes does not depend on where."""
    values = rng_of("memories").standard_normal((3, 8 * Q8_0.elements)).astype(np.float32)
    case = random_case("memories", 21, 3, 8)
    bits = set()
    for memory in Memory:
        kernel = MulMat.load(in_memory("mul_mat_q4_0_8x4__relaxed_u1", memory))
        weights = kernel.place(interleave(case.x, case.rows, case.n), case.rows, case.n)
        bits.add(kernel.multiply(weights, values).tobytes())
    assert len(bits) == 1
