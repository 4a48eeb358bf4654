"""wasmtime's map from machine code to wasm, in both of its forms; the packed one of a real module is read elsewhere."""

from __future__ import annotations

import struct

import pytest

from codegen.base.errors import MachineCodeError
from codegen.products.machine_code import address_map

PAIRS = [(0, None), (7, 300), (9, 20), (400, None), (401, 25)]


def test_the_flat_address_map_of_older_wasmtimes_is_read() -> None:
    offsets = [offset for offset, _ in PAIRS]
    origins = [0xFFFFFFFF if origin is None else origin for _, origin in PAIRS]
    assert address_map.decode(struct.pack("<11I", 5, *offsets, *origins)) == PAIRS


def test_the_packed_address_map_is_read() -> None:
    # from 0: unknown; +7, 300; +2, -280; +391 unknown; +1, +5
    body = bytes.fromhex("01" + "0eac02" + "04e87d" + "8f06" + "0205")
    assert address_map.decode(struct.pack("<4I", 5, 1, 0, 0) + body) == PAIRS


def test_the_packed_address_map_starts_anew_every_128_entries() -> None:
    body = b"\x02\x01" * 128 + b"\x00\x09"
    found = address_map.decode(struct.pack("<6I", 129, 2, 0, 0, 500, 256) + body)
    assert found == [(at, at) for at in range(1, 129)] + [(500, 9)]


@pytest.mark.parametrize(
    "section", [b"", b"\x05", struct.pack("<4I", 9, 1, 0, 0), struct.pack("<5I", 2, 7, 3, 0, 0)]
)
def test_an_address_map_in_no_known_form_is_refused(section: bytes) -> None:
    with pytest.raises(MachineCodeError, match="address map"):
        address_map.decode(section)
