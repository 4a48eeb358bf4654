"""A kernel as a relocatable object, which wasm-ld links into a program of C, C++, Rust or Zig.

The format is that of the tool conventions' Linking.md: WABT writes it, we add what it does not, the list of features.
"""

from __future__ import annotations

from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.products.linking.merge import part
from codegen.spec.strategies import Isa
from codegen.wasm.assemble import assemble_relocatable

_MEMORY = '(import "env" "__linear_memory" (memory {}))'
"""What objects call the memory that the linker gives them: one of any size, which threads may share."""

FEATURES = {Isa.SCALAR: (), Isa.SIMD128: ("simd128",), Isa.RELAXED: ("simd128", "relaxed-simd")}
"""As the tool conventions name them: what runs after the linker must know that the program has them."""

_CUSTOM_SECTION = b"\0"


def symbol(spec: KernelSpec) -> str:
    """The name by which the linker knows a kernel's function.

    It is the export's own name where a caller needs to know GGML's formats only. Where callers reserve memory for
    records of activations, whose size differs between kernels, the name tells the ISA and the record, as
    `mul_mat_q4_0__relaxed_pairs_broadcast`: a program that was compiled for other records does not link.
    """
    record = make_plan(spec).reserved
    if record is None:
        return spec.export
    return f"{spec.export}__{spec.isa}_{record.kind}_{record.activations}"


def object_file(spec: KernelSpec) -> bytes:
    """The object of a kernel, whose symbols are `symbol(spec)`, and helpers that have its name before theirs.

    Raises:
        InputError: it has a table, whose place only a module of its own knows.
        AssembleError: WABT is not installed here.
    """
    memory = _MEMORY.format("i64 0" if spec.address_type == "i64" else "0")
    wasm = assemble_relocatable(
        f";; {spec.name}\n(module\n  {memory}\n\n{part(spec, symbol(spec)).hidden})\n"
    )
    return wasm + _features(FEATURES[spec.isa])


def _features(names: tuple[str, ...]) -> bytes:
    """The section `target_features`, which says that these are used."""
    entries = bytes([len(names)]) + b"".join(b"+" + _text(name) for name in names)
    content = _text("target_features") + entries
    return _CUSTOM_SECTION + bytes([len(content)]) + content


def _text(name: str) -> bytes:
    """As the binary format has names; lengths here are below 128, one byte."""
    return bytes([len(name)]) + name.encode()
