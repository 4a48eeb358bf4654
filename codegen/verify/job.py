"""What an engine is given: kernels, vectors to run through each of them, and known answers of single opcodes.

The vectors and the opcodes are documented, engine-neutral files; a job puts them and the kernels' bytes into
one JSON file that a runner in any language can read.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

T = TypeVar("T")

Isa = Literal["scalar", "simd128", "relaxed"]
Memory = Literal["export", "import", "shared", "memory64"]


class KernelEntry(TypedDict):
    """One kernel: the name it is reported by, the interface of its vectors, what it needs and takes, its bytes."""

    name: str
    interface: str
    isa: Isa
    export: str
    parameters: list[str]
    memory: Memory
    wasm: str


class Wide(TypedDict):
    """An argument of type int64_t, in decimal: JSON's numbers do not hold all of them."""

    i64: str


class Output(TypedDict, total=False):
    """What a buffer must hold after the call; one of these.

    `bytes` are hex, and exact. `f32` is a list of numbers, each `{"bits": "0x3f800000"}`, `{"class": "nan"}`,
    `{"class": "nonfinite"}` or `{"value": 1.5, "bound": 1e-6}`. `untouched` is how many bytes it has, none of which
    may be written; `scratch` is how many it has, which may hold anything.
    """

    bytes: str
    f32: list[dict[str, Any]]
    untouched: int
    scratch: int


class Case(TypedDict):
    """One call: its arguments, the buffers that it reads, in hex, and what must be in those that it writes.

    An argument is a number, which is an i32 or, where it is a size_t of a 64-bit memory, an i64; the name of a buffer
    for its address; or an int64_t. With `trap` the call must trap.

    Without `place` the buffers lie amid memory, at `align` modulo 16 where that is given. With "start" and
    "end" the case runs once for each buffer, with that one at that end of a small memory, the others amid it.
    "high" is "end" in a memory of 4 GiB, where addresses are negative as an i32 and the address after the
    buffer wraps to 0; a 64-bit memory has a page more, where addresses do not fit an i32.
    """

    name: str
    kinds: list[str]
    arguments: list[int | str | Wide]
    inputs: dict[str, str]
    outputs: dict[str, Output]
    trap: NotRequired[bool]
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
    """The file of an interface's vectors: a contract's, or where it has kinds of records, of one kind."""

    format: Literal["ggml-wasm-vectors"]
    version: Literal[2]
    contract: str
    record: NotRequired[str]
    cases: list[Case]


class Opcodes(TypedDict):
    """The file of known answers."""

    format: Literal["ggml-wasm-opcodes"]
    version: Literal[1]
    cases: list[OpcodeCase]


class Job(TypedDict):
    """Everything that one run in one engine needs; vectors by interface."""

    kernels: list[KernelEntry]
    vectors: dict[str, Vectors]
    opcodes: Opcodes


def cases_of(job: Job, kernel: KernelEntry) -> list[Case]:
    """What a kernel is to be run with."""
    return job["vectors"][kernel["interface"]]["cases"]


def parts(job: Job, memories: int) -> Iterator[Job]:
    """The job in parts that make at most so many memories each, in its order; a kernel's cases stay together."""
    for kernels in _packed(job["kernels"], lambda kernel: _memories(job, kernel), memories):
        yield _part(job, kernels, [])
    for opcodes in _packed(job["opcodes"]["cases"], lambda _: 1, memories):
        yield _part(job, [], opcodes)


def _packed(items: Sequence[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """The items in runs whose sizes add up to `most` at most, where no single one is larger."""
    run: list[T] = []
    for item in items:
        if run and sum(map(size, run)) + size(item) > most:
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def _memories(job: Job, kernel: KernelEntry) -> int:
    """How many memories runners make for a kernel: a second one for cases that are placed high.

    A 64-bit memory counts as two, since engines reserve twice the addresses for it.
    """
    high = any(case.get("place") == "high" for case in cases_of(job, kernel))
    return (2 if high else 1) * (2 if kernel["memory"] == "memory64" else 1)


def _part(job: Job, kernels: list[KernelEntry], opcodes: list[OpcodeCase]) -> Job:
    interfaces = {kernel["interface"] for kernel in kernels}
    return {
        "kernels": kernels,
        "vectors": {name: one for name, one in job["vectors"].items() if name in interfaces},
        "opcodes": {**job["opcodes"], "cases": opcodes},
    }


def output_bytes(output: Output) -> int:
    """How long a buffer is."""
    if size := output.get("untouched", output.get("scratch")):
        return size
    return len(output["bytes"]) // 2 if "bytes" in output else 4 * len(output.get("f32", ()))


def kernel_entry(
    name: str,
    interface: str,
    isa: Isa,
    wasm: bytes,
    export: str,
    parameters: Sequence[str],
    memory: Memory = "export",
) -> KernelEntry:
    """The job's entry for one assembled kernel."""
    return {
        "name": name,
        "interface": interface,
        "isa": isa,
        "export": export,
        "parameters": list(parameters),
        "memory": memory,
        "wasm": base64.b64encode(wasm).decode("ascii"),
    }
