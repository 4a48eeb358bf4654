"""Our objects in programs without a C library, in the memories that such programs have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import wasmtime

from codegen import Isa
from codegen.linking.library import write_library
from codegen.ops.gemm.cases import random_case
from codegen.ops.gemm.verification import bound
from codegen.ops.vec_dot.judge import mismatch
from codegen.options import Memory
from codegen.reference import dot_rows
from tests.linking.programs import SOURCES, compile_c, needs_c

pytestmark = needs_c

LINKED = (
    "-ffreestanding",
    "-nostdlib",
    "-Wl,--no-entry",
    "-Wl,--export=buffer_address",
    "-Wl,--export=dot_product",
)


@pytest.mark.parametrize("isa", Isa)
def test_a_program_without_a_c_library(isa: Isa, tmp_path: Path) -> None:
    list(write_library(tmp_path, isa, Memory.EXPORT, "wasmtime"))
    words = (*LINKED, f"-I{tmp_path}", SOURCES / "freestanding.c", f"-L{tmp_path}", "-lggmlwat")
    program = compile_c(*words, output=tmp_path / "program.wasm", target="wasm32-unknown-unknown")
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, program.read_bytes()), []).exports(store)
    check_dot_products(store, exports, exports["memory"])


def check_dot_products(
    store: wasmtime.Store, exports: wasmtime.InstanceExports, memory: wasmtime.Memory
) -> None:
    """A matrix of extremes and odd lengths by the program's function, at odd addresses."""
    case = random_case("freestanding", 11, 1, 7, "usual")
    x, y = 3, 3 + len(case.x) + 5
    whole = np.frombuffer(memory.get_buffer_ptr(store), np.uint8)
    start = exports["buffer_address"](store)
    for at, data in ((x, case.x), (y, case.y)):
        whole[start + at : start + at + len(data)] = np.frombuffer(data, np.uint8)
    for row, expected in enumerate(dot_rows(case.x, case.y, case.rows, case.n)):
        got = exports["dot_product"](store, case.n, x + row * len(case.x) // case.rows, y)
        assert not mismatch(got, expected, 8 * bound(8, expected))
    with pytest.raises(wasmtime.Trap, match="unreachable"):
        exports["dot_product"](store, 33, x, y)
