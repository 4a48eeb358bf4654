"""Kernels as files: WAT for people, wasm for engines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codegen.assemble import assemble
from codegen.errors import InputError
from codegen.output import write_file
from codegen.render import render
from codegen.spec import KernelSpec

GENERATED, BUILD = Path("generated"), Path("build")


class Emit(StrEnum):
    """What can be written of a kernel."""

    WAT = "wat"
    WASM = "wasm"


FOLDERS = {Emit.WAT: GENERATED, Emit.WASM: BUILD}


@dataclass(frozen=True)
class Written:
    """One file, and whether it was new or different."""

    path: Path
    changed: bool


def emit(specs: Sequence[KernelSpec], kinds: Sequence[Emit], out: Path | None) -> Iterator[Written]:
    """Writes kernels: WAT into generated/, wasm into build/, or all into `out`.

    Files are written as they are made, each whole; an unchanged file is left alone.
    """
    for spec in specs:
        for kind in kinds:
            path = (out or FOLDERS[kind]) / f"{spec.name}.{kind}"
            yield Written(path, write_file(path, content(spec, kind)))


def emit_to_stdout(specs: Sequence[KernelSpec], kinds: Sequence[Emit]) -> None:
    """Writes kernels to standard output: any number of WAT, or one wasm.

    Raises:
        InputError: several binaries, or text and binaries, would run together.
    """
    if Emit.WASM in kinds and (len(specs) > 1 or len(kinds) > 1):
        raise InputError(
            f"--out -: takes one wasm at a time, not {len(specs) * len(kinds)} files; name one --kernel"
        )
    for spec in specs:
        for kind in kinds:
            sys.stdout.buffer.write(content(spec, kind))
    sys.stdout.buffer.flush()


def content(spec: KernelSpec, kind: Emit) -> bytes:
    """One kernel's file."""
    wat = render(spec)
    return wat.encode() if kind is Emit.WAT else assemble(wat)
