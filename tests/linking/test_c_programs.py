"""Our objects in programs of C: the oracle's values, GGML's name taken over, and nothing that clashes."""

from __future__ import annotations

import re
import struct
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import wasmtime

from codegen import Isa, Kernel
from codegen.oracle.dot import dot_rows
from codegen.products.emit import Emit, content
from codegen.products.linking.kernel_set import kernel_set
from codegen.products.linking.library import write_library
from codegen.spec.options import Memory
from codegen.verify.dot.judge import mismatch
from codegen.verify.mul_mat.verification import known_values
from codegen.verify.tile.cases import Case, random_case
from codegen.verify.tile.verification import bound
from tests.linking.programs import EXAMPLES, SOURCES, compile_c, link_fails, run_wasi

pytestmark = pytest.mark.needs("c")

ENGINES = ("wasmtime", "v8", "jsc")


@pytest.fixture(scope="module", params=Isa)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(f"library-{request.param}")
    list(write_library(folder, request.param, Memory.EXPORT, "wasmtime"))
    return folder


def isa_of(library: Path) -> Isa:
    return next(one for one in Isa if one in library.name)


def with_library(folder: Path) -> tuple[str, ...]:
    return f"-I{folder}", f"-L{folder}", "-lggmlwat"


def test_a_program_has_the_oracles_values_from_every_function(library: Path) -> None:
    program = compile_c(EXAMPLES / "products.c", *with_library(library), output=library / "products.wasm")
    for values in known_values():
        case = values.known.case
        data = struct.pack("<3i", case.n, case.rows, case.columns) + case.x + values.y.astype("<f4").tobytes()
        out, _ = run_wasi(program, data)
        ways = np.frombuffer(out, "<f4").reshape(4, case.columns, case.rows)
        for way, got in zip(("mul_mat", "gemm", "gemv"), ways, strict=False):
            bits, nan = values.known.bits, np.isnan(got)
            assert np.array_equal(nan, np.isnan(bits)), (way, case.name)
            assert np.array_equal(got[~nan].view(np.uint32), bits[~nan].view(np.uint32)), (way, case.name)
        for column, row in np.ndindex(case.columns, case.rows):
            expected = values.known.expected[column][row]
            limit = 8 * bound(case.n // 32 + 1, expected)  # of any dot product of the registry
            assert not mismatch(float(ways[3, column, row]), expected, limit), (case.name, column, row)


def dot_products() -> Case:
    return random_case("linked", 37, 1, 6, "usual")


def input_of(case: Case) -> bytes:
    return struct.pack("<2i", case.n, case.rows) + case.x + case.y


def test_ours_takes_the_place_of_a_programs_own_function(library: Path, tmp_path: Path) -> None:
    case = dot_products()
    data, blocks = input_of(case), case.n // 32
    expected = dot_rows(case.x, case.y, case.rows, case.n)
    rename = "-Dggml_vec_dot_q4_0_q8_0=own_ggml_vec_dot_q4_0_q8_0"
    renamed = compile_c(rename, "-c", EXAMPLES / "own_dot.c", output=tmp_path / "own_dot.o")
    main = EXAMPLES / "dot_products.c"
    ours = compile_c(main, renamed, *with_library(library), output=tmp_path / "ours.wasm")
    theirs = compile_c(main, EXAMPLES / "own_dot.c", output=tmp_path / "theirs.wasm")
    kernel = Kernel.load(
        next(one for one in kernel_set(isa_of(library), Memory.EXPORT) if one.op == "vec_dot")
    )
    rows = kernel.rows(case.x, case.y, case.rows, case.n)
    assert np.frombuffer(run_wasi(ours, data)[0], "<u4").tolist() == rows.view(np.uint32).tolist()
    out, _ = run_wasi(theirs, data)
    for program_rows in (rows, np.frombuffer(out, "<f4")):
        for got, wanted in zip(program_rows, expected, strict=True):
            assert not mismatch(float(got), wanted, 8 * bound(blocks + 1, wanted))
    if isa_of(library) is not Isa.SCALAR:  # which adds in the same order
        assert out != rows.astype("<f4").tobytes(), "not ours was called"
    assert re.fullmatch(r"[\d.]+ ns a product of 192 elements\n", run_wasi(ours, data, "3")[1])


def test_the_linker_says_where_two_functions_have_one_name(library: Path, tmp_path: Path) -> None:
    specs = kernel_set(Isa.RELAXED, Memory.EXPORT)
    dot = tmp_path / "dot.o"
    dot.write_bytes(content(specs[0], Emit.OBJ))
    said = link_fails(EXAMPLES / "dot_products.c", EXAMPLES / "own_dot.c", dot, output=tmp_path / "two.wasm")
    assert "duplicate symbol: ggml_vec_dot_q4_0_q8_0" in said


def test_nothing_but_exports_can_clash(library: Path, tmp_path: Path) -> None:
    """A program with functions of the helpers' own names, and kernels of all ISAs that export different names."""
    sources = SOURCES / "same_names.c", EXAMPLES / "products.c"
    run_wasi(compile_c(*sources, *with_library(library), output=tmp_path / "same.wasm"), bytes(12))
    objects = []
    for isa, op in zip(Isa, ("gemv", "gemm", "mul_mat"), strict=True):
        (spec,) = (one for one in kernel_set(isa, Memory.EXPORT) if one.op == op)
        objects.append(tmp_path / f"{op}.o")
        objects[-1].write_bytes(content(spec, Emit.OBJ))
        (tmp_path / f"{op}.h").write_bytes(content(spec, Emit.HEADER))
    words = SOURCES / "three_kernels.c", f"-I{tmp_path}", *objects
    run_wasi(compile_c(*words, output=tmp_path / "three.wasm"), b"")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_header_links_with_the_library_of_its_own_isa_only(engine: str, tmp_path: Path) -> None:
    for isa in Isa:
        list(write_library(tmp_path / isa, isa, Memory.EXPORT, engine))
    for isa, other in permutations(Isa, 2):
        words = f"-I{tmp_path / isa}", f"-L{tmp_path / other}", "-lggmlwat"
        said = link_fails(EXAMPLES / "products.c", *words, output=tmp_path / "mixed.wasm")
        for function in ("pack_activations_q8_0", "gemv_q4_0_q8_0", "gemm_q4_0_q8_0", "mul_mat_q4_0"):
            assert f"undefined symbol: {function}__{isa}_" in said


def test_a_header_links_with_the_library_of_its_own_layout_only(tmp_path: Path) -> None:
    """Two libraries of one ISA whose records of activations have 160 and 40 bytes."""
    for engine in ("wasmtime", "v8"):
        list(write_library(tmp_path / engine, Isa.RELAXED, Memory.EXPORT, engine))
    words = f"-I{tmp_path / 'v8'}", f"-L{tmp_path / 'wasmtime'}", "-lggmlwat"
    said = link_fails(EXAMPLES / "products.c", *words, output=tmp_path / "mixed.wasm")
    assert "undefined symbol: mul_mat_q4_0__relaxed_sums_compact" in said


def test_a_program_takes_only_what_it_calls(library: Path, tmp_path: Path) -> None:
    program = compile_c(EXAMPLES / "dot_products.c", *with_library(library), output=tmp_path / "one.wasm")
    run_wasi(program, input_of(dot_products()))
    linked = program.read_bytes()
    exports = {one.name for one in wasmtime.Module(wasmtime.Engine(), linked).exports}
    assert exports == {"memory", "_start"}
    assert b"ggml_vec_dot_q4_0_q8_0" in linked  # a name, for debuggers
    assert not [name for name in (b"mul_mat_q4_0", b"repack_q4_0") if name in linked]


def test_programs_say_what_engine_they_need(library: Path, tmp_path: Path) -> None:
    program = compile_c(
        EXAMPLES / "dot_products.c", *with_library(library), output=tmp_path / "features.wasm"
    )
    section = program.read_bytes().rpartition(b"target_features")[2]
    wanted = {Isa.SCALAR: (False, False), Isa.SIMD128: (True, False), Isa.RELAXED: (True, True)}
    assert (b"+\x07simd128" in section, b"+\x0crelaxed-simd" in section) == wanted[isa_of(library)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("isa", Isa)
def test_headers_are_c_and_cpp(isa: Isa, engine: str, tmp_path: Path) -> None:
    list(write_library(tmp_path, isa, Memory.EXPORT, engine))
    for language, standard in (("c", "c99"), ("c", "c2x"), ("c++", "c++11")):
        source = tmp_path / f"use.{language}"
        source.write_text('#include "ggmlwat.h"\n#include "ggmlwat.h"\n')
        words = (
            "-x",
            language,
            f"-std={standard}",
            "-Wpedantic",
            "-Wno-unused-function",
            "-ffreestanding",
            "-c",
        )
        compile_c(*words, f"-I{tmp_path}", source, output=tmp_path / "use.o", target="wasm32-unknown-unknown")
