"""A kernel against its contract on memory: what it may read and write wherever its buffers are, and when it must trap.

It is told a call, and knows no operation: each of the call's buffers goes in turn to every kind of place there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from codegen.arena import WASM32_BYTES
from codegen.calls import Call
from codegen.errors import KernelTrapError
from codegen.judge import Report
from codegen.runtime import Instance

_GUARD = bytes([0x7E] * 64)
"""What lies around an input: NaN as an f16, far from zero as weights, and as an f32 larger than any."""

_FILL = 0xA5
"""What the rest of memory and the outputs hold before a call: not what a stray store would leave."""


@dataclass(frozen=True)
class Place:
    """Where the buffers of a call go."""

    what: str
    addresses: Mapping[str, int]


def check_memory(instance: Instance, calls: Sequence[Call], report: Report) -> Iterator[str]:
    """Residues, first and last bytes of memory, guards around the inputs, and only the outputs written."""
    for call in calls:
        for place in _places(instance, call):
            yield from _run_alone(instance, call, place)
            report.count(call.blocks)


def _places(instance: Instance, call: Call) -> Iterator[Place]:
    """Amid memory at every residue, and each buffer at the first and last bytes, the others amid it."""
    arena, sizes = instance.arena, call.sizes()
    arena.reset()
    first = arena.allocate(0)
    room = sum(sizes.values()) + 1024
    arena.reach(first + (2 * len(sizes) + 2) * room)
    middle = {name: first + (2 * i + 1) * room for i, name in enumerate(sizes)}
    for r in range(16):
        # odd multiples of r: over all r, every buffer has every residue, and not the others'
        residues = {name: ((2 * i + 1) * r + 3 * i) % 16 for i, name in enumerate(sizes)}
        what = ", ".join(f"{name} {residue}" for name, residue in residues.items())
        yield Place(f"residues {what}", {name: middle[name] + residues[name] for name in sizes})
    for name in sizes:
        yield Place(f"{name} first", {**middle, name: first})
    for name, size in sizes.items():
        yield Place(f"{name} last", {**middle, name: arena.end - size})


def _run_alone(instance: Instance, call: Call, place: Place) -> Iterator[str]:
    """Runs a call placed so: its outputs, and that no other byte of memory changed."""
    arena = instance.arena
    first = arena.allocate(0)
    whole = arena.view(first, arena.end - first)
    whole[:] = _FILL
    for name, data in call.inputs.items():
        at = place.addresses[name] - first
        guarded = np.frombuffer(_GUARD + data + _GUARD, np.uint8)[max(0, len(_GUARD) - at) :]
        start = max(0, at - len(_GUARD))
        whole[start : start + len(guarded)] = guarded[: len(whole) - start]
    wanted = whole.copy()
    instance.invoke(*call.placed(place.addresses))
    whole = arena.view(first, arena.end - first)
    yield from _wrong_outputs(instance, call, place)
    for name, data in call.outputs.items():
        at = place.addresses[name] - first
        wanted[at : at + len(data)] = whole[at : at + len(data)]
    if (whole != wanted).any():
        yield f"{place.what}: wrote to memory outside its result"


def check_refused(
    instance: Instance, call: Call, refused: Sequence[Mapping[str, int]], report: Report
) -> Iterator[str]:
    """With each of these arguments the call traps, by the contract's own check, and writes nothing."""
    addresses = _put(instance, call)
    for arguments in refused:
        label = ", ".join(f"{name} = {value}" for name, value in arguments.items())
        yield from _trap(instance, call.asking(**arguments), Place(label, addresses), by_contract=True)
        report.count(0)
        if any((arena_bytes != _FILL).any() for arena_bytes in _outputs(instance, call, addresses).values()):
            yield f"{label}: wrote before it trapped"


def check_traps(instance: Instance, call: Call, left: Mapping[str, int], report: Report) -> Iterator[str]:
    """An input that ends past memory traps, though not as if the arguments were wrong.

    Args:
        instance: the kernel.
        call: one with blocks for a loop's later turns.
        left: by output, how many of its bytes may have been written by then, rightly.
        report: counts the calls.
    """
    for name, data in call.inputs.items():
        addresses = _put(instance, call)
        past = {**addresses, name: instance.arena.end - len(data) + 1}
        yield from _trap(instance, call, Place(f"{name} ends past memory", past), by_contract=False)
        report.count(0)
        for output, got in _outputs(instance, call, past).items():
            if (got[left[output] :] != _FILL).any():
                yield f"{name} ends past memory: wrote before it trapped"


def check_large(instance: Instance, call: Call, report: Report) -> Iterator[str]:
    """Buffers that straddle 2 GiB, where an address turns negative, or end at 4 GiB. Memory stays large."""
    arena, sizes = instance.arena, call.sizes()
    arena.reach(WASM32_BYTES)
    middle = {name: (i + 1) << 20 for i, name in enumerate(sizes)}
    straddling = [
        Place(f"{name} at 2 GiB - {before}", {**middle, name: (1 << 31) - before})
        for name, size in sizes.items()
        for before in _before(size, call.block_bytes.get(name))
    ]
    ends = [
        Place(f"{name} ends at 4 GiB", {**middle, name: WASM32_BYTES - max(size, 1)})
        for name, size in sizes.items()
    ]
    for place in straddling + ends:
        _fill(instance, call, place.addresses)
        instance.invoke(*call.placed(place.addresses))
        report.count(call.blocks)
        yield from _wrong_outputs(instance, call, place)


def _before(size: int, block: int | None) -> tuple[int, ...]:
    """How far before 2 GiB a buffer starts: to straddle in the second block, a middle and the last but one, or not."""
    if block is None:
        return (size // 2,)
    return (block + 2, size // 2, size - block - block // 2, -4)


def _put(instance: Instance, call: Call) -> dict[str, int]:
    """Room for every buffer amid memory, and all of them in it."""
    instance.arena.reset()
    addresses = {name: instance.arena.allocate(size) for name, size in call.sizes().items()}
    instance.arena.reach(instance.arena.allocate(0) + 4 * sum(call.sizes().values()))
    _fill(instance, call, addresses)
    return addresses


def _fill(instance: Instance, call: Call, addresses: Mapping[str, int]) -> None:
    for name, data in call.inputs.items():
        instance.arena.view(addresses[name], len(data))[:] = np.frombuffer(data, np.uint8)
    for got in _outputs(instance, call, addresses).values():
        got[:] = _FILL


def _outputs(instance: Instance, call: Call, addresses: Mapping[str, int]) -> dict[str, np.ndarray]:
    return {name: instance.arena.view(addresses[name], len(data)) for name, data in call.outputs.items()}


def _trap(instance: Instance, call: Call, place: Place, *, by_contract: bool) -> Iterator[str]:
    try:
        instance.invoke(*call.placed(place.addresses))
        yield f"{place.what}: did not trap"
    except KernelTrapError as trap:
        if trap.contract != by_contract:
            yield f"{place.what}: {trap}, {'not by the contract' if by_contract else 'as if arguments were wrong'}"


def _wrong_outputs(instance: Instance, call: Call, place: Place) -> Iterator[str]:
    for name, data in call.outputs.items():
        got = instance.arena.view(place.addresses[name], len(data))
        wrong = np.flatnonzero(got != np.frombuffer(data, np.uint8))
        if wrong.size:
            at = int(wrong[0]) // 4 * 4
            here, there = got[at : at + 4].tobytes().hex(" "), data[at : at + 4].hex(" ")
            yield f"{place.what}: {name} has {here} at byte {at}, not {there}"
