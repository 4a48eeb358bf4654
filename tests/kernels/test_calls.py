"""The Python API's calls: what they refuse, and that they do not touch their inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from codegen import Isa, Kernel, KernelSpec, MatrixKernel, MulMat, Preparer, Quantizer, Repacker
from codegen.base.errors import CodegenError, KernelCallError, KernelTrapError
from codegen.formats import Q4_0
from codegen.oracle.dot import dot
from codegen.runtime.instance import Instance
from codegen.verify.dot.cases import Cases


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return Kernel.load(KernelSpec(Isa.RELAXED, unroll=4))


CASE = Cases(Q4_0).random("call", 6, "powers")


@pytest.mark.parametrize("n", [-32, -1, 1, 31, 33, 190, 193, 1.0, "32", None, True])
def test_n_must_be_a_whole_number_of_blocks(kernel: Kernel, n: object) -> None:
    with pytest.raises(KernelCallError, match="multiple of 32"):
        kernel.vec_dot(CASE.x, CASE.y, n)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("x", "y", "name"), [(CASE.x[:-1], CASE.y, "x"), (CASE.x, CASE.y[:-1], "y"), (b"", CASE.y, "x")]
)
def test_a_buffer_shorter_than_n_says_is_refused(kernel: Kernel, x: bytes, y: bytes, name: str) -> None:
    with pytest.raises(KernelCallError, match=rf"^{name}: "):
        kernel.vec_dot(x, y, CASE.n)


@pytest.mark.parametrize("x", ["text", 7, None, np.zeros(999, np.float64)[::2], [1, 2, 3]])
def test_what_is_not_bytes_is_refused(kernel: Kernel, x: object) -> None:
    with pytest.raises(CodegenError, match=r"^x: "):
        kernel.vec_dot(x, CASE.y, CASE.n)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8)])
def test_any_contiguous_buffer_will_do_and_a_longer_one_too(kernel: Kernel, kind: type) -> None:
    want = float(dot(CASE.x, CASE.y, CASE.n).value)
    assert kernel.vec_dot(kind(CASE.x), kind(CASE.y + b"\xff\x7f"), CASE.n) == want


def test_inputs_are_not_modified(kernel: Kernel) -> None:
    x, y = bytearray(CASE.x), bytearray(CASE.y)
    kernel.vec_dot(x, y, CASE.n)
    assert (x, y) == (CASE.x, CASE.y)


@pytest.mark.parametrize("isa", Isa)
def test_rows_are_dots(isa: Isa) -> None:
    kernel = Kernel.load(KernelSpec(isa, unroll=2))
    rows = [Cases(Q4_0).random(f"row-{i}", 5, "powers") for i in range(7)]
    shared = rows[0].y
    got = kernel.rows(b"".join(r.x for r in rows), shared, 7, 160)
    assert got.tolist() == [float(dot(r.x, shared, 160).value) for r in rows]
    own = kernel.rows(b"".join(r.x for r in rows), b"".join(r.y for r in rows), 7, 160, per_row=True)
    assert own.tolist() == [float(dot(r.x, r.y, 160).value) for r in rows]


def test_no_rows_are_no_results(kernel: Kernel) -> None:
    assert kernel.rows(b"", CASE.y, 0, CASE.n).shape == (0,)


@pytest.mark.parametrize("rows", [-1, 1.5, "2"])
def test_a_count_of_rows_is_a_whole_number(kernel: Kernel, rows: object) -> None:
    with pytest.raises(KernelCallError, match="rows"):
        kernel.rows(CASE.x, CASE.y, rows, CASE.n)  # type: ignore[arg-type]


def test_addresses_that_would_wrap_are_refused(kernel: Kernel) -> None:
    with pytest.raises(KernelCallError, match="32 bits"):
        kernel.call(32, 0, 1 << 32, 0)


def test_more_memory_than_32_bits_can_name_is_refused(kernel: Kernel) -> None:
    with pytest.raises(KernelCallError, match="4 GiB"):
        kernel.arena.allocate((1 << 32) + 1)


def test_rows_that_were_replaced_in_memory_are_not_computed(kernel: Kernel) -> None:
    placed = kernel.place(CASE.x, CASE.y, 1, CASE.n)
    want = placed.compute().tolist()
    assert placed.compute().tolist() == want
    kernel.place(CASE.x[::-1], CASE.y, 1, CASE.n)
    with pytest.raises(KernelCallError, match="place them again"):
        placed.compute()


@pytest.mark.parametrize(("rounds", "rows"), [(0, 1), (1, 0), (-1, 1)])
def test_a_loop_of_no_turns_is_refused(kernel: Kernel, rounds: int, rows: int) -> None:
    with pytest.raises(KernelCallError, match="at least 1"):
        kernel.call_rows(rounds, rows, 32, 0, 64, 18, 128, 34)


def test_numbers_where_blocks_belong_are_refused(kernel: Kernel) -> None:
    with pytest.raises(KernelCallError, match="as bytes"):
        kernel.vec_dot(np.zeros(1000, np.float32), CASE.y, CASE.n)  # type: ignore[arg-type]


def test_numpys_whole_numbers_will_do_for_n(kernel: Kernel) -> None:
    assert kernel.vec_dot(CASE.x, CASE.y, np.int64(CASE.n)) == kernel.vec_dot(CASE.x, CASE.y, CASE.n)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "nrc"), [(31, 1), (32, 2)])
def test_a_trap_says_whether_it_is_the_contracts(kernel: Kernel, n: int, nrc: int) -> None:
    with pytest.raises(KernelTrapError) as caught:
        kernel.call(n, 0, 64, 128, nrc)
    assert caught.value.contract
    with pytest.raises(KernelTrapError) as caught:
        kernel.call(32, 0, kernel.arena.end, 128)
    assert not caught.value.contract


KINDS: dict[type[Instance], str] = {
    Kernel: "vec_dot_q4_0_q8_0__scalar_u1",
    MatrixKernel: "gemv_q4_0_q8_0_4x1__scalar_u1",
    MulMat: "mul_mat_q4_0_4x1__scalar_u1",
    Preparer: "pack_activations_q8_0__scalar_u1",
    Quantizer: "quantize_row_q8_0__scalar_u1",
    Repacker: "repack_q4_0__scalar_u1",
}
"""What takes kernels, and a kernel that it takes."""

HUGE = 10**5000
"""A number that Python does not print."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_of_another_operation_is_refused(kind: type[Instance]) -> None:
    for other in KINDS.values():
        if other != KINDS[kind]:
            wanted = f"^{other}: {kind.__name__} takes no .*; name a {kind.operations[0]}"
            with pytest.raises(KernelCallError, match=wanted):
                kind.load(KernelSpec.parse(other))


@pytest.mark.parametrize(
    ("kind", "call", "message"),
    [
        (
            Kernel,
            lambda kernel: kernel.rows(b"", b"", HUGE, 0),
            "rows = <int>: must be a whole number from 0 to",
        ),
        (Kernel, lambda kernel: kernel.call(HUGE, 0, 0, 0), "<int>: does not fit in 32 bits"),
        (MatrixKernel, lambda kernel: kernel.multiply(b"", b"", 33, 0, 0), "n = 33: .* multiple of 32"),
        (MatrixKernel, lambda kernel: kernel.multiply(b"", b"", 32, -1, 0), "rows = -1: "),
        (MatrixKernel, lambda kernel: kernel.multiply(b"", b"", 32, 0, 1.5), "columns = 1.5: "),
        (MulMat, lambda kernel: kernel.place(b"", HUGE, 0), "rows = <int>: "),
        (
            MulMat,
            lambda kernel: kernel.place(b"1", 3, 64),
            "x: 1 bytes; pass 3 x 64 repacked weights, 144 bytes",
        ),
        (Repacker, lambda kernel: kernel.repack(b"", 0, 32 * HUGE), "n = <int>: "),
        (
            Repacker,
            lambda kernel: kernel.repack(b"1", 3, 64),
            "rows: 1 bytes; pass 3 x 64 weights, 108 bytes",
        ),
        (
            Preparer,
            lambda kernel: kernel.prepare([0.0] * 32),
            r"values: list; pass .* float32, shape \(columns, n\)",
        ),
        (Quantizer, lambda kernel: kernel.quantize(None), r"values: NoneType; pass .* float32, shape \(k\)"),
    ],
)
def test_wrong_operands_are_refused_in_a_line(
    kind: type[Instance], call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(KernelCallError, match=f"^{message}"):
        call(kind.load(KernelSpec.parse(KINDS[kind])))
