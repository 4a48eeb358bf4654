"""Small GGUF files for tests: sound ones written by `gguf`, and ones that lie, laid out byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter, quants

Q4_0 = GGMLQuantizationType.Q4_0
F32 = GGMLQuantizationType.F32


def write_model(
    path: Path,
    shapes: Mapping[str, tuple[int, ...]],
    types: Mapping[str, GGMLQuantizationType] | None = None,
    *,
    alignment: int | None = None,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """Write a sound file of random tensors, as GGML's own tools would.

    Args:
        path: the file to write.
        shapes: name to shape, rows first; the last number is the columns.
        types: name to type, for the tensors that are not Q4_0.
        alignment: of the tensor data; None leaves it to the default.
        seed: of the random weights.

    Returns:
        Name to the bytes each tensor was written from.
    """
    random = np.random.default_rng(seed)
    writer = GGUFWriter(path, "test")
    if alignment is not None:
        writer.add_custom_alignment(alignment)
    # One of each kind of metadata that a model has: scalars, and arrays of strings and of scalars.
    writer.add_uint32("test.block_count", 1)
    writer.add_float64("test.epsilon", 1e-5)
    writer.add_bool("test.flag", True)
    writer.add_token_list(["<s>", "a", "\N{LOWER ONE EIGHTH BLOCK}king", ""])
    writer.add_token_scores([0.0, -1.0, -2.0, -3.0])
    tensors = {}
    for name, shape in shapes.items():
        kind = (types or {}).get(name, Q4_0)
        tensors[name] = quants.quantize(random.standard_normal(shape, np.float32), kind)
        writer.add_tensor(name, tensors[name], raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors


def u16(value: int) -> bytes:
    return struct.pack("<H", value)


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def string(text: bytes, length: int | None = None) -> bytes:
    """A GGUF string; `length` is what it says of itself, where that is a lie."""
    return u64(len(text) if length is None else length) + text


def entry(key: bytes, kind: int, value: bytes) -> bytes:
    """One metadata entry."""
    return string(key) + u32(kind) + value


def array(kind: int, count: int, items: bytes = b"") -> bytes:
    """An array value that says it has `count` items, whatever the bytes of its items are."""
    return u32(kind) + u64(count) + items


def alignment_entry(value: int) -> bytes:
    return entry(b"general.alignment", GGUFValueType.UINT32, u32(value))


def split_entries(number: int, count: int, tensors: int | None = None) -> list[bytes]:
    """What the header of a part says: its number from 0 on, of how many, and the tensors in all."""
    entries = [
        entry(b"split.no", GGUFValueType.UINT16, u16(number)),
        entry(b"split.count", GGUFValueType.UINT16, u16(count)),
    ]
    if tensors is not None:
        entries.append(entry(b"split.tensors.count", GGUFValueType.INT32, u32(tensors)))
    return entries


@dataclass(frozen=True)
class RawTensor:
    """A tensor whose header says what it likes; its data follows that of the tensor before."""

    name: bytes = b"weight"
    dims: Sequence[int] = (64, 2)  # columns first, as in the file
    kind: int = Q4_0
    data: bytes = bytes(2 * 64 // 32 * 18)
    offset: int | None = None  # None: where the data really is
    n_dims: int | None = None  # None: how many there really are


def layout(
    tensors: Sequence[RawTensor] = (RawTensor(),),
    metadata: Sequence[bytes] = (),
    *,
    magic: bytes = b"GGUF",
    version: bytes = u32(3),
    tensor_count: int | None = None,
    metadata_count: int | None = None,
    alignment: int = 32,
) -> bytes:
    """The bytes of a file, sound unless an argument says otherwise; data is really put at `alignment`."""
    header = bytearray(magic + version)
    header += u64(len(tensors) if tensor_count is None else tensor_count)
    header += u64(len(metadata) if metadata_count is None else metadata_count)
    header += b"".join(metadata)
    data = bytearray()
    for tensor in tensors:
        header += string(tensor.name)
        header += u32(len(tensor.dims) if tensor.n_dims is None else tensor.n_dims)
        header += b"".join(map(u64, tensor.dims))
        header += u32(tensor.kind)
        header += u64(len(data) if tensor.offset is None else tensor.offset)
        data += tensor.data + bytes(-len(tensor.data) % alignment)
    return bytes(header + bytes(-len(header) % alignment) + data)
