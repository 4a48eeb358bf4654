"""Our objects in programs without a C library, in the memories that such programs have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import wasmtime

from codegen import Isa
from codegen.oracle.dot import dot_rows
from codegen.products.linking.library import write_library
from codegen.runtime.linear_memory import LinearMemory
from codegen.spec.options import Memory
from codegen.verify.dot.judge import mismatch
from codegen.verify.mul_mat.verification import known_values
from codegen.verify.tile.cases import random_case
from codegen.verify.tile.verification import bound
from tests.linking.programs import SOURCES, compile_c

pytestmark = pytest.mark.needs("c")

TARGETS = {
    Memory.EXPORT: ("wasm32-unknown-unknown",),
    Memory.MEMORY64: ("wasm64-unknown-unknown", "-Wl,-mwasm64"),
    Memory.SHARED: (
        "wasm32-unknown-unknown",
        "-matomics",
        "-mbulk-memory",
        "-Wl,--shared-memory,--import-memory,--max-memory=4194304",
    ),
}
"""By the memory that a program has, how it is compiled and linked."""


@pytest.mark.parametrize("memory", TARGETS)
@pytest.mark.parametrize("isa", Isa)
def test_a_program_without_a_c_library(isa: Isa, memory: Memory, tmp_path: Path) -> None:
    list(write_library(tmp_path, isa, memory, "wasmtime"))
    target, *flags = TARGETS[memory]
    linked = "-Wl,--no-entry,--export=buffer_address,--export=dot_product,--export=products"
    words = ("-ffreestanding", "-nostdlib", *flags, linked, f"-I{tmp_path}", SOURCES / "freestanding.c")
    program = compile_c(*words, f"-L{tmp_path}", "-lggmlwat", output=tmp_path / "program.wasm", target=target)
    config = wasmtime.Config()
    config.wasm_memory64 = config.shared_memory = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    module = wasmtime.Module(engine, program.read_bytes())
    imported = [LinearMemory.like(one.type, engine, store) for one in module.imports]
    exports = wasmtime.Instance(store, module, [one.memory for one in imported]).exports(store)
    whole = (imported[0] if imported else LinearMemory(store, exports["memory"])).view()
    check_dot_products(store, exports, whole)
    check_products(store, exports, whole)


def check_dot_products(store: wasmtime.Store, exports: wasmtime.InstanceExports, whole: np.ndarray) -> None:
    """An odd number of rows by the program's function, at odd addresses, and a call that is refused."""
    case = random_case("freestanding", 11, 1, 7, "usual")
    x, y = 3, 3 + len(case.x) + 5
    start = exports["buffer_address"](store)
    for at, data in ((x, case.x), (y, case.y)):
        whole[start + at : start + at + len(data)] = np.frombuffer(data, np.uint8)
    for row, expected in enumerate(dot_rows(case.x, case.y, case.rows, case.n)):
        got = exports["dot_product"](store, case.n, x + row * len(case.x) // case.rows, y)
        assert not mismatch(got, expected, 8 * bound(8, expected))
    with pytest.raises(wasmtime.Trap, match="unreachable"):
        exports["dot_product"](store, 33, x, y)


def check_products(store: wasmtime.Store, exports: wasmtime.InstanceExports, whole: np.ndarray) -> None:
    """Matrices by all other functions: the bits that all matrix kernels have."""
    start = exports["buffer_address"](store)
    for values in known_values():
        case = values.known.case
        data = case.x + values.y.astype("<f4").tobytes()
        whole[start : start + len(data)] = np.frombuffer(data, np.uint8)
        at = exports["products"](store, case.n, case.rows, case.columns)
        results = whole[at : at + 2 * 4 * case.rows * case.columns].view("<f4")
        for got in results.reshape(2, case.columns, case.rows):
            assert np.array_equal(np.nan_to_num(got, nan=1), np.nan_to_num(values.known.bits, nan=1)), (
                case.name
            )
