"""The buffers of a call in a kernel's memory: where they are put, what is around them, and what a call left there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from codegen.base.errors import KernelTrapError
from codegen.runtime.instance import Instance
from codegen.verify.calls import Call

FILL = 0xFE
"""What the rest of memory and the outputs hold before a call: not what a stray store would leave, and as an f32 so
large that a sum which does not start from zero is wrong."""


@dataclass(frozen=True)
class Place:
    """Where the buffers of a call go."""

    what: str
    addresses: Mapping[str, int]


def put(instance: Instance, call: Call) -> dict[str, int]:
    """Room for every buffer amid memory, and all of them in it; their addresses."""
    instance.arena.reset()
    addresses = {name: instance.arena.allocate(size) for name, size in call.sizes().items()}
    instance.arena.reach(instance.arena.allocate(0) + 4 * sum(call.sizes().values()))
    fill(instance, call, addresses)
    return addresses


def fill(instance: Instance, call: Call, addresses: Mapping[str, int]) -> None:
    """Puts the inputs at their addresses, and FILL where outputs go."""
    for got in outputs(instance, call, addresses).values():
        got[:] = FILL
    for name, data in call.inputs.items():
        instance.arena.view(addresses[name], len(data))[:] = np.frombuffer(data, np.uint8)


def outputs(instance: Instance, call: Call, addresses: Mapping[str, int]) -> dict[str, np.ndarray]:
    """What is at the places of the outputs now, cut off where memory ends."""
    return {name: instance.arena.view(addresses[name], len(data)) for name, data in call.outputs.items()}


def trap(instance: Instance, call: Call, place: Place, *, by_contract: bool) -> Iterator[str]:
    """Runs a call that must trap, by the kernel's own check or not by it."""
    try:
        instance.invoke(*call.placed(place.addresses))
        yield f"{place.what}: did not trap"
    except KernelTrapError as error:
        if error.contract != by_contract:
            yield f"{place.what}: {error}, {'not by the contract' if by_contract else 'as if arguments were wrong'}"


def wrong_outputs(instance: Instance, call: Call, place: Place) -> Iterator[str]:
    """The first difference of each output, after a call."""
    for name, data in call.outputs.items():
        got = instance.arena.view(place.addresses[name], len(data))
        wrong = np.flatnonzero(got != np.frombuffer(data, np.uint8))
        if wrong.size:
            at = int(wrong[0]) // 4 * 4
            here, there = got[at : at + 4].tobytes().hex(" "), data[at : at + 4].hex(" ")
            yield f"{place.what}: {name} has {here} at byte {at}, not {there}"
