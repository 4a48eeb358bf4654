"""A kernel instantiated in wasmtime, and a case run on it: the counterpart of what runner.mjs does."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.kernels.plan import PAGE, WASM32_PAGES
from codegen.runtime.host import as_arguments, as_func, instantiate, types_of
from codegen.runtime.linear_memory import U8
from codegen.verify.job import Case, KernelEntry, Output, Wide, output_bytes
from codegen.wasm.wasmtime_library import wasmtime

GUARD = 64
"""Bytes around each buffer that must have no effect and stay as they are."""

POISON = 0x7E
"""What those bytes are: as an f16 it is NaN, as weights it is far from zero."""

CANONICAL_NAN = 0x7FC00000


class Outcome(NamedTuple):
    """What a case gave, as hex digits or "trap"; where it is wrong, what was got and expected in words."""

    result: str
    got: str = ""
    expected: str = ""


def pages(cases: Sequence[Case]) -> int:
    """What a memory needs for each case in any place but "high"."""
    most = max((sum(sizes(case).values()) for case in cases), default=0)
    return -(-3 * most // PAGE) + 1


def sizes(case: Case) -> dict[str, int]:
    """Bytes of every buffer, in the order of layout."""
    outputs = {name: output_bytes(output) for name, output in case["outputs"].items()}
    return {**outputs, **{name: len(data) // 2 for name, data in case["inputs"].items()}}


def high_pages(kernel: KernelEntry) -> int:
    """What a memory has for cases that are placed high: 4 GiB, or if it can, more than 32 bits address."""
    return WASM32_PAGES + 1 if kernel["memory"] == "memory64" else WASM32_PAGES


class Target:
    """One instance of a kernel, with memory of at least so many pages."""

    def __init__(
        self, engine: wasmtime.Engine, module: wasmtime.Module, kernel: KernelEntry, pages: int
    ) -> None:
        store = wasmtime.Store(engine)
        exports, memory = instantiate(module, engine, store)
        memory.reach(pages * PAGE)
        self._memory = memory.view()
        self._store, self._call = store, as_func(exports[kernel["export"]])
        self._types = types_of(self._call, store)

    def run(self, case: Case) -> Outcome:
        """Runs a case at each address it asks for; all results must be right and the same."""
        previous = None
        for at in self._layouts(case):
            outcome = self._invoke(case, at)
            if outcome.expected:
                return outcome
            if previous is not None and outcome.result != previous:
                return Outcome(outcome.result, outcome.result, f"{previous} as before")
            previous = outcome.result
        assert previous is not None
        return Outcome(previous)

    def _layouts(self, case: Case) -> Iterator[dict[str, int]]:
        """Addresses of all buffers; see Case for what a case asks for."""
        length = sizes(case)
        inner, end = {}, max(length.values())
        for name, size in length.items():
            inner[name] = -(-(end + GUARD) // 16) * 16 + case.get("align", 0)
            end = inner[name] + size
        if "place" not in case:
            yield inner
            return
        for name, size in length.items():
            yield {**inner, name: 0 if case["place"] == "start" else self._memory.size - size}

    def _invoke(self, case: Case, at: dict[str, int]) -> Outcome:
        """Calls the kernel amid poison, and judges what it wrote, there and elsewhere."""
        contents = {name: bytes([POISON] * size) for name, size in sizes(case).items()}
        contents |= {name: bytes.fromhex(data) for name, data in case["inputs"].items()}
        before = [self._paint(at[name], data) for name, data in contents.items()]
        try:
            values = [_argument(value, at) for value in case["arguments"]]
            self._call(self._store, *as_arguments(self._types, values))
        except wasmtime.Trap as trap:
            why = f"trap: {str(trap).strip().splitlines()[-1].strip()}"
            outcome = Outcome("trap") if case.get("trap") else Outcome("trap", why, "no trap")
        else:
            outcome = Outcome("", "no trap", "a trap") if case.get("trap") else self._judge(case, at)
        if outcome.expected:
            return outcome
        for start, image in before:
            changed = np.flatnonzero(self._memory[start : start + image.size] != image)
            if changed.size:
                where = f"byte {start + int(changed[0])} written"
                return Outcome(outcome.result, where, "only the outputs written")
        return outcome

    def _judge(self, case: Case, at: dict[str, int]) -> Outcome:
        """Judges all outputs, and leaves poison in their places."""
        result = ""
        for name, output in case["outputs"].items():
            if "untouched" in output:
                continue
            stored = self._memory[at[name] : at[name] + output_bytes(output)]
            if "scratch" in output:
                stored[:] = POISON
                continue
            outcome = judge(name, output, stored.tobytes())
            stored[:] = POISON
            result += outcome.result
            if outcome.expected:
                return outcome._replace(result=result)
        return Outcome(result)

    def _paint(self, address: int, data: bytes) -> tuple[int, U8]:
        """Puts data into memory with poison around it; where that starts, and what it is."""
        start = max(0, address - GUARD)
        end = min(self._memory.size, address + len(data) + GUARD)
        image = np.full(end - start, POISON, np.uint8)
        image[address - start : address - start + len(data)] = np.frombuffer(data, np.uint8)
        self._memory[start:end] = image
        return start, image


def _argument(value: int | str | Wide, at: dict[str, int]) -> int:
    """An argument as a number."""
    if isinstance(value, dict):
        return int(value["i64"])
    return at[value] if isinstance(value, str) else value


def judge(name: str, output: Output, stored: bytes) -> Outcome:
    """Whether an output is right. An expectation of an unknown kind matches nothing."""
    if "bytes" in output:
        wanted = bytes.fromhex(output["bytes"])
        wrong = next(
            (i for i, pair in enumerate(zip(stored, wanted, strict=True)) if pair[0] != pair[1]), None
        )
        if wrong is None:
            return Outcome(stored.hex())
        return Outcome(stored.hex(), f"{name}[{wrong}] = 0x{stored[wrong]:02x}", f"0x{wanted[wrong]:02x}")
    numbers = [stored[i : i + 4] for i in range(0, len(stored), 4)]
    result = "".join(_bits(number) for number in numbers)
    for number, expect in zip(numbers, output["f32"], strict=True):
        if not matches(expect, number):
            got = f"0x{number[::-1].hex()} ({_float(number):.9g})"
            return Outcome(result, got, json.dumps(expect))
    return Outcome(result)


def _bits(number: bytes) -> str:
    """An f32 as hex digits, any NaN as the canonical one."""
    return f"{CANONICAL_NAN:08x}" if math.isnan(_float(number)) else number[::-1].hex()


def _float(number: bytes) -> float:
    return float(struct.unpack("<f", number)[0])


def matches(expect: dict[str, Any], number: bytes) -> bool:
    """Whether an f32, as it lies in memory, is what is expected."""
    value = _float(number)
    if "bits" in expect:
        return int(expect["bits"], 16) == int.from_bytes(number, "little")
    if "class" in expect:
        return {"nan": math.isnan(value), "nonfinite": not math.isfinite(value)}.get(expect["class"], False)
    return "value" in expect and bool(abs(value - expect["value"]) <= expect["bound"])
