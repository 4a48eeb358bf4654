"""A kernel against its contract on memory: what it may read and write wherever its buffers are, and when it must trap.

It is told a call, and knows no operation: each of the call's buffers goes in turn to every kind of place there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from codegen.runtime.instance import Instance
from codegen.verify.calls import Call
from codegen.verify.placement import FILL, Place, fill, outputs, put, trap, wrong_outputs
from codegen.verify.report import Report

_GUARD = bytes([0x7E] * 64)
"""What lies around an input: NaN as an f16, far from zero as weights, and as an f32 larger than any."""

_LARGE = 5 << 30
"""Bytes of a large memory, where addresses reach so far: pages that nobody touches cost nothing."""

_LINES = (1 << 31, 1 << 32)
"""Where an address turns negative as an i32, and where it does not fit one."""


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
    whole[:] = FILL
    for name, data in call.inputs.items():
        at = place.addresses[name] - first
        guarded = np.frombuffer(_GUARD + data + _GUARD, np.uint8)[max(0, len(_GUARD) - at) :]
        start = max(0, at - len(_GUARD))
        whole[start : start + len(guarded)] = guarded[: len(whole) - start]
    wanted = whole.copy()
    instance.invoke(*call.placed(place.addresses))
    whole = arena.view(first, arena.end - first)
    yield from wrong_outputs(instance, call, place)
    for name, data in call.outputs.items():
        at = place.addresses[name] - first
        wanted[at : at + len(data)] = whole[at : at + len(data)]
    if (whole != wanted).any():
        yield f"{place.what}: wrote to memory outside its result"


def check_refused(
    instance: Instance, call: Call, refused: Sequence[Mapping[str, int]], report: Report
) -> Iterator[str]:
    """With each of these arguments the call traps, by the contract's own check, and writes nothing."""
    addresses = put(instance, call)
    for arguments in refused:
        label = ", ".join(f"{name} = {value}" for name, value in arguments.items())
        yield from trap(instance, call.asking(**arguments), Place(label, addresses), by_contract=True)
        report.count(0)
        if any((arena_bytes != FILL).any() for arena_bytes in outputs(instance, call, addresses).values()):
            yield f"{label}: wrote before it trapped"


def check_traps(instance: Instance, call: Call, report: Report) -> Iterator[str]:
    """Where a kernel checks no ranges: an input that ends past memory traps where it is read, before any write."""
    for name, data in call.inputs.items():
        past = {**put(instance, call), name: instance.arena.end - len(data) + 1}
        yield from trap(instance, call, Place(f"{name} ends past memory", past), by_contract=False)
        report.count(0)
        if any((got != FILL).any() for got in outputs(instance, call, past).values()):
            yield f"{name} ends past memory: wrote before it trapped"


def check_large(instance: Instance, call: Call, report: Report) -> Iterator[str]:
    """Buffers that straddle a line of _LINES below the end of a large memory, or end there. Memory stays large."""
    arena, sizes = instance.arena, call.sizes()
    large = min(arena.most, _LARGE)
    arena.reach(large)
    middle = {name: (i + 1) << 20 for i, name in enumerate(sizes)}
    straddling = [
        Place(f"{name} at {line >> 30} GiB - {before}", {**middle, name: line - before})
        for line in _LINES
        if line < large
        for name, size in sizes.items()
        for before in _before(size, call.block_bytes.get(name))
    ]
    ends = [
        Place(f"{name} ends at {large >> 30} GiB", {**middle, name: large - max(size, 1)})
        for name, size in sizes.items()
    ]
    for place in straddling + ends:
        fill(instance, call, place.addresses)
        instance.invoke(*call.placed(place.addresses))
        report.count(call.blocks)
        yield from wrong_outputs(instance, call, place)


def _before(size: int, block: int | None) -> tuple[int, ...]:
    """How far before a line a buffer starts: to straddle in the second block, a middle and the last but one, or not.

    Loops within a block may end before its middle, since they read several of its parts at once.
    """
    if block is None:
        return (size // 2,)
    inside = (block // 8, block // 2)
    return (block + 2, block + block // 8, size // 2, *(size - 2 * block + part for part in inside), -4)
