"""Kernels that check ranges: what lies past memory, and outputs that overlap, trap before anything is written.

Like codegen/verify/memory_contract.py it is told a call, and knows no operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from codegen.runtime.instance import Instance
from codegen.verify.calls import Call
from codegen.verify.placement import Place, fill, put, trap, wrong_outputs
from codegen.verify.report import Report


def check_ranges(instance: Instance, call: Call, report: Report) -> Iterator[str]:
    """Buffers that end past memory and outputs that overlap a buffer trap by the contract, with nothing written.

    Args:
        instance: the kernel.
        call: one with blocks for a loop's later turns, every buffer of 2 bytes at least.
        report: counts the calls.
    """
    for place in _past_memory(instance, call):
        yield from _refused(instance, call, place, report)
    for output in call.outputs:
        for other in call.sizes():
            if other != output:
                for place, overlap in _near(instance, call, output, other):
                    if overlap:
                        yield from _refused(instance, call, place, report)
                    else:
                        yield from _complete(instance, call, place, report)


def check_idle(
    instance: Instance, call: Call, idle: Sequence[Mapping[str, int]], report: Report
) -> Iterator[str]:
    """With each of these arguments the call has nothing to do, and touches nothing, wherever its buffers are."""
    inside = put(instance, call)
    for addresses in (inside, dict.fromkeys(inside, 0), dict.fromkeys(inside, instance.arena.most - 1)):
        for arguments in idle:
            label = ", ".join(f"{name} = {value}" for name, value in arguments.items())
            before = _filled(instance, call, addresses)
            instance.invoke(*call.asking(**arguments).placed(addresses))
            report.count(0)
            if (_memory(instance) != before).any():
                yield f"{label}: wrote something"


def _past_memory(instance: Instance, call: Call) -> Iterator[Place]:
    """Each buffer one byte past the end of memory, a byte before it, all of it past, and where its end wraps around."""
    for name, size in call.sizes().items():
        addresses = put(instance, call)
        end, most = instance.arena.end, instance.arena.most
        for what, at in (
            ("ends past memory", end - size + 1),
            ("is past memory but for a byte", end - 1),
            ("is past memory", end),
            ("ends past the last address", most - size + 1),
            ("is past the last address but for a byte", most - 1),
        ):
            yield Place(f"{name} {what}", {**addresses, name: at})


def _near(instance: Instance, call: Call, output: str, other: str) -> Iterator[tuple[Place, bool]]:
    """An output at another buffer, and whether they overlap there: by a byte on either side, by all, or by none."""
    sizes = call.sizes()
    room = sum(sizes.values())
    instance.arena.reset()
    first = instance.arena.allocate(0)
    instance.arena.reach(first + (len(sizes) + 4) * room)
    apart = {name: first + (i + 4) * room for i, name in enumerate(sizes)}
    at = first + room
    for what, address, overlap in (
        ("begins with", at, True),
        ("ends with", at + sizes[other] - sizes[output], True),
        ("begins at the last byte of", at + sizes[other] - 1, True),
        ("ends at the first byte of", at - sizes[output] + 1, True),
        ("follows", at + sizes[other], False),
        ("precedes", at - sizes[output], False),
    ):
        yield Place(f"{output} {what} {other}", {**apart, other: at, output: address}), overlap


def _refused(instance: Instance, call: Call, place: Place, report: Report) -> Iterator[str]:
    before = _filled(instance, call, place.addresses)
    yield from trap(instance, call, place, by_contract=True)
    report.count(0)
    if (_memory(instance) != before).any():
        yield f"{place.what}: wrote before it trapped"


def _complete(instance: Instance, call: Call, place: Place, report: Report) -> Iterator[str]:
    fill(instance, call, place.addresses)
    instance.invoke(*call.placed(place.addresses))
    report.count(call.blocks)
    yield from wrong_outputs(instance, call, place)


def _filled(instance: Instance, call: Call, addresses: Mapping[str, int]) -> np.ndarray:
    """A copy of memory, with the buffers that lie in it."""
    inside = {name for name, size in call.sizes().items() if addresses[name] + size <= instance.arena.end}
    fill(instance, call.of(inside), addresses)
    return _memory(instance).copy()


def _memory(instance: Instance) -> np.ndarray:
    return instance.arena.view(0, instance.arena.end)
