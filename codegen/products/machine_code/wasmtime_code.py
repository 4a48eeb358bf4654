"""The machine code that wasmtime makes of a function: its serialised modules are ELF files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from importlib.metadata import version

from codegen.base.errors import CannotRunError, MachineCodeError
from codegen.products.machine_code import address_map
from codegen.products.machine_code.machine import Code, Machine, this_machine
from codegen.products.machine_code.needed import needed
from codegen.wasm.code import Function
from codegen.wasm.wasmtime_library import wasmtime


@dataclass(frozen=True)
class Target:
    """What wasmtime compiles for.

    Attributes:
        label: says so to people.
        triple: names the machine; None for this one with all that its CPU has.
        flags: Cranelift's names of the features that a CPU of that machine has.
    """

    label: str
    triple: str | None = None
    flags: tuple[str, ...] = ()


THIS_CPU = Target("this CPU")

AVX2 = Target(
    "x86-64 with AVX2, FMA and BMI2",
    "x86_64-unknown-linux-gnu",
    (
        *("has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_cmpxchg16b", "has_popcnt"),
        *("has_avx", "has_avx2", "has_fma", "has_bmi1", "has_bmi2", "has_lzcnt"),
    ),
)
"""x86-64-v3: the same code wherever it is compiled."""


def wasmtime_version() -> str:
    """The version of wasmtime that compiles."""
    return version("wasmtime")


def compile_function(wasm: bytes, function: Function, target: Target) -> Code:
    """The machine code of one function of a module.

    Args:
        wasm: the module.
        function: one that it exports.
        target: what to compile for.

    Raises:
        MachineCodeError: wasmtime is not here or cannot compile for that target here, pyelftools is not
            installed, or the file is not as expected.
    """
    elf_file = needed("elftools.elf.elffile").ELFFile
    machine = this_machine()
    if target.triple and machine is not Machine.X86_64:
        # The package has just the compiler of its own machine, and aborts the process when asked for another.
        raise MachineCodeError(f"wasmtime: compiles no x86-64 on {machine}; use an x86-64 machine")
    try:
        elf = elf_file(io.BytesIO(_serialised(wasm, target)))
    except CannotRunError as error:
        raise MachineCodeError(str(error)) from None
    symbol = f"wasm[0]::function[{function.index}]"
    found = [s for s in elf.get_section_by_name(".symtab").iter_symbols() if s.name.startswith(symbol)]
    section = elf.get_section_by_name(".wasmtime.addrmap")
    if len(found) != 1 or section is None:
        raise MachineCodeError(
            f"wasmtime: its object file has no {symbol} or no address map; install wasmtime 50"
        )
    start, size = found[0]["st_value"], found[0]["st_size"]
    pairs = address_map.decode(section.data())
    return Code(
        machine=machine,
        made_by=f"wasmtime {wasmtime_version()}, for {target.label}",
        data=elf.get_section_by_name(".text").data()[start : start + size],
        origins=[(at - start, origin) for at, origin in pairs if start <= at < start + size],
        complete=True,
    )


def _serialised(wasm: bytes, target: Target) -> bytes:
    config = wasmtime.Config()
    if target.triple:
        config.target = target.triple
    for flag in target.flags:
        config.cranelift_flag_enable(flag)
    return bytes(wasmtime.Module(wasmtime.Engine(config), wasm).serialize())
