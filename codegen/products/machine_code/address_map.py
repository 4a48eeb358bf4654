"""wasmtime's map from machine code to wasm: the section `.wasmtime.addrmap` of its object files.

Up to wasmtime 46 the section is a count and two arrays of 32-bit numbers: offsets in the code and in the module.
From 47 on it is packed: a count, a number of blocks, and for each block the offset in the code that it starts from and
where its bytes begin; then those bytes. An entry of a block, of 128 or what is left, is one or two LEB128 numbers. The
lowest bit of the first says that the origin is unknown; its other bits are added to the offset in the code. Where the
origin is known the second is added to the last known one, signed; the first of a block is the origin itself.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from codegen.base.errors import MachineCodeError

_UNKNOWN = 0xFFFFFFFF
_BLOCK_ENTRIES = 128


def decode(section: bytes) -> list[tuple[int, int | None]]:
    """Pairs (offset in the code, offset in the module or None), ascending.

    Raises:
        MachineCodeError: the section is neither of the two forms.
    """
    try:
        (count,) = struct.unpack_from("<I", section)
        flat = len(section) == 4 + 8 * count
        pairs = list(_flat(section, count) if flat else _packed(section, count))
    except (struct.error, IndexError):
        pairs = []
    offsets = [offset for offset, _ in pairs]
    if not pairs or offsets != sorted(offsets):
        raise MachineCodeError("wasmtime: its address map is in no form that is known; install wasmtime 50")
    return pairs


def _flat(section: bytes, count: int) -> Iterator[tuple[int, int | None]]:
    numbers = struct.unpack_from(f"<{2 * count}I", section, 4)
    for offset, origin in zip(numbers[:count], numbers[count:], strict=True):
        yield offset, None if origin == _UNKNOWN else origin


def _packed(section: bytes, count: int) -> Iterator[tuple[int, int | None]]:
    (blocks,) = struct.unpack_from("<I", section, 4)
    body = section[8 + 8 * blocks :]
    for block in range(blocks):
        offset, at = struct.unpack_from("<II", section, 8 + 8 * block)
        origin: int | None = None
        for _ in range(min(_BLOCK_ENTRIES, count - block * _BLOCK_ENTRIES)):
            token, at = _leb128(body, at, signed=False)
            offset += token >> 1
            if token & 1:
                yield offset, None
                continue
            step, at = _leb128(body, at, signed=origin is not None)
            origin = step if origin is None else origin + step
            yield offset, origin


def _leb128(data: bytes, at: int, signed: bool) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return (value - (1 << shift) if signed and byte & 0x40 else value), at
