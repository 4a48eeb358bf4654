"""Files that every reader of GGUF files here must judge alike: that of Python, and the page's.

What is said of a file that is not sound is the same words in both.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from gguf import GGMLQuantizationType, GGUFValueType

from tests.gguf_files import (
    F32,
    RawTensor,
    alignment_entry,
    array,
    entry,
    layout,
    split_entries,
    string,
    u16,
    u32,
    u64,
)

ARRAY, STRING = GGUFValueType.ARRAY, GGUFValueType.STRING
UINT8, UINT16 = GGUFValueType.UINT8, GGUFValueType.UINT16
UINT32, UINT64 = GGUFValueType.UINT32, GGUFValueType.UINT64

_WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_NESTED = array(ARRAY, 2, array(UINT8, 3, b"abc") + array(STRING, 2, string(b"x") + string(b"")))
_ALL_METADATA = [
    *(entry(b"scalar%d" % kind, kind, bytes(width)) for kind, width in _WIDTHS.items()),
    *(entry(b"array%d" % kind, ARRAY, array(kind, 5, bytes(5 * w))) for kind, w in _WIDTHS.items()),
    entry(b"string", STRING, string(b"text")),
    entry(b"not UTF-8", STRING, string(b"\xff")),
    entry(b"nested", ARRAY, _NESTED),
    entry(b"empty", ARRAY, array(STRING, 0)),
]

SOUND: dict[str, bytes] = {
    "one tensor": layout(),
    "two tensors": layout([RawTensor(), RawTensor(b"norm", (4,), F32, b"four" * 4)]),
    "version 2": layout(version=u32(2)),
    **{
        f"alignment {n}": layout([RawTensor(), RawTensor(b"b")], metadata=[alignment_entry(n)], alignment=n)
        for n in (1, 2, 4, 16, 64, 4096)
    },
    "every kind of metadata": layout(metadata=_ALL_METADATA),
    "unknown type": layout([RawTensor(b"odd", dims=(33, 7), kind=77, data=b"?"), RawTensor()]),
    "unpadded": layout([RawTensor(data=b"w" * 72)]).rstrip(b"\0"),
    "no tensor": layout([], metadata=_ALL_METADATA),
    "empty name": layout([RawTensor(b"")]),
    "names of several scripts": layout([RawTensor("bl\u00e4tter.\u91cd\u307f.\U0001f9ee".encode())]),
    "four dimensions": layout([RawTensor(dims=(64, 1, 2, 1))]),
    "split.count 1": layout(metadata=split_entries(0, 1)),
    "part 2 of 3": layout(metadata=split_entries(1, 3, 7)),
    "unknown type at the end of the file": layout([RawTensor(), RawTensor(b"odd", kind=77, data=b"")]),
}

LONG: dict[str, Callable[[], bytes]] = {
    "a string of 5 MB": lambda: layout(
        metadata=[entry(b"tokenizer", STRING, string(b"{" * 5_000_000)), alignment_entry(32)]
    ),
    "an array of 1.2 million strings": lambda: layout(
        metadata=[entry(b"tokens", ARRAY, array(STRING, 1_200_000, string(b"token") * 1_200_000))]
    ),
    "a header of 60 MB": lambda: layout(
        [RawTensor(b"weight%d" % i) for i in range(100)],
        [entry(b"numbers%d" % i, ARRAY, array(UINT64, 750_000, bytes(6_000_000))) for i in range(10)],
    ),
    "a name of 2 MB": lambda: layout([RawTensor(b"n" * 2_000_000), RawTensor()]),
}
"""Sound, too, and too large to be made when they are not wanted."""

# Bytes, and what the message must have in it.
UNSOUND: dict[str, tuple[bytes, str]] = {
    "not GGUF": (b"GGML" + layout()[4:], "not a GGUF file, it starts with 'GGML'"),
    "control characters for a magic": (b"\x1b[2J" + layout()[4:], r"it starts with '\x1b[2J'"),
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
        "general.alignment is not of type UINT32",
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
    "control characters in a name": (
        layout([RawTensor(b"\x1b[2J\nname\xe2\x80\xae", dims=(33,))]),
        r"tensor '\x1b[2J\nname\u202e' has 33 columns",
    ),
    "a very long name": (layout([RawTensor(b"n" * 100_000, dims=(33,))]), "nnn...' has 33 columns"),
    "a long name of control characters": (
        layout([RawTensor("\U000e0001".encode() * 80, dims=(33,))]),
        r"'" + r"\U000e0001" * 8 + "...' has 33 columns",
    ),
    "empty": (b"", "the file is empty"),
    "split.no that is no UINT16": (
        layout(metadata=[entry(b"split.no", UINT32, u32(0))]),
        "split.no is not of type UINT16",
    ),
    "split.count that is no UINT16": (
        layout(metadata=[entry(b"split.count", UINT64, u64(2))]),
        "split.count is not of type UINT16",
    ),
    "split.tensors.count that is no INT32": (
        layout(metadata=[entry(b"split.tensors.count", UINT32, u32(2))]),
        "split.tensors.count is not of type INT32",
    ),
    "split.count without split.no": (
        layout(metadata=[entry(b"split.count", UINT16, u16(2))]),
        "split.count is 2, and there is no split.no",
    ),
    "split.no past split.count": (
        layout(metadata=split_entries(3, 3)),
        "split.no is 3, not less than split.count, 3",
    ),
    "a name in quotation marks": (layout([RawTensor(b'it\'s "so"', dims=(33,))]), "has 33 columns"),
    "a name with an apostrophe": (layout([RawTensor(b"it's\\", dims=(33,))]), "has 33 columns"),
    "a byte order mark in a name": (layout([RawTensor("\ufeffa".encode(), dims=(33,))]), "has 33 columns"),
}
