from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGMLQuantizationType

from codegen.base.errors import InputError
from codegen.kernels.registry import fastest
from codegen.models.run import native_paths
from codegen.models.run.paths import MulMatPath, VecDotPath
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from tests.cli.command import Call, assert_refused, codegen, contents
from tests.gguf_files import F32, write_model

COLUMNS = 96


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.gguf"
    shapes = {"norm": (COLUMNS,), "a": (5, COLUMNS), "emb": (2, 32), "b": (3, 7, 32)}
    write_model(path, shapes, {"norm": F32, "emb": GGMLQuantizationType.Q8_0})
    return path


def as_json(call: Call, *words: str | Path) -> dict[str, Any]:
    done = call("run", *words, "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_tables_have_matrices_shapes_and_ways_to_multiply(model: Path, tmp_path: Path) -> None:
    done = codegen("run", model, "--rounds", "2", cwd=tmp_path)
    assert (done.returncode, done.stderr, contents(tmp_path)) == (0, "", {})
    lines = done.stdout.splitlines()
    fast, dot = fastest()["mul_mat_q4_0", Isa.RELAXED].name, fastest()["vec_dot_q4_0_q8_0", Isa.RELAXED].name
    assert lines[0].strip() == f"{model}: {fast}"
    a, b = lines[2].split(), lines[3].split()
    assert a[:5] == ["a", "pass", "5", "x", str(COLUMNS)]
    assert a[-1] == "100.0%"
    assert b[:5] == ["b", "pass", "21", "x", "32"]
    assert b[-1] == "-"  # three matrices in one tensor: which of them a token needs is not known
    shapes, ways = lines.index("microseconds a matrix"), lines.index("all counted matrices")
    assert lines[shapes + 1].split()[:4] == ["shape", "matrices", "mul_mat", "vec_dot"]
    assert lines[shapes + 2].split()[:4] == ["5", "x", str(COLUMNS), "1"]
    assert [line.split()[0] for line in lines[ways + 2 : ways + 4]] == [fast, dot]
    assert f"2 matrices, 1 of them counted with {5 * COLUMNS} weights; every row is right" in lines
    assert any(line.startswith("tokens/s: an estimate, from the products of") for line in lines)
    assert lines[-2:] == ["left out 1 of type F32: not Q4_0", "left out 1 of type Q8_0: not Q4_0"]


def test_json_has_the_same(model: Path, call: Call) -> None:
    found = as_json(call, model)
    shapes = [(m["name"], m["rows"], m["columns"], m["wrong"], m["first_wrong"]) for m in found["matrices"]]
    assert shapes == [("a", 5, COLUMNS, 0, ""), ("b", 21, 32, 0, "")]
    assert all(0 <= m["worst_ulp"] < 100 for m in found["matrices"])
    assert [m["counted"] for m in found["matrices"]] == [True, False]
    assert found["matrices"][0]["weights_per_second"] > 0
    assert [(one["name"], one["type"]) for one in found["left_out"]] == [("norm", "F32"), ("emb", "Q8_0")]
    assert found["repack_seconds"] > 0
    first, second = found["paths"][:2]
    assert (first["speedup"], second["speedup"]["value"] > 0) == (None, True)
    assert first["tokens_per_second"] == pytest.approx(1 / first["seconds"])
    assert [(one["rows"], one["matrices"]) for one in found["shapes"]] == [(5, 1)]


@pytest.mark.parametrize("isa", Isa)
def test_isa_picks_its_fastest_kernel_and_tensor_one_matrix(isa: Isa, model: Path, call: Call) -> None:
    found = as_json(call, model, "--isa", isa, "--tensor", "b")
    assert found["kernel"] == fastest()["mul_mat_q4_0", isa].name
    assert [matrix["name"] for matrix in found["matrices"]] == ["b"]
    assert found["left_out"] == []
    assert {one["tokens_per_second"] for one in found["paths"]} == {None}  # of one matrix: no token


@pytest.mark.parametrize(
    "name",
    ["vec_dot_q4_0_q8_0__simd128-extmul_u3_overflow_import", "mul_mat_q4_0_12x2__relaxed-dot32_u1"],
)
def test_kernel_picks_a_kernel_of_either_operation(name: str, model: Path, call: Call) -> None:
    found = as_json(call, model, "--kernel", name)
    ours = [one["name"] for one in found["paths"] if not one["name"].startswith("native")]
    of_dots = [fastest()["vec_dot_q4_0_q8_0", Isa.RELAXED].name] if name.startswith("mul_mat") else []
    assert (found["kernel"], ours) == (name, [name, *of_dots])
    assert bool(found["repack_seconds"]) == name.startswith("mul_mat")


def test_kernels_of_other_weights_are_refused(model: Path, call: Call) -> None:
    name = "vec_dot_q8_0_q8_0__relaxed_u4"
    assert_refused(call("run", model, "--kernel", name), name, "multiplies q8_0", "name a kernel of q4_0")


def test_kernels_of_other_operations_are_refused(model: Path, call: Call) -> None:
    assert_refused(call("run", model, "--kernel", "gemv_q4_0_q8_0_4x1__scalar_u1"), "gemv_q4_0")


def test_many_columns_take_another_kernel(model: Path, call: Call) -> None:
    found = as_json(call, model, "--columns", "9")
    assert (found["kernel"], found["columns"]) == (fastest()["mul_mat_q4_0", Isa.RELAXED].name, 9)
    assert [matrix["wrong"] for matrix in found["matrices"]] == [0, 0]
    first = found["paths"][0]
    assert first["tokens_per_second"] == pytest.approx(9 / first["seconds"])


def test_input_has_the_numbers_of_all_columns(model: Path, tmp_path: Path, call: Call) -> None:
    np.save(tmp_path / "x.npy", np.arange(2 * COLUMNS))
    assert as_json(call, model, "--columns", "2", "--input", "x.npy")["columns"] == 2
    assert_refused(call("run", model, "--columns", "3", "--input", "x.npy"), f"3 times {COLUMNS}")


@pytest.mark.parametrize("other", [True, False])
def test_an_embedding_of_tokens_is_the_output_where_there_is_no_other(
    other: bool, tmp_path: Path, call: Call
) -> None:
    names = ["token_embd.weight", "token_types.weight", *(["output.weight"] if other else [])]
    write_model(tmp_path / "m.gguf", dict.fromkeys(names, (8, 32)), {"output.weight": F32})
    counted = [matrix["counted"] for matrix in as_json(call, "m.gguf")["matrices"]]
    assert counted == [not other, False]


@pytest.mark.parametrize(("path", "status"), [(MulMatPath, 1), (VecDotPath, 1), (native_paths._DotPath, 0)])
def test_wrong_results_fail_unless_they_are_not_ours(
    path: type[Any], status: int, model: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        native.load()
    except InputError as error:
        if not status:
            pytest.skip(str(error))
    sound = path.products
    monkeypatch.setattr(path, "products", lambda self, part: sound(self, part) + np.float32(1))
    done = call("run", model)
    assert done.returncode == status
    assert (" FAIL " in done.stdout) == ("\na: row 0: " in done.stdout) == (path is MulMatPath)
    named = {MulMatPath: "every row is right", VecDotPath: "vec_dot_q4_0", native_paths._DotPath: "native"}
    told = [line for line in done.stdout.splitlines() if "rows wrong: a, row 0: " in line]
    assert bool(told) == (path is not MulMatPath)
    assert all(line.startswith(named[path]) for line in told)


def test_without_native_ggml_there_is_no_comparison_with_it(
    model: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> native.Libraries:
        raise InputError("native GGML: not found; install it")

    monkeypatch.setattr(native, "load", missing)
    done = call("run", model, "--rounds", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no comparison with native GGML: not found; install it" in done.stdout.splitlines()
    assert len(as_json(call, model)["paths"]) == 2


def test_seed_decides_the_activations(model: Path, call: Call) -> None:
    once, again, other = (
        [matrix["worst_ulp"] for matrix in as_json(call, model, "--seed", seed)["matrices"]]
        for seed in ("1", "1", "2")
    )
    assert once == again
    assert once != other


@pytest.mark.parametrize("name", ["blk[/0]", "[red]up[/red]", ":smile:", "\x1b[2J", "tab\there", "é"])
def test_a_name_out_of_a_file_is_shown_and_never_obeyed(name: str, tmp_path: Path, call: Call) -> None:
    write_model(tmp_path / "m.gguf", {name: (1, 32)})
    done = call("run", "m.gguf")
    assert done.stdout.splitlines()[2].startswith(f"{ascii(name)[1:-1]} ")
    assert done.stdout.replace("\n", "").isprintable()


def test_a_models_file_name_is_shown_and_never_obeyed(model: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "dir[").mkdir()
    shutil.copy(model, tmp_path / "dir[" / "m].gguf")
    assert call("run", "dir[/m].gguf").stdout.startswith("dir[/m].gguf: ")


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "<i4"])
def test_input_gives_the_activations(dtype: str, model: Path, tmp_path: Path, call: Call) -> None:
    np.save(tmp_path / "x.npy", np.arange(COLUMNS + 1).astype(dtype))
    found = as_json(call, model, "--input", "x.npy")
    assert [matrix["wrong"] for matrix in found["matrices"]] == [0, 0]


def test_input_is_what_is_multiplied(model: Path, tmp_path: Path, call: Call) -> None:
    np.save(tmp_path / "zero.npy", np.zeros(COLUMNS))
    assert [m["worst_ulp"] for m in as_json(call, model, "--input", "zero.npy")["matrices"]] == [0, 0]
    assert any(m["worst_ulp"] for m in as_json(call, model)["matrices"])


def saved(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def altered(old: bytes, new: bytes) -> bytes:
    """A sound file's header with a lie of the same length in it."""
    sound = saved(np.ones(COLUMNS, np.float32))
    assert old in sound
    padded = old + b" " * (len(new) - len(old))
    assert padded in sound
    return sound.replace(padded, new.ljust(len(padded)), 1)


def archive() -> bytes:
    file = io.BytesIO()
    np.savez(file, x=np.ones(COLUMNS))
    return file.getvalue()


SHAPE = b"(96,), }"

BROKEN: dict[str, Callable[[], bytes]] = {
    "two-dimensional": lambda: saved(np.ones((2, COLUMNS))),
    "no-dimension": lambda: saved(np.array(1.0)),
    "too-short": lambda: saved(np.ones(COLUMNS - 1)),
    "empty-array": lambda: saved(np.ones(0)),
    "nan": lambda: saved(np.full(COLUMNS, np.nan)),
    "infinity": lambda: saved(np.full(COLUMNS, np.inf)),
    "beyond-f32": lambda: saved(np.full(COLUMNS, 1e300)),
    "objects": lambda: saved(np.array([None] * COLUMNS)),
    "complex": lambda: saved(np.ones(COLUMNS, complex)),
    "strings": lambda: saved(np.array(["1"] * COLUMNS)),
    "records": lambda: saved(np.zeros(COLUMNS, [("a", "<f4")])),
    "npz": archive,
    "text": lambda: b"1 2 3\n",
    "empty-file": lambda: b"",
    "cut-in-header": lambda: saved(np.ones(COLUMNS))[:40],
    "cut-in-data": lambda: saved(np.ones(COLUMNS))[:-8],
    "header-no-python": lambda: altered(b"{'descr'", b"{((((((("),
    "header-no-dictionary": lambda: altered(b"{'descr'", b"['descr'"),
    "negative-shape": lambda: altered(SHAPE, b"(-96,), }"),
    "giant-shape": lambda: altered(SHAPE, b"(99999999999999999999,), }"),
    "shape-past-the-end": lambda: altered(SHAPE, b"(9999999999,), }"),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.filterwarnings("error")
def test_a_broken_input_is_refused(fault: str, model: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "x.npy").write_bytes(BROKEN[fault]())
    assert_refused(call("run", model, "--input", "x.npy"), "x.npy")


@pytest.mark.parametrize("name", ["missing.npy", ".", "new\nline.npy", "x" * 300], ids=ascii)
def test_an_input_that_cannot_be_read_is_refused(name: str, model: Path, call: Call) -> None:
    assert_refused(call("run", model, "--input", name), name.partition("\n")[0])


@pytest.mark.parametrize(
    "words",
    [
        ["--tensor", "nope"],
        ["--tensor", "norm"],
        ["--kernel", "nope"],
        ["--isa", "nope"],
        ["--columns", "0"],
        ["--columns", "1025"],
        ["--rounds", "0"],
    ],
    ids=" ".join,
)
def test_what_there_is_not_is_refused(words: list[str], model: Path, call: Call) -> None:
    assert_refused(call("run", model, *words), f"'{words[1]}'")


@pytest.mark.parametrize(
    "name", ["missing.gguf", ".", "cut.gguf", "text.gguf", "f32.gguf", "new\nline.gguf"], ids=ascii
)
def test_a_model_that_cannot_be_used_is_refused(name: str, model: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "cut.gguf").write_bytes(model.read_bytes()[:-100])
    (tmp_path / "text.gguf").write_text("GGUF? no")
    write_model(tmp_path / "f32.gguf", {"norm": (32,)}, {"norm": F32})
    before = contents(tmp_path)
    assert_refused(call("run", name), name.partition("\n")[0])
    assert contents(tmp_path) == before
