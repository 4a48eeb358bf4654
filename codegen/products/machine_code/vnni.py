"""Dot products of bytes in VEX encoding (AVX-VNNI), which capstone 5 does not know and V8 emits where a CPU has them.

They differ from `vpmaddubsw` just in the opcode and the prefix, so capstone decodes their operands under that name.
"""

from __future__ import annotations

_VEX, _MAP, _STAND_IN = 0xC4, 2, 0x04

_NAMES = {  # by opcode and prefix, as VEX has them
    (0x50, 0): "vpdpbuud",
    (0x51, 0): "vpdpbuuds",
    (0x50, 1): "vpdpbusd",
    (0x51, 1): "vpdpbusds",
    (0x52, 1): "vpdpwssd",
    (0x53, 1): "vpdpwssds",
    (0x50, 2): "vpdpbsud",
    (0x51, 2): "vpdpbsuds",
    (0x50, 3): "vpdpbssd",
    (0x51, 3): "vpdpbssds",
}


def known_form(code: bytes) -> tuple[str, bytes] | None:
    """The name of a dot product that the bytes begin with, and the same bytes as `vpmaddubsw`; None if they do not."""
    if len(code) < 5 or code[0] != _VEX or code[1] & 0x1F != _MAP:
        return None
    name = _NAMES.get((code[3], code[2] & 3))
    return (name, bytes((_VEX, code[1], code[2] & 0x7C | 1, _STAND_IN)) + code[4:]) if name else None
