"""Rows to interleave for any engine, with the groups that must come out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from codegen.kernels.spec import KernelSpec
from codegen.verify.job import Case as VectorCase
from codegen.verify.repack.cases import GAPS, call_of
from codegen.verify.vector_cases import PLACES, case_of, idle, traps

_REFUSED = ({"n": 31}, {"n": 48}, {"n": -32}, {"nc": -1}, {"nc": 1 << 30}, {"nc": 2, "bx": 1 << 31})


def cases(spec: KernelSpec) -> Iterator[VectorCase]:
    """All of them."""
    for rows, blocks in product(range(1, 10), (1, 2, 5)):
        name = f"{rows}-rows-of-{blocks}-blocks"
        gap = GAPS[(rows + blocks) % len(GAPS)]
        kinds = ("block count", "lane order", "left-over rows", "row strides")
        yield case_of(name, kinds, call_of(name, rows, blocks, gap))
    for residue in range(16):
        name = f"align-{residue}"
        yield {**case_of(name, ("unaligned addresses",), call_of(name, 5, 1)), "align": residue}
    for (place, faults), rows in product(PLACES.items(), (4, 5)):
        name = f"{place}-of-memory-{rows}-rows"
        yield {**case_of(name, faults, call_of(name, rows, 3)), "place": place}
    # -64 as an address is 64 bytes before 4 GiB, where no memory of another case is
    call = call_of("trap", 5, 2)
    yield from traps(call, (*_REFUSED, {"s": "vx"}, {"vx": -64}, {"s": -64}))
    yield from idle(call, ({"nc": 0}, {"n": 0}))
