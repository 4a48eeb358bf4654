"""A kernel instantiated in wasmtime, and a case run on it: the counterpart of what runner.mjs does."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import wasmtime

from codegen.engines.job import Case, KernelEntry

TABLE = 262_144
"""Bytes of the f16 table that some kernels fill when they are instantiated, at the start of memory."""

GUARD = 64
"""Bytes around each block that must have no effect and stay as they are."""

POISON = 0x7E
"""What those bytes are: as an f16 it is NaN, as weights it is far from zero."""

CANONICAL_NAN = 0x7FC00000

Bytes = npt.NDArray[np.uint8]


class Layout(NamedTuple):
    """Addresses of the result and of both operands."""

    s: int
    x: int
    y: int


class Outcome(NamedTuple):
    """What a case gave, as 8 hex digits or "trap"; where it is wrong, what was got and expected in words."""

    result: str
    got: str = ""
    expected: str = ""


class Target:
    """One instance of a kernel, with memory of at least so many pages."""

    def __init__(
        self, engine: wasmtime.Engine, module: wasmtime.Module, kernel: KernelEntry, pages: int
    ) -> None:
        store = wasmtime.Store(engine)
        i32 = wasmtime.GlobalType(wasmtime.ValType.i32(), False)
        host: dict[str | None, wasmtime.Memory | wasmtime.Global] = {
            "memory": wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(pages, None))),
            "f16_table": wasmtime.Global(store, i32, wasmtime.Val.i32(0)),
        }
        wanted = [each.name for each in module.imports]
        exports = wasmtime.Instance(store, module, [host[name] for name in wanted]).exports(store)
        call, memory = exports[kernel["export"]], host["memory"] if "memory" in wanted else exports["memory"]
        assert isinstance(call, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
        if memory.size(store) < pages:
            memory.grow(store, pages - memory.size(store))
        heap_base = exports.get("heap_base")
        table = TABLE if "f16_table" in wanted else 0
        self._base = int(heap_base.value(store)) if isinstance(heap_base, wasmtime.Global) else table
        self._memory: Bytes = np.ctypeslib.as_array(memory.get_buffer_ptr(store))
        self._store, self._call = store, call

    def run(self, case: Case) -> Outcome:
        """Runs a case at each address it asks for; all results must be right and the same."""
        previous = None
        for at in self._layouts(case):
            result, why, stray = self._invoke(case, at)
            if not matches(case["expect"], result):
                return Outcome(result, why, json.dumps(case["expect"]))
            if stray is not None:
                return Outcome(result, f"byte {stray} written", "only the result written")
            if result != (previous or result):
                return Outcome(result, why, f"{previous} as before")
            previous = result
        assert previous is not None
        return Outcome(previous)

    def _layouts(self, case: Case) -> Iterator[Layout]:
        """See Case.place for what a case asks for."""
        length = Layout(s=4, x=len(case["x"]) // 2, y=len(case["y"]) // 2)
        s = self._after(case, self._base + max(length))
        x = self._after(case, s + length.s)
        inner = Layout(s, x, self._after(case, x + length.x))
        if "place" not in case:
            yield inner
            return
        for block in Layout._fields:
            end = self._memory.size - getattr(length, block)
            yield inner._replace(**{block: self._base if case["place"] == "start" else end})

    @staticmethod
    def _after(case: Case, end: int) -> int:
        return -(-(end + GUARD) // 16) * 16 + case.get("align", 0)

    def _invoke(self, case: Case, at: Layout) -> tuple[str, str, int | None]:
        """Calls the kernel amid poison: the result, a word on it, and an address it must not have written."""
        contents = (bytes([POISON] * 4), bytes.fromhex(case["x"]), bytes.fromhex(case["y"]))
        before = [self._paint(address, data) for address, data in zip(at, contents, strict=True)]
        s, x, y = ((address + 2**31) % 2**32 - 2**31 for address in at)
        try:
            self._call(self._store, case["n"], s, 0, x, 0, y, 0, case.get("nrc", 1))
        except wasmtime.Trap as trap:
            result, why = "trap", f"trap: {str(trap).strip().splitlines()[-1].strip()}"
        else:
            stored = self._memory[at.s : at.s + 4]
            result, why = _read(stored.tobytes())
            stored[:] = POISON
        for start, image in before:
            changed = np.flatnonzero(self._memory[start : start + image.size] != image)
            if changed.size:
                return result, why, start + int(changed[0])
        return result, why, None

    def _paint(self, address: int, data: bytes) -> tuple[int, Bytes]:
        """Puts data into memory with poison around it; where that starts, and what it is."""
        start = max(self._base, address - GUARD)
        end = min(self._memory.size, address + len(data) + GUARD)
        image = np.full(end - start, POISON, np.uint8)
        image[address - start : address - start + len(data)] = np.frombuffer(data, np.uint8)
        self._memory[start:end] = image
        return start, image


def _read(stored: bytes) -> tuple[str, str]:
    value, bits = _float(stored), int.from_bytes(stored, "little")
    return f"{CANONICAL_NAN if math.isnan(value) else bits:08x}", f"0x{bits:08x} ({value:.9g})"


def _float(stored: bytes) -> float:
    return float(struct.unpack("<f", stored)[0])


def matches(expect: dict[str, Any], result: str) -> bool:
    """Whether a result is right. An expectation of an unknown kind matches nothing."""
    if result == "trap" or expect.get("trap"):
        return result == "trap" and expect.get("trap") is True
    value = _float(bytes.fromhex(result)[::-1])
    if "bits" in expect:
        return int(expect["bits"], 16) == int(result, 16)
    if "class" in expect:
        return {"nan": math.isnan(value), "nonfinite": not math.isfinite(value)}.get(expect["class"], False)
    return "value" in expect and bool(abs(value - expect["value"]) <= expect["bound"])
