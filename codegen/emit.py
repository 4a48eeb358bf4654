"""Kernels as files: WAT for people, wasm for engines, and the machine code that engines make of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codegen.assemble import assemble
from codegen.errors import InputError
from codegen.machine_code.machine import Compiler
from codegen.output import write_file
from codegen.render import render
from codegen.spec import KernelSpec

GENERATED, BUILD = Path("generated"), Path("build")


class Emit(StrEnum):
    """What can be written of a kernel."""

    WAT = "wat"
    WASM = "wasm"
    ASM = "asm"


FOLDERS = {Emit.WAT: GENERATED, Emit.WASM: BUILD, Emit.ASM: BUILD}


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
    """Writes kernels: WAT into generated/, wasm and machine code into build/, or all into `out`.

    The files of a kernel are written when all are made, each whole; an unchanged file is left alone.
    """
    for spec in specs:
        for kind, data in [(kind, content(spec, kind, compiler)) for kind in kinds]:
            path = (out or FOLDERS[kind]) / f"{spec.name}.{kind}"
            yield Written(path, write_file(path, data))


def emit_to_stdout(
    specs: Sequence[KernelSpec], kinds: Sequence[Emit], compiler: Compiler = Compiler.WASMTIME
) -> None:
    """Writes kernels to standard output: any number of texts, or one wasm.

    Raises:
        InputError: several binaries, or text and binaries, would run together.
    """
    if Emit.WASM in kinds and (len(specs) > 1 or len(kinds) > 1):
        raise InputError(
            f"--out -: takes one wasm at a time, not {len(specs) * len(kinds)} files; name one --kernel"
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
    """
    if kind is Emit.ASM:
        from codegen.machine_code.listing import listing  # what it needs is slow to import

        return listing(spec, compiler).encode()
    wat = render(spec)
    return wat.encode() if kind is Emit.WAT else assemble(wat)
