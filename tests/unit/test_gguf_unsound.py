"""GGUF files that are not sound, or have nothing to multiply, are refused in one line, at once."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest
from gguf import GGUFEndian, GGUFWriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.base.errors import GGUFError
from codegen.models.gguf_file import GGUFFile
from tests.gguf_cases import ARRAY, STRING, UINT32, UNSOUND
from tests.gguf_files import (
    F32,
    RawTensor,
    alignment_entry,
    array,
    entry,
    layout,
    string,
    u32,
    u64,
    write_model,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def refusal(path: Path) -> str:
    """What opening the file says: one line that names the file and, after a semicolon, the mend."""
    with pytest.raises(GGUFError) as caught:
        GGUFFile.open(path)
    message = str(caught.value)
    assert message.isprintable()
    assert repr(path.name)[1:-1] in message
    assert "; " in message
    assert len(message) < len(str(path)) + 400
    return message


# --- no file at all


def test_missing(tmp_path: Path) -> None:
    assert os.strerror(errno.ENOENT) in refusal(tmp_path / "no.gguf")


def test_directory(tmp_path: Path) -> None:
    assert "not a regular file" in refusal(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_not_waited_for(file: Path) -> None:
    os.mkfifo(file)
    assert "not a regular file" in refusal(file)


def test_no_permission(file: Path) -> None:
    file.write_bytes(layout())
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    assert os.strerror(errno.EACCES) in refusal(file)


def test_nul_in_the_path() -> None:
    assert "null" in refusal(Path("a\0b"))


def test_a_path_of_many_lines_is_named_in_one(tmp_path: Path) -> None:
    path = tmp_path / "two\nlines.gguf"
    path.touch()
    with pytest.raises(GGUFError, match=r"two\\nlines.gguf': the file is empty"):
        GGUFFile.open(path)


# --- files that are not sound, or have nothing to multiply

NO_Q4_0 = {
    "no tensor": (layout([]), "no Q4_0 tensor (none at all)"),
    "no Q4_0 tensor": (
        layout([RawTensor(b"a", (2,), F32, bytes(8)), RawTensor(b"b", kind=77)]),
        "no Q4_0 tensor (1 of type F32, 1 of type 77); examples/requantise.py",
    ),
}


@pytest.mark.parametrize(
    ("content", "expected"), (UNSOUND | NO_Q4_0).values(), ids=(UNSOUND | NO_Q4_0).keys()
)
def test_unsound_file_is_refused_at_once(file: Path, content: bytes, expected: str) -> None:
    file.write_bytes(content)
    start = time.perf_counter()
    assert expected in refusal(file)
    assert time.perf_counter() - start < 1


def test_real_big_endian_file(file: Path) -> None:
    writer = GGUFWriter(file, "test", endianess=GGUFEndian.BIG)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert "gguf-convert-endian" in refusal(file)


def test_a_file_without_q4_0_can_be_asked_for(file: Path) -> None:
    write_model(file, {"norm": (32,)}, {"norm": F32})
    with GGUFFile.open(file, need_q4_0=False) as model:
        assert not model.matrices
        assert [t.name for t in model.left_out] == ["norm"]
        with pytest.raises(GGUFError, match="its Q4_0 tensors are none"):
            model.matrix("a")


SEVERAL = layout(
    [
        RawTensor(b"a", (32, 3), data=b"a" * 54),
        RawTensor(b"norm", (4,), F32, b"n" * 16),
        RawTensor(b"b", (64, 2), data=b"b" * 72),
    ],
    [
        alignment_entry(32),
        entry(b"tokens", ARRAY, array(STRING, 2, string(b"x") + string(b"yz"))),
        entry(b"nested", ARRAY, array(ARRAY, 1, array(UINT32, 2, u64(7)))),
    ],
)


def test_truncated_anywhere(file: Path) -> None:
    end_of_data = SEVERAL.rindex(b"b") + 1
    for length in range(1, end_of_data):
        file.write_bytes(SEVERAL[:length])
        refusal(file)
    file.write_bytes(SEVERAL[:end_of_data])
    assert GGUFFile.open(file).matrices


# --- and whatever else can happen to a file

LIES = st.sampled_from([0, 1, 2, 5, 9, 31, 33, 2**31, 2**32 - 1, 2**60, 2**63, 2**64 - 32, 2**64 - 1])
OVERWRITE = st.tuples(
    st.integers(0, len(SEVERAL) - 1),
    st.one_of(st.binary(min_size=1, max_size=8), LIES.map(u64), LIES.map(lambda n: u32(n % 2**32))),
)


@settings(max_examples=1500, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(overwrites=st.lists(OVERWRITE, max_size=3), cut=st.none() | st.integers(0, len(SEVERAL)))
def test_damage_is_refused_or_harmless(
    file: Path, overwrites: list[tuple[int, bytes]], cut: int | None
) -> None:
    content = bytearray(SEVERAL)
    for position, replacement in overwrites:
        content[position : position + len(replacement)] = replacement
    del content[cut:]
    file.write_bytes(content)
    try:
        model = GGUFFile.open(file)
    except GGUFError as error:
        assert str(error).isprintable()
        return
    assert model.matrices
    assert sum(len(matrix.read()) for matrix in model.matrices) < len(content)
    for matrix in model.matrices:
        assert len(matrix.read()) == matrix.rows * matrix.columns // 32 * 18 > 0
        assert matrix.columns % 32 == 0
        assert matrix.read() in bytes(content)
