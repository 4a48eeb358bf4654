"""A kernel's module against its contract: imports, exports, opcodes, and what instantiation may write."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.kernels.plan import OWN_PAGES, WASM32_PAGES
from codegen.kernels.spec import KernelSpec
from codegen.runtime.instance import Instance
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.wasm.code import SIMD, opcodes
from codegen.wasm.wasmtime_library import wasmtime


def check_module(instance: Instance) -> Iterator[str]:
    """Imports and exports are the contract's, opcodes the ISA's, and instantiation writes nothing."""
    spec, module = instance.spec, wasmtime.Module(instance.engine, instance.wasm)
    imported = spec.memory is not Memory.EXPORT
    exports = {spec.export} | (set() if imported else {"memory"})
    imports = {"memory"} if imported else set()
    for what, have, want in (
        ("exports", {e.name for e in module.exports}, exports),
        ("imports", {i.name for i in module.imports}, imports),
    ):
        if have != want:
            yield f"{what} {sorted(map(str, have))}, the contract has {sorted(want)}"
    function = instance.function.type(instance.store)
    types = [[str(kind) for kind in kinds] for kinds in (function.params, function.results)]
    if types != [wanted := [kind for _, kind in spec.parameters], []]:
        yield f"{spec.export} is {types[0]} -> {types[1]}, the contract has {wanted} -> []"
    for found in (*(one.type for one in module.imports), *(one.type for one in module.exports)):
        if isinstance(found, wasmtime.MemoryType):
            yield from _check_memory(found, spec)
    for op in sorted(opcodes(instance.wasm), key=str):
        if isinstance(op, tuple) and not _allowed(op, spec):
            yield f"opcode 0x{op[0]:x} 0x{op[1]:x} is not for {spec.isa}"
    arena = instance.arena
    base = arena.allocate(0)
    if arena.view(base, arena.end - base).any():
        yield "memory was written at instantiation"


def _check_memory(found: wasmtime.MemoryType, spec: KernelSpec) -> Iterator[str]:
    """A host's memory may be of any size, and if it is shared have any maximum; our own may grow as there is room."""
    most = WASM32_PAGES if spec.memory is Memory.SHARED else None
    least = 0 if spec.memory is not Memory.EXPORT else OWN_PAGES
    have = found.is_64, found.is_shared, found.limits.min, found.limits.max
    want = spec.memory is Memory.MEMORY64, spec.memory is Memory.SHARED, least, most
    if have != want:
        yield f"memory's (is_64, is_shared, min, max) are {have}, the contract has {want}"


def _allowed(opcode: tuple[int, int], spec: KernelSpec) -> bool:
    """Whether an ISA has a prefixed opcode; of the relaxed ones only those whose result its operation can promise."""
    prefix, sub = opcode
    if prefix != SIMD:
        return True
    if spec.isa is Isa.SCALAR:
        return False
    return sub < 0x100 or (spec.isa is Isa.RELAXED and sub in spec.operation.relaxed_opcodes)
