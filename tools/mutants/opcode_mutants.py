"""Mutants by opcode: registered kernels of each contract, with faults drawn at random by a seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

from codegen import KernelSpec, assemble, render_kernel
from codegen.kernels.registry import registered
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from tools.mutants.faults import faults, flat_text, with_fault
from tools.mutants.mutant import KernelMutant


def kernels() -> dict[str, list[KernelSpec]]:
    """The kernels that faults are put into, by contract.

    Two kinds of kernels are left out. What goes wrong only in shared or 64-bit memories is in
    tools/mutants/memories.py. Vector kernels of two blocks per iteration leave half of their lanes empty, and a fault
    in such a lane changes no result.
    """
    found = defaultdict(list)
    for spec in registered():
        half_empty = spec.isa is not Isa.SCALAR and spec.unroll == 2
        if spec.memory in (Memory.EXPORT, Memory.IMPORT) and not half_empty:
            found[spec.contract].append(spec)
    return found


def drawn(specs: Sequence[KernelSpec], random: Random) -> Iterator[KernelMutant]:
    """Mutants of these kernels, each once: a random one of a random kernel each time, until there is none left."""
    modules = {spec: assemble(render_kernel(spec)) for spec in specs}
    texts = {spec: flat_text(wasm) for spec, wasm in modules.items()}
    left = {spec: list(faults(lines)) for spec, lines in texts.items()}
    for each in left.values():
        random.shuffle(each)
    while left:
        spec = random.choice(list(left))
        fault = left[spec].pop()
        if not left[spec]:
            del left[spec]
        wasm = with_fault(texts[spec], fault)
        if wasm and wasm != modules[spec]:
            yield KernelMutant(f"{spec.name}, line {fault.line}: {fault}", spec, partial(bytes, wasm))
