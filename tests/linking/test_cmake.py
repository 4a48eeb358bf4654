"""The recipe of docs/linking.md for llama.cpp, as written there, in a tree of llama.cpp's shape."""

from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, quants

from codegen import Isa, Kernel
from codegen.products.linking.kernel_set import kernel_set
from codegen.spec.options import Memory
from tests.linking.documents import blocks_of, run_block, write_program
from tests.linking.programs import SOURCES, run_wasi

pytestmark = [pytest.mark.needs("c"), pytest.mark.needs("cmake")]

LINKING = "docs/linking.md"
N, ROWS = 256, 5

OUTER = """cmake_minimum_required(VERSION 3.18)
project(program C)
{recipe}
add_executable(program mul_mat.c)
target_link_libraries(program ggml)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with llama.cpp in a folder of its own, and an `emcmake` that finds clang."""
    (recipe,) = blocks_of(LINKING, "cmake")
    (tmp_path / "CMakeLists.txt").write_text(OUTER.format(recipe=recipe))
    shutil.copy(SOURCES / "mul_mat.c", tmp_path)
    shutil.copytree(SOURCES / "llama.cpp", tmp_path / "llama.cpp")
    write_program(tmp_path, "emcmake", f'"$@" -DCMAKE_TOOLCHAIN_FILE={SOURCES / "emscripten.cmake"}')
    return tmp_path


def symbols(text: str) -> list[str]:
    """What `llvm-nm` says, without addresses."""
    return re.findall(r"[TU] \w+$", text, re.MULTILINE)


def commands() -> str:
    (block,) = (one for one in blocks_of(LINKING, "console") if "emcmake" in one)
    return block


def values_and_weights() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    weights = quants.quantize(random.standard_normal((ROWS, N), np.float32), GGMLQuantizationType.Q4_0)
    return random.standard_normal(N, np.float32), weights


def test_both_functions_are_ours(folder: Path) -> None:
    block = commands()
    assert symbols(run_block(block, folder)) == symbols(block)
    values, weights = values_and_weights()
    data = struct.pack("<2i", N, ROWS) + weights.tobytes() + values.tobytes()
    out, _ = run_wasi(folder / "build" / "wasm" / "program", data)
    kernel = Kernel.load(kernel_set(Isa.SIMD128, Memory.EXPORT)[0])
    y = quants.quantize(values, GGMLQuantizationType.Q8_0)
    rows = kernel.rows(weights.tobytes(), y.tobytes(), ROWS, N)
    assert np.frombuffer(out, "<u4").tolist() == rows.view(np.uint32).tolist()


def test_the_check_tells_that_the_processor_is_not_wasm(folder: Path) -> None:
    block = commands().replace(" -DEMSCRIPTEN_SYSTEM_PROCESSOR=wasm", "")
    assert "T ggml_vec_dot_q4_0_q8_0" in symbols(run_block(block, folder))
