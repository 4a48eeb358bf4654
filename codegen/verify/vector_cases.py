"""Calls as cases of conformance vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from codegen.verify.calls import Call
from codegen.verify.job import Case as VectorCase
from codegen.verify.job import Output

PLACES: dict[Literal["start", "end", "high"], tuple[str, ...]] = {
    "start": ("read before the start", "unaligned addresses"),
    "end": ("tail over-read", "end of memory"),
    "high": ("pointers over 2 GiB", "end of memory"),
}
"""Where buffers can be placed, and the kinds of fault that finds."""


def case_of(name: str, kinds: tuple[str, ...], call: Call) -> VectorCase:
    """A call as a case; kinds are the faults that it is there to find."""
    return {
        "name": name,
        "kinds": list(kinds),
        "arguments": list(call.arguments.values()),
        "inputs": {buffer: data.hex() for buffer, data in call.inputs.items()},
        "outputs": {buffer: {"bytes": data.hex()} for buffer, data in call.outputs.items()},
    }


def traps(call: Call, refused: tuple[Mapping[str, int | str], ...]) -> Iterator[VectorCase]:
    """The call with each of these arguments, as a case that must trap and write nothing."""
    for arguments in refused:
        yield {**_untouched("trap", call, arguments), "trap": True}


def idle(call: Call, nothing: tuple[Mapping[str, int | str], ...]) -> Iterator[VectorCase]:
    """The call with each of these arguments, as a case that must return and write nothing."""
    for arguments in nothing:
        yield _untouched("nothing", call, arguments)


def _untouched(name: str, call: Call, arguments: Mapping[str, int | str]) -> VectorCase:
    label = "-".join(f"{parameter}-{value}" for parameter, value in arguments.items())
    asked = call.asking(**arguments)
    outputs: dict[str, Output] = {buffer: {"untouched": len(data)} for buffer, data in call.outputs.items()}
    return {**case_of(f"{name}-{label}", ("broken contract",), asked), "outputs": outputs}
