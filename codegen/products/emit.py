"""Kernels as files: WAT for people, wasm for engines, objects and headers for C, and engines' machine code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codegen.base.errors import InputError
from codegen.base.output import write_file
from codegen.kernels import registry
from codegen.kernels.spec import KernelSpec
from codegen.products.linking.header import header
from codegen.products.linking.object_file import object_file
from codegen.products.machine_code.machine import Compiler
from codegen.render.text import render_kernel
from codegen.wasm.assemble import assemble

GENERATED, BUILD = Path("generated"), Path("build")


class Emit(StrEnum):
    """What can be written of a kernel."""

    WAT = "wat"
    WASM = "wasm"
    ASM = "asm"
    OBJ = "obj"
    HEADER = "header"

    @property
    def suffix(self) -> str:
        """The end of its file's name."""
        return {Emit.OBJ: "o", Emit.HEADER: "h"}.get(self, self.value)

    @property
    def is_binary(self) -> bool:
        """Whether it is for machines."""
        return self in (Emit.WASM, Emit.OBJ)


@dataclass(frozen=True)
class Written:
    """One file, and whether it was new or different."""

    path: Path
    changed: bool


def emit(
    specs: Sequence[KernelSpec],
    kinds: Sequence[Emit],
    out: Path | None,
    compiler: Compiler = Compiler.WASMTIME,
) -> Iterator[Written]:
    """Writes kernels into `out`, or where it is None, WAT of shown kernels into generated/ and all else into build/.

    The files of a kernel are written when all are made, each whole; an unchanged file is left alone.
    """
    for spec in specs:
        for kind, data in [(kind, content(spec, kind, compiler)) for kind in kinds]:
            path = (out or _folder(spec, kind)) / f"{spec.name}.{kind.suffix}"
            yield Written(path, write_file(path, data))


def _folder(spec: KernelSpec, kind: Emit) -> Path:
    """generated/ has nothing but what people review, so that `check` finds whatever else lies there."""
    return GENERATED if kind is Emit.WAT and spec in registry.shown() else BUILD


def emit_to_stdout(
    specs: Sequence[KernelSpec], kinds: Sequence[Emit], compiler: Compiler = Compiler.WASMTIME
) -> None:
    """Writes kernels to standard output: any number of texts, or one binary.

    Raises:
        InputError: several binaries, or text and binaries, would run together.
    """
    binary = next((kind for kind in kinds if kind.is_binary), None)
    if binary and (len(specs) > 1 or len(kinds) > 1):
        raise InputError(
            f"--out -: takes one {binary} at a time, not {len(specs) * len(kinds)} files; name one --kernel"
        )
    for spec in specs:
        for data in [content(spec, kind, compiler) for kind in kinds]:
            sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def content(spec: KernelSpec, kind: Emit, compiler: Compiler = Compiler.WASMTIME) -> bytes:
    """One kernel's file.

    Args:
        spec: the kernel.
        kind: what of it.
        compiler: the engine whose machine code ASM shows.

    Raises:
        MachineCodeError: that cannot be had here.
        InputError: there is no such file of this kernel.
    """
    match kind:
        case Emit.WAT:
            return render_kernel(spec).encode()
        case Emit.WASM:
            return assemble(render_kernel(spec))
        case Emit.OBJ:
            return object_file(spec)
        case Emit.HEADER:
            name = f"{spec.name}.{kind.suffix}"
            return header([spec], f"{name}: link {spec.name}.{Emit.OBJ.suffix} with it.", name).encode()
        case Emit.ASM:
            from codegen.products.machine_code.listing import listing

            return listing(spec, compiler).encode()
