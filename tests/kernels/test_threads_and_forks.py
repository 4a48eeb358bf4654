"""One kernel used by several threads, and one that a forked process inherits: right results or an error."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from codegen import Kernel, KernelSpec, MatrixKernel, MulMat, Preparer, Quantizer, Repacker
from codegen.base.errors import KernelCallError
from codegen.kernels.registry import fastest
from codegen.spec.strategies import Isa
from tests.cli.command import ROOT, environment

N, ROWS, CALLS = 512, 16, 150
THREADS = 4

Task = Callable[[int], bytes]
"""A call on operands of the thread of this number; the bytes of its result."""


def blocks(rng: np.random.Generator, count: int, scale_bytes: int) -> bytes:
    """Weights or activations of random codes whose scale is 1."""
    made = rng.integers(0, 256, (count, scale_bytes), np.uint8)
    made[:, :2] = (0x00, 0x3C)
    return made.tobytes()


def weights(thread: int) -> bytes:
    return blocks(np.random.default_rng(thread), ROWS * N // 32, 18)


def activations(thread: int) -> bytes:
    return blocks(np.random.default_rng(thread), N // 32, 34)


def columns(thread: int) -> np.ndarray:
    return np.random.default_rng(thread).standard_normal((2, N), np.float32)


def vec_dot() -> Task:
    kernel = Kernel.load(fastest()["vec_dot_q4_0_q8_0", Isa.SIMD128])
    return lambda thread: np.float32(kernel.vec_dot(weights(thread), activations(thread), N)).tobytes()


def rows() -> Task:
    kernel = Kernel.load(fastest()["vec_dot_q4_0_q8_0", Isa.SIMD128])
    return lambda thread: kernel.rows(weights(thread), activations(thread), ROWS, N).tobytes()


def multiply() -> Task:
    kernel = MatrixKernel.load(fastest()["gemm_q4_0_q8_0", Isa.SIMD128])
    y = [blocks(np.random.default_rng(thread), 2 * N // 32, kernel.record.bytes) for thread in range(THREADS)]
    return lambda thread: kernel.multiply(weights(thread), y[thread], N, ROWS, 2).tobytes()


def mul_mat() -> Task:
    kernel = MulMat.load(fastest()["mul_mat_q4_0", Isa.SIMD128])
    placed = [kernel.place(weights(thread), ROWS, N) for thread in range(THREADS)]
    return lambda thread: kernel.multiply(placed[thread], columns(thread)).tobytes()


def mul_mat_that_grows() -> Task:
    kernel = MulMat.load(fastest()["mul_mat_q4_0", Isa.SIMD128])
    return lambda thread: kernel.multiply(kernel.place(weights(thread), ROWS, N), columns(thread)).tobytes()


def prepare() -> Task:
    kernel = Preparer.load(KernelSpec.parse("pack_activations_q8_0__simd128_u4"))
    return lambda thread: kernel.prepare(columns(thread))


def quantize() -> Task:
    kernel = Quantizer.load(fastest()["quantize_row_q8_0", Isa.SIMD128])
    return lambda thread: kernel.quantize(columns(thread)[0])


def repack() -> Task:
    kernel = Repacker.load(fastest()["repack_q4_0", Isa.SIMD128])
    return lambda thread: kernel.repack(weights(thread), ROWS, N)


TASKS = (vec_dot, rows, multiply, mul_mat, mul_mat_that_grows, prepare, quantize, repack)


@pytest.mark.parametrize("made", TASKS)
def test_threads_that_share_a_kernel_get_their_own_results(made: Callable[[], Task]) -> None:
    task = made()
    wanted = [task(thread) for thread in range(THREADS)]
    assert len(set(wanted)) == THREADS
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            wrong = pool.map(lambda i: sum(task(i) != wanted[i] for _ in range(CALLS)), range(THREADS))
    finally:
        sys.setswitchinterval(interval)
    assert list(wrong) == [0] * THREADS


def test_rows_of_one_thread_are_not_taken_for_those_of_another() -> None:
    kernel = Kernel.load(fastest()["vec_dot_q4_0_q8_0", Isa.SIMD128])
    wanted = [kernel.rows(weights(i), activations(i), ROWS, N).tobytes() for i in range(THREADS)]

    def wrong(thread: int) -> int:
        found = 0
        for _ in range(CALLS):
            try:
                found += (
                    kernel.place(weights(thread), activations(thread), ROWS, N).compute().tobytes()
                    != wanted[thread]
                )
            except KernelCallError:  # another thread has placed its own between the two
                continue
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(wrong, range(THREADS))) == [0] * THREADS


FORK = """
import os, signal, sys, threading
from tests.kernels import test_threads_and_forks as tests
from codegen.base.errors import KernelCallError

task = getattr(tests, sys.argv[1])()
wanted = task(1)
stop = threading.Event()
def work():
    while not stop.is_set():
        task(0)
worker = threading.Thread(target=work)
worker.start()
failed = 0
for _ in range(3):
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            right = task(1) == wanted
        except KernelCallError as error:
            right = "forked" in str(error) and "load it again" in str(error)
        os._exit(0 if right and getattr(tests, sys.argv[1])()(1) == wanted else 1)
    failed += os.waitpid(child, 0)[1] != 0
stop.set()
worker.join()
assert task(1) == wanted
sys.exit(failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("made", TASKS)
def test_a_forked_process_is_told_to_load_kernels_of_its_own_and_can(made: Callable[[], Task]) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, made.__name__],
        cwd=ROOT, env=environment(), timeout=60, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
