from __future__ import annotations

import errno
import os
import struct
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFEndian, GGUFReader, GGUFValueType, GGUFWriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.errors import GGUFError
from codegen.gguf_file import GGUFFile
from tests.gguf_files import (
    F32,
    Q4_0,
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

ARRAY, STRING = GGUFValueType.ARRAY, GGUFValueType.STRING
UINT8, UINT32, UINT64 = GGUFValueType.UINT8, GGUFValueType.UINT32, GGUFValueType.UINT64


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def refusal(path: Path) -> str:
    """What opening the file says: always one line that names the file and, after a semicolon, the mend."""
    with pytest.raises(GGUFError) as caught:
        GGUFFile.open(path)
    message = str(caught.value)
    assert message.isprintable()
    assert repr(path.name)[1:-1] in message
    assert "; " in message
    assert len(message) < len(str(path)) + 400
    return message


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
            assert matrix.data.readonly
            assert matrix.data.nbytes == matrix.rows * matrix.columns // 32 * 18
            assert matrix.data == written[matrix.name].tobytes()
            assert model.matrix(matrix.name) is matrix
        assert [(t.name, t.type) for t in model.left_out] == [("norm", "F32"), ("embedding", "Q8_0")]


def test_agrees_with_ggufs_own_reader(file: Path) -> None:
    write_model(file, {"a": (3, 64), "b": (7, 32), "c": (2, 2, 96)}, {"b": GGMLQuantizationType.Q5_1})
    with GGUFFile.open(file) as model:
        theirs = [t for t in GGUFReader(file).tensors if t.tensor_type == Q4_0]
        assert [m.name for m in model.matrices] == [t.name for t in theirs]
        for ours, other in zip(model.matrices, theirs, strict=True):
            assert ours.data == other.data.tobytes()
            assert ours.columns == other.shape[0]


def test_the_raw_layout_of_these_tests_is_sound(file: Path) -> None:
    file.write_bytes(layout(metadata=[alignment_entry(64)], alignment=64))
    with GGUFFile.open(file) as model:
        assert model.matrix("weight").rows == 2


def test_version_2(file: Path) -> None:
    file.write_bytes(layout(version=u32(2)))
    assert GGUFFile.open(file).matrices


@pytest.mark.parametrize("alignment", [1, 2, 4, 16])
def test_any_power_of_two_aligns_as_in_ggml(file: Path, alignment: int) -> None:
    file.write_bytes(layout(metadata=[alignment_entry(alignment)], alignment=alignment))
    assert GGUFFile.open(file).matrices


def test_every_kind_of_metadata_is_walked_over(file: Path) -> None:
    nested = array(ARRAY, 2, array(UINT8, 3, b"abc") + array(STRING, 2, string(b"x") + string(b"")))
    widths = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    metadata = [entry(b"scalar%d" % kind, kind, bytes(width)) for kind, width in widths.items()]
    metadata += [entry(b"array%d" % kind, ARRAY, array(kind, 5, bytes(5 * w))) for kind, w in widths.items()]
    metadata += [entry(b"string", STRING, string(b"text")), entry(b"nested", ARRAY, nested)]
    metadata += [entry(b"empty", ARRAY, array(STRING, 0))]
    file.write_bytes(layout(metadata=metadata))
    with GGUFFile.open(file) as model:
        assert model.matrix("weight").columns == 64


def test_a_type_that_gguf_does_not_know_is_left_out(file: Path) -> None:
    odd = RawTensor(b"odd", dims=(33, 7), kind=77, data=b"?")
    file.write_bytes(layout([odd, RawTensor()]))
    with GGUFFile.open(file) as model:
        assert [m.name for m in model.matrices] == ["weight"]
        assert [(t.name, t.type) for t in model.left_out] == [("odd", "77")]
        assert "does not know" in model.left_out[0].reason


def test_unpadded_last_tensor(file: Path) -> None:
    file.write_bytes(layout([RawTensor(data=b"w" * 72)]).rstrip(b"\0"))
    assert GGUFFile.open(file).matrices


def test_data_is_released_with_the_file_unless_in_use(file: Path) -> None:
    written = write_model(file, {"a": (3, 64), "b": (3, 64)})
    with GGUFFile.open(file) as model:
        a, b = model.matrices
        in_use = np.frombuffer(a.data, np.uint8)
    assert in_use.tobytes() == written["a"].tobytes()
    with pytest.raises(ValueError, match="released"):
        b.data.tobytes()


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


def test_empty(file: Path) -> None:
    file.touch()
    assert "empty" in refusal(file)


def test_a_path_of_many_lines_is_named_in_one(tmp_path: Path) -> None:
    path = tmp_path / "two\nlines.gguf"
    path.touch()
    with pytest.raises(GGUFError, match=r"two\\nlines.gguf': the file is empty"):
        GGUFFile.open(path)


# --- files that are not sound: (bytes, what the message must say)

Q4_0_ROW = bytes(18)
UNSOUND = {
    "not GGUF": (b"GGML" + layout()[4:], "not a GGUF file, it starts with b'GGML'"),
    "control characters for a magic": (b"\x1b[2J" + layout()[4:], r"starts with b'\x1b[2J'"),
    "shorter than the magic": (b"GG", "magic goes past the end of the file at 2"),
    "shorter than the version": (layout()[:7], "version goes past the end of the file at 7"),
    "version 1": (layout(version=u32(1)), "GGUF version 1"),
    "version 0": (layout(version=u32(0)), "GGUF version 0"),
    "version 4": (layout(version=u32(4)), "GGUF version 4"),
    "big-endian": (layout(version=struct.pack(">I", 3)), "big-endian"),
    "tensor count": (layout(tensor_count=2**40), f"{2**40} tensors cannot be"),
    "tensor count at the limit": (layout(tensor_count=2**64 - 1), f"{2**64 - 1} tensors cannot be"),
    "tensor count off by one": (
        layout([RawTensor(data=b"\xff" * 72)], alignment=1, tensor_count=2),
        "name of tensor 1 goes past",
    ),
    "metadata count": (layout(metadata_count=2**40), f"{2**40} metadata entries cannot be"),
    "key past the end": (
        layout(metadata=[string(b"key", length=2**63)]),
        "key of metadata entry 0 goes past the end",
    ),
    "key that is not UTF-8": (
        layout(metadata=[entry(b"\xff", UINT8, b"0")]),
        "key of metadata entry 0 is not UTF-8",
    ),
    "key twice": (layout(metadata=[entry(b"key", UINT8, b"0")] * 2), "metadata 'key' is there twice"),
    "value of unknown type": (
        layout(metadata=[entry(b"key", 13, bytes(8))]),
        "metadata 'key' has unknown type 13",
    ),
    "string past the end": (
        layout(metadata=[entry(b"key", STRING, string(b"", length=2**64 - 8))]),
        "metadata 'key' goes past the end",
    ),
    "array of 2^60 strings": (
        layout(metadata=[entry(b"key", ARRAY, array(STRING, 2**60))]),
        f"{2**60} items of metadata 'key' cannot be",
    ),
    "array of 2^60 numbers": (
        layout(metadata=[entry(b"key", ARRAY, array(UINT64, 2**60))]),
        f"{2**60} items of metadata 'key' cannot be",
    ),
    "array of 2^60 arrays": (
        layout(metadata=[entry(b"key", ARRAY, array(ARRAY, 2**60))]),
        f"{2**60} items of metadata 'key' cannot be",
    ),
    "array of unknown type": (
        layout(metadata=[entry(b"key", ARRAY, array(99, 0))]),
        "metadata 'key' is an array of unknown type 99",
    ),
    "a string in an array past the end": (
        layout(metadata=[entry(b"key", ARRAY, array(STRING, 1, string(b"", length=2**40)))]),
        "metadata 'key' goes past the end",
    ),
    "arrays five deep": (
        layout(metadata=[entry(b"key", ARRAY, array(ARRAY, 1) * 4 + array(UINT8, 0))]),
        "metadata 'key' has arrays more than 4 deep",
    ),
    "arrays ten thousand deep": (
        layout(metadata=[entry(b"key", ARRAY, array(ARRAY, 1) * 10_000)]),
        "metadata 'key' has arrays more than 4 deep",
    ),
    "alignment 0": (layout(metadata=[alignment_entry(0)]), "general.alignment is 0, not a power of two"),
    "alignment 48": (layout(metadata=[alignment_entry(48)]), "general.alignment is 48, not a power of two"),
    "alignment 33": (layout(metadata=[alignment_entry(33)]), "general.alignment is 33, not a power of two"),
    "alignment larger than the file": (layout(metadata=[alignment_entry(2**31)]), "past the end of the file"),
    "alignment that is no UINT32": (
        layout(metadata=[entry(b"general.alignment", UINT64, u64(32))]),
        "general.alignment is not a UINT32",
    ),
    "tensor name past the end": (
        layout([], alignment=1, tensor_count=1) + string(bytes(100), length=2**63),
        "name of tensor 0 goes past the end",
    ),
    "tensor name that is not UTF-8": (layout([RawTensor(b"\xc3")]), "name of tensor 0 is not UTF-8"),
    "no dimension": (layout([RawTensor(dims=())]), "has 0 dimensions, not 1 to 4"),
    "five dimensions": (layout([RawTensor(dims=(32, 1, 1, 1, 1))]), "has 5 dimensions, not 1 to 4"),
    "2^32 - 1 dimensions": (layout([RawTensor(n_dims=2**32 - 1)]), f"has {2**32 - 1} dimensions"),
    "a dimension of 0": (layout([RawTensor(dims=(64, 0))]), "has a dimension of 0"),
    "columns not a multiple of 32": (
        layout([RawTensor(dims=(33, 32))]),
        "has 33 columns, Q4_0 needs a multiple of 32",
    ),
    "columns of a tensor to be left out": (
        layout([RawTensor(), RawTensor(b"k", (128,), GGMLQuantizationType.Q6_K, bytes(210))]),
        "tensor 'k' has 128 columns, Q6_K needs a multiple of 256",
    ),
    "offset between alignments": (
        layout([RawTensor(offset=16, data=bytes(96))]),
        "offset 16, not a multiple of the alignment 32",
    ),
    "offset past the end": (layout([RawTensor(offset=2**40)]), "past the end of the file"),
    "offset that wraps": (layout([RawTensor(offset=2**64 - 32)]), "past the end of the file"),
    "offset of an unknown type past the end": (
        layout([RawTensor(), RawTensor(b"odd", kind=77, offset=2**40)]),
        "tensor 'odd' ends at byte",
    ),
    "left out, past the end": (
        layout([RawTensor(), RawTensor(b"norm", (64,), F32, bytes(128))]),
        "tensor 'norm' ends at byte",
    ),
    "one row too many": (layout([RawTensor(dims=(64, 3))]), "tensor 'weight' ends at byte"),
    "product that wraps to 0": (layout([RawTensor(dims=(2**32, 2**32))]), "past the end of the file"),
    "product that wraps to the data": (layout([RawTensor(dims=(64, 2**63 + 2))]), "past the end of the file"),
    "largest dimensions": (layout([RawTensor(dims=(2**64 - 32,) * 4)]), "past the end of the file"),
    "a tensor twice": (layout([RawTensor(), RawTensor()]), "tensor 'weight' is there twice"),
    "same data": (layout([RawTensor(), RawTensor(b"b", offset=0)]), "tensors 'weight' and 'b' overlap"),
    "overlapping data": (
        layout([RawTensor(), RawTensor(b"b", offset=64)]),
        "tensors 'weight' and 'b' overlap",
    ),
    "unknown type in the data of another": (
        layout([RawTensor(), RawTensor(b"odd", kind=77, offset=32)]),
        "tensors 'weight' and 'odd' overlap",
    ),
    "no tensor": (layout([]), "no Q4_0 tensor (none at all)"),
    "no Q4_0 tensor": (
        layout([RawTensor(b"a", (2,), F32, bytes(8)), RawTensor(b"b", kind=77)]),
        "no Q4_0 tensor (1 of type F32, 1 of type 77); examples/requantise.py",
    ),
    "control characters in a name": (
        layout([RawTensor(b"\x1b[2J\nname\xe2\x80\xae", dims=(33,))]),
        r"tensor '\x1b[2J\nname\u202e' has 33 columns",
    ),
    "a very long name": (layout([RawTensor(b"n" * 100_000, dims=(33,))]), "nnn...' has 33 columns"),
    "a long name of control characters": (
        layout([RawTensor("\U000e0001".encode() * 80, dims=(33,))]),
        r"'" + r"\U000e0001" * 8 + "...' has 33 columns",
    ),
}


@pytest.mark.parametrize(("content", "expected"), UNSOUND.values(), ids=UNSOUND.keys())
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


SOUND = layout(
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
    end_of_data = SOUND.rindex(b"b") + 1
    for length in range(1, end_of_data):
        file.write_bytes(SOUND[:length])
        refusal(file)
    file.write_bytes(SOUND[:end_of_data])
    assert GGUFFile.open(file).matrices


# --- and whatever else can happen to a file

LIES = st.sampled_from([0, 1, 2, 5, 9, 31, 33, 2**31, 2**32 - 1, 2**60, 2**63, 2**64 - 32, 2**64 - 1])
OVERWRITE = st.tuples(
    st.integers(0, len(SOUND) - 1),
    st.one_of(st.binary(min_size=1, max_size=8), LIES.map(u64), LIES.map(lambda n: u32(n % 2**32))),
)


@settings(max_examples=1500, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(overwrites=st.lists(OVERWRITE, max_size=3), cut=st.none() | st.integers(0, len(SOUND)))
def test_damage_is_refused_or_harmless(
    file: Path, overwrites: list[tuple[int, bytes]], cut: int | None
) -> None:
    content = bytearray(SOUND)
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
    assert sum(matrix.data.nbytes for matrix in model.matrices) < len(content)
    for matrix in model.matrices:
        assert matrix.data.nbytes == matrix.rows * matrix.columns // 32 * 18 > 0
        assert matrix.columns % 32 == 0
        assert matrix.data.tobytes() in bytes(content)
