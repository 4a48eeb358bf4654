"""A kernel's module against its contract: imports, exports, opcodes, and what instantiation may write."""

from __future__ import annotations

from collections.abc import Iterator

import wasmtime

from codegen.options import Memory, Scales
from codegen.runtime import Instance
from codegen.spec import KernelSpec
from codegen.strategies import Isa
from codegen.wasm_code import SIMD, opcodes


def check_module(instance: Instance) -> Iterator[str]:
    """Imports and exports are the contract's, opcodes the ISA's, and nothing is written beside a table."""
    spec, module = instance.spec, wasmtime.Module(wasmtime.Engine(), instance.wasm)
    table, imported = spec.scales is Scales.TABLE, spec.memory is Memory.IMPORT
    exports = {spec.export} | (set() if imported else {"memory"} | ({"heap_base"} if table else set()))
    imports = ({"memory"} | ({"f16_table"} if table else set())) if imported else set()
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
    for op in sorted(opcodes(instance.wasm), key=str):
        if isinstance(op, tuple) and not _allowed(op, spec):
            yield f"opcode 0x{op[0]:x} 0x{op[1]:x} is not for {spec.isa}"
    arena = instance.arena
    base = arena.allocate(0)
    if arena.view(base, arena.end - base).any():
        yield "memory that is the host's was written at instantiation"


def _allowed(opcode: tuple[int, int], spec: KernelSpec) -> bool:
    """Whether an ISA has a prefixed opcode; of the relaxed ones only those whose result its operation can promise."""
    prefix, sub = opcode
    if prefix != SIMD:
        return True
    if spec.isa is Isa.SCALAR:
        return False
    return sub < 0x100 or (spec.isa is Isa.RELAXED and sub in spec.operation.relaxed_opcodes)
