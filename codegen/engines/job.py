"""What an engine is given: kernels, vectors to run through each of them, and known answers of single opcodes.

The vectors and the opcodes are documented, engine-neutral files; a job puts them and the kernels' bytes into
one JSON file that a runner in any language can read.
"""

from __future__ import annotations

import base64
from typing import Any, Literal, NotRequired, TypedDict

Isa = Literal["scalar", "simd128", "relaxed"]


class KernelEntry(TypedDict):
    """One kernel: the name it is reported by, the feature it needs, how it is called, and its bytes."""

    name: str
    isa: Isa
    export: str
    memory: Literal["export", "import"]
    wasm: str


class Case(TypedDict):
    """One call: n elements of x and y (blocks in hex) and what must come out.

    `expect` is one of `{"bits": "0x3f800000"}`, `{"class": "nan"}`, `{"class": "nonfinite"}`,
    `{"value": 1.5, "bound": 1e-6}` and `{"trap": true}`.

    Without `place` the blocks lie amid memory, at `align` modulo 16 where that is given. With "start" and
    "end" the case runs three times: with the result, x and y in turn at that end of a small memory, the
    others amid it. "high" is "end" in a memory of 4 GiB, where addresses are negative as an i32 and the
    address after the block wraps to 0. The memory below `heap_base` (an exported global), or the f16 table
    that a kernel imports the address of (`env.f16_table`), is the kernel's own: there "start" is what
    follows it.
    """

    name: str
    kinds: list[str]
    n: int
    x: str
    y: str
    expect: dict[str, Any]
    nrc: NotRequired[int]
    align: NotRequired[int]
    place: NotRequired[Literal["start", "end", "high"]]


class OpcodeCase(TypedDict):
    """A known answer: a module that exports `memory`, `run()` and `hot(count)`, and what it must compute.

    Both functions read v128 operands at 0, 16 and 32 and store the result at 48; `hot` does so `count`
    times, so that the engine optimises it. All bytes are hex; `alternatives` are other results that the
    specification allows.
    """

    name: str
    requires: Isa
    wasm: str
    operands: list[str]
    result: str
    alternatives: NotRequired[list[str]]


class Vectors(TypedDict):
    """The file of vectors."""

    format: Literal["ggml-wasm-vectors"]
    version: Literal[1]
    op: str
    cases: list[Case]


class Opcodes(TypedDict):
    """The file of known answers."""

    format: Literal["ggml-wasm-opcodes"]
    version: Literal[1]
    cases: list[OpcodeCase]


class Job(TypedDict):
    """Everything that one run in one engine needs."""

    kernels: list[KernelEntry]
    vectors: Vectors
    opcodes: Opcodes


def kernel_entry(
    name: str, isa: Isa, wasm: bytes, export: str, memory: Literal["export", "import"] = "export"
) -> KernelEntry:
    """The job's entry for one assembled kernel."""
    return {
        "name": name,
        "isa": isa,
        "export": export,
        "memory": memory,
        "wasm": base64.b64encode(wasm).decode("ascii"),
    }
