"""Native code and wasm do not meet in a thread: what one leaves in registers makes the other slow."""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
import threading
from collections.abc import Callable

import pytest

from codegen.speed.bench import native, native_functions
from codegen.speed.bench.contestant import Calibrated
from tests.bench.native_calls import GEMM, PROBLEMS, library, opened

pytestmark = pytest.mark.usefixtures("ggml")


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_native_code_runs_in_a_thread_that_runs_wasm(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called = library(monkeypatch, name)
    monkeypatch.setattr(Calibrated, "measure", lambda self, run, units: run(1))
    with opened(name, PROBLEMS[name]) as one:
        one.sample()
        one.sample()
    assert len(called.threads) == 1
    assert threading.get_ident() not in called.threads


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="machine code of another machine"
)
def test_native_gemm_leaves_registers_of_this_thread_alone() -> None:
    """It leaves upper halves of vector registers in use, which makes SSE instructions slow."""
    if not native.load().cpu.ggml_cpu_has_avx2():
        pytest.skip("no upper halves")
    function = native_functions.of(GEMM, PROBLEMS[GEMM])
    assert function
    read = upper_halves()
    function._all(64)  # type: ignore[attr-defined]  # which alone has no chance to be cleaned up after
    in_use = read()
    with opened(GEMM, PROBLEMS[GEMM]) as one:
        one.sample()
        afterwards = read()
    if in_use < 8:
        pytest.skip("this build cleans up after itself")
    assert afterwards < 4


def upper_halves() -> Callable[[], int]:
    """What counts the vector registers of its thread whose upper halves are not zero."""
    store = b"".join(  # vextractf128 [rdi + 16 * i], ymm<i>, 1
        bytes([0xC4, 0xE3 if i < 8 else 0x63, 0x7D, 0x19, 0x87 | i % 8 << 3])
        + (16 * i).to_bytes(4, "little")
        + b"\1"
        for i in range(16)
    )
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(store + b"\xc3")
    start = ctypes.c_char.from_buffer(page)
    code = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(start))
    halves = (ctypes.c_uint64 * 32)()

    def read(_: object = start) -> int:  # which keeps the page
        code(ctypes.addressof(halves))
        return sum(any(halves[2 * i : 2 * i + 2]) for i in range(16))

    return read
