"""Block formats as data: how GGML lays quantised numbers out in memory, and what follows from that."""

from __future__ import annotations

from codegen.formats.decoding import Blocks, decode, dequantize
from codegen.formats.encoding import blocks_of, encode
from codegen.formats.format import Format
from codegen.formats.table import FORMATS, Q4_0, Q8_0

__all__ = ["FORMATS", "Q4_0", "Q8_0", "Blocks", "Format", "blocks_of", "decode", "dequantize", "encode"]
