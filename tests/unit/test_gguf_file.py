from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType, GGUFReader

from codegen.base.errors import GGUFError
from codegen.models.gguf_file import GGUFFile, Matrix
from codegen.models.gguf_scan import Scan
from tests.gguf_cases import ARRAY, LONG, SOUND, UINT8
from tests.gguf_files import (
    F32,
    Q4_0,
    RawTensor,
    array,
    entry,
    layout,
    write_model,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


# --- sound files


@pytest.mark.parametrize("alignment", [None, 8, 32, 64, 4096])
def test_matrices_are_what_was_written(file: Path, alignment: int | None) -> None:
    types = {"norm": F32, "embedding": GGMLQuantizationType.Q8_0}
    shapes = {"norm": (32,), "a": (3, 64), "embedding": (5, 32), "vector": (96,), "experts": (2, 3, 32)}
    written = write_model(file, {**shapes, "deep": (2, 3, 4, 64)}, types, alignment=alignment)
    with GGUFFile.open(file) as model:
        assert [(m.name, m.rows, m.columns) for m in model.matrices] == [
            ("a", 3, 64),
            ("vector", 1, 96),
            ("experts", 6, 32),
            ("deep", 24, 64),
        ]
        for matrix in model.matrices:
            assert matrix.read() == written[matrix.name].tobytes()
            row = matrix.columns // 32 * 18
            last = matrix.rows - 1
            assert matrix.read(last) == matrix.read(last, 1) == matrix.read()[last * row :]
            assert model.matrix(matrix.name) is matrix
        assert [(t.name, t.type) for t in model.left_out] == [("norm", "F32"), ("embedding", "Q8_0")]


def test_agrees_with_ggufs_own_reader(file: Path) -> None:
    write_model(file, {"a": (3, 64), "b": (7, 32), "c": (2, 2, 96)}, {"b": GGMLQuantizationType.Q5_1})
    with GGUFFile.open(file) as model:
        theirs = [t for t in GGUFReader(file).tensors if t.tensor_type == Q4_0]
        assert [m.name for m in model.matrices] == [t.name for t in theirs]
        for ours, other in zip(model.matrices, theirs, strict=True):
            assert ours.read() == other.data.tobytes()
            assert ours.columns == other.shape[0]


@pytest.mark.parametrize("content", SOUND.values(), ids=SOUND.keys())
def test_a_sound_file_is_read(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with GGUFFile.open(file, need_q4_0=False) as model:
        for matrix in model.matrices:
            assert len(matrix.read()) == matrix.rows * matrix.columns // 32 * 18


@pytest.mark.parametrize("make", LONG.values(), ids=LONG.keys())
def test_a_long_header_is_read(file: Path, make: Callable[[], bytes]) -> None:
    file.write_bytes(make())
    with GGUFFile.open(file) as model:
        assert model.matrices[-1].read() == bytes(72)


def test_a_type_that_gguf_does_not_know_is_left_out(file: Path) -> None:
    odd = RawTensor(b"odd", dims=(33, 7), kind=77, data=b"?")
    file.write_bytes(layout([odd, RawTensor()]))
    with GGUFFile.open(file) as model:
        assert [m.name for m in model.matrices] == ["weight"]
        assert [(t.name, t.type) for t in model.left_out] == [("odd", "77")]
        assert "does not know" in model.left_out[0].reason


def test_a_file_that_becomes_shorter_is_an_error(file: Path) -> None:
    write_model(file, {"a": (3, 64), "b": (3, 64)})
    with GGUFFile.open(file) as model:
        a, b = model.matrices
        os.truncate(file, b.start + 1)
        assert len(a.read()) == 108
        with pytest.raises(GGUFError, match=r"model.gguf: became shorter while it was read; try again"):
            b.read()


def test_a_header_that_becomes_shorter_is_an_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(LONG["an array of 1.2 million strings"]())
    sound = Scan._skip_array

    def cut(scan: Scan, what: str, depth: int) -> None:
        os.truncate(file, 1 << 20)
        sound(scan, what, depth)

    monkeypatch.setattr(Scan, "_skip_array", cut)
    with pytest.raises(GGUFError, match="became shorter while it was read"):
        GGUFFile.open(file)


def test_nothing_is_read_of_a_file_that_is_closed(file: Path) -> None:
    write_model(file, {"a": (3, 64)})
    with GGUFFile.open(file) as model:
        (a,) = model.matrices
    with pytest.raises(GGUFError, match=r"cannot be read .*closed"):
        a.read()


def test_threads_that_read_one_file_get_each_their_own_bytes(file: Path) -> None:
    written = write_model(file, dict.fromkeys("abcdefgh", (64, 64)))
    with GGUFFile.open(file) as model, ThreadPoolExecutor(8) as pool:
        matrices = list(model.matrices) * 300
        for matrix, data in zip(matrices, pool.map(Matrix.read, matrices), strict=True):
            assert data == written[matrix.name].tobytes()


def test_large_metadata_costs_neither_time_nor_memory(file: Path) -> None:
    items = 30_000_000
    file.write_bytes(layout(metadata=[entry(b"big", ARRAY, array(UINT8, items, bytes(items)))]))
    start = time.perf_counter()
    tracemalloc.start()
    try:
        assert GGUFFile.open(file).matrices
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
    assert time.perf_counter() - start < 1


# --- asking for a tensor


def test_an_absent_tensor_says_where_to_look(file: Path) -> None:
    write_model(file, dict.fromkeys("abcde", (1, 32)))
    with (
        GGUFFile.open(file) as model,
        pytest.raises(GGUFError, match=r"no tensor 'x\\n'.*'a', 'b', 'c' and 2 more"),
    ):
        model.matrix("x\n")


def test_a_tensor_of_another_type_says_so(file: Path) -> None:
    write_model(file, {"a": (1, 32), "norm": (32,)}, {"norm": F32})
    with GGUFFile.open(file) as model, pytest.raises(GGUFError, match=r"'norm' is F32.*requantise"):
        model.matrix("norm")
