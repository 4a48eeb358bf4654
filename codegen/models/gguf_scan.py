"""A walk over the header of a GGUF file that proves it sound.

A model file comes from anywhere, so nothing in it is believed: every count, length and offset is held
against the size of the file before it is used. Time and memory are bounded by that size.

What the type numbers mean and how large their blocks are is `gguf`'s knowledge. Its GGUFReader does not do
the walk: it believes the counts it reads, makes several objects for every item of every array (2 GB for a
sound file with 3 MB of numbers; eleven seconds for a vocabulary of 128,000 tokens, a quarter of a second
here), and refuses a whole file over one tensor type it does not know. The tests hold this walk against it.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import prod
from typing import NoReturn

from gguf.constants import (
    GGML_QUANT_SIZES,
    GGUF_DEFAULT_ALIGNMENT,
    GGUF_MAGIC,
    GGMLQuantizationType,
    GGUFValueType,
)

from codegen.base.errors import GGUFError
from codegen.models.gguf_header import Header, Split, Tensor, quoted
from codegen.models.gguf_source import Source, shown

_VERSIONS = (2, 3)  # version 1 had 32-bit counts; GGML reads it no more
_MAX_DIMS = 4  # GGML_MAX_DIMS
_MAX_DEPTH = 4  # of arrays in arrays: the format sets no limit, and GGML reads none at all
_WINDOW_BYTES = 1 << 16  # of the header, read at once
_MEND = "the file is damaged or incomplete: download or convert it again"

_SCALAR_BYTES: dict[int, int] = {
    **dict.fromkeys((GGUFValueType.UINT8, GGUFValueType.INT8, GGUFValueType.BOOL), 1),
    **dict.fromkeys((GGUFValueType.UINT16, GGUFValueType.INT16), 2),
    **dict.fromkeys((GGUFValueType.UINT32, GGUFValueType.INT32, GGUFValueType.FLOAT32), 4),
    **dict.fromkeys((GGUFValueType.UINT64, GGUFValueType.INT64, GGUFValueType.FLOAT64), 8),
}
# The fewest bytes a thing can take: a count that needs more than the file has left is a lie, known at once.
_LEAST_BYTES = {**_SCALAR_BYTES, GGUFValueType.STRING: 8, GGUFValueType.ARRAY: 4 + 8}
_LEAST_METADATA_BYTES = 8 + 4 + 1  # an empty key, a type, one byte
_LEAST_TENSOR_BYTES = 8 + 4 + 8 + 4 + 8  # an empty name, n_dims, one dimension, a type, an offset

_READ = {
    "general.alignment": GGUFValueType.UINT32,
    "split.no": GGUFValueType.UINT16,
    "split.count": GGUFValueType.UINT16,
    "split.tensors.count": GGUFValueType.INT32,
}
"""The metadata that matters here, with the types that GGML wants; all other is walked over."""

_BLOCKS: dict[int, tuple[int, int]] = {int(kind): block for kind, block in GGML_QUANT_SIZES.items()}
_UNKNOWN_BLOCK = (1, 0)  # no row length is wrong, and only the start of the data can be checked


class Scan:
    """One walk; `position` only moves forward, and never past the end of the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.size = source.size
        self.position = 0
        self.window, self.window_start = b"", 0

    def header(self) -> Header:
        """Every tensor, its data proven to lie in the file and in no other tensor; GGUFError otherwise."""
        if not self.size:
            self._fail("the file is empty", "download or convert it again")
        self._magic_and_version()
        tensor_count = self._number(8, "tensor count")
        metadata_count = self._number(8, "metadata count")
        values = self._metadata(metadata_count)
        alignment, split = self._alignment(values), self._split(values)
        self._check_count(tensor_count, _LEAST_TENSOR_BYTES, "tensors")
        infos = [self._tensor_info(i) for i in range(tensor_count)]
        data_start = -(-self.position // alignment) * alignment
        tensors = [self._locate(*info, data_start, alignment) for info in infos]

        repeated = [name for name, n in Counter(t.name for t in tensors).items() if n > 1]
        if repeated:
            self._fail(f"tensor {quoted(repeated[0])} is there twice")
        for first, second in pairwise(sorted(tensors, key=lambda t: (t.start, t.end))):
            if second.start < first.end:
                self._fail(f"tensors {quoted(first.name)} and {quoted(second.name)} overlap")
        return Header(tuple(tensors), split)

    def _magic_and_version(self) -> None:
        magic = self._bytes(4, "magic")
        if magic != GGUF_MAGIC.to_bytes(4, "little"):
            start = quoted(magic.decode("latin-1"))
            self._fail(f"not a GGUF file, it starts with {start}", "give the path of a .gguf file")
        version = self._number(4, "version")
        if version and version & 0xFFFF == 0:  # GGML's own test: the magic is the same in both byte orders
            self._fail("a big-endian file", "gguf-convert-endian FILE little converts it in place")
        if version not in _VERSIONS:
            self._fail(f"GGUF version {version}", "versions 2 and 3 can be read: convert the model again")

    def _metadata(self, count: int) -> dict[str, int]:
        """Walk over the metadata; returns the values of _READ that are there."""
        self._check_count(count, _LEAST_METADATA_BYTES, "metadata entries")
        values: dict[str, int] = {}
        keys = set()
        for i in range(count):
            key = self._string(f"key of metadata entry {i}")
            what = f"metadata {quoted(key)}"
            if key in keys:
                self._fail(f"{what} is there twice")
            keys.add(key)
            kind = self._number(4, what)
            if key not in _READ:
                self._skip_value(kind, what)
            elif kind != _READ[key]:
                self._fail(f"{key} is not of type {_READ[key].name}")
            else:
                values[key] = self._number(_SCALAR_BYTES[kind], what)
        return values

    def _alignment(self, values: dict[str, int]) -> int:
        alignment = values.get("general.alignment", GGUF_DEFAULT_ALIGNMENT)
        # The format's document also wants a multiple of 8; GGML and gguf take any power of two.
        if alignment.bit_count() != 1:
            self._fail(f"general.alignment is {alignment}, not a power of two")
        return alignment

    def _split(self, values: dict[str, int]) -> Split | None:
        count = values.get("split.count", 0)
        if count < 2:
            return None
        if "split.no" not in values:
            self._fail(f"split.count is {count}, and there is no split.no")
        if values["split.no"] >= count:
            self._fail(f"split.no is {values['split.no']}, not less than split.count, {count}")
        return Split(values["split.no"] + 1, count, values.get("split.tensors.count"))

    def _skip_value(self, kind: int, what: str, depth: int = 0) -> None:
        if kind in _SCALAR_BYTES:
            self._skip(_SCALAR_BYTES[kind], what)
        elif kind == GGUFValueType.STRING:
            self._skip(self._number(8, what), what)
        elif kind != GGUFValueType.ARRAY:
            self._fail(f"{what} has unknown type {kind}")
        elif depth == _MAX_DEPTH:
            limit = "this is a limit of the reader here: leave the entry out"
            self._fail(f"{what} has arrays more than {_MAX_DEPTH} deep", limit)
        else:
            self._skip_array(what, depth + 1)

    def _skip_array(self, what: str, depth: int) -> None:
        kind = self._number(4, what)
        count = self._number(8, what)
        if kind not in _LEAST_BYTES:
            self._fail(f"{what} is an array of unknown type {kind}")
        self._check_count(count, _LEAST_BYTES[kind], f"items of {what}")
        if kind in _SCALAR_BYTES:
            self._skip(count * _SCALAR_BYTES[kind], what)
        else:
            for _ in range(count):
                self._skip_value(kind, what, depth)

    def _tensor_info(self, index: int) -> tuple[str, tuple[int, ...], int, int]:
        """Name, dimensions, type and offset, of which only the dimensions can be judged yet."""
        name = self._string(f"name of tensor {index}")
        what = f"tensor {quoted(name)}"
        n_dims = self._number(4, what)
        if not 1 <= n_dims <= _MAX_DIMS:
            self._fail(f"{what} has {n_dims} dimensions, not 1 to {_MAX_DIMS}")
        dims = tuple(self._number(8, what) for _ in range(n_dims))
        if 0 in dims:
            self._fail(f"{what} has a dimension of 0")
        return name, dims, self._number(4, what), self._number(8, what)

    def _locate(
        self, name: str, dims: tuple[int, ...], kind: int, offset: int, data_start: int, alignment: int
    ) -> Tensor:
        what = f"tensor {quoted(name)}"
        known = kind in _BLOCKS
        type_name = GGMLQuantizationType(kind).name if known else str(kind)
        elements, size = _BLOCKS.get(kind, _UNKNOWN_BLOCK)
        if dims[0] % elements:
            self._fail(f"{what} has {dims[0]} columns, {type_name} needs a multiple of {elements}")
        if offset % alignment:
            self._fail(f"{what} has offset {offset}, not a multiple of the alignment {alignment}")
        # Python's integers do not wrap: this refuses the sizes and offsets that do in 64 bits, too.
        start = data_start + offset
        end = start + prod(dims) // elements * size
        if end > self.size:
            self._fail(f"{what} ends at byte {end}, past the end of the file at {self.size}")
        return Tensor(name, dims, type_name, known, start, end)

    def _check_count(self, count: int, least_bytes: int, what: str) -> None:
        left = self.size - self.position
        if count * least_bytes > left:
            self._fail(f"{count} {what} cannot be in the {left} bytes left")

    def _string(self, what: str) -> str:
        try:
            return self._bytes(self._number(8, what), what).decode()
        except UnicodeDecodeError:
            self._fail(f"{what} is not UTF-8")

    def _number(self, width: int, what: str) -> int:
        return int.from_bytes(self._bytes(width, what), "little")

    def _bytes(self, count: int, what: str) -> bytes:
        start = self._skip(count, what)
        if self.position > self.window_start + len(self.window):
            self.window_start = start
            self.window = self.source.read(start, min(max(count, _WINDOW_BYTES), self.size - start))
        first = start - self.window_start
        return self.window[first : first + count]

    def _skip(self, count: int, what: str) -> int:
        """Move over `count` bytes; returns where they start."""
        start = self.position
        if count > self.size - start:
            self._fail(f"{what} goes past the end of the file at {self.size}")
        self.position = start + count
        return start

    def _fail(self, what: str, mend: str = _MEND) -> NoReturn:
        raise GGUFError(f"{shown(self.source.path)}: {what}; {mend}")
