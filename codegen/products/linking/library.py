"""A static library and its header: the fastest kernels of an ISA, an object each, and a program takes what it calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codegen.base.output import write_file
from codegen.products.emit import Written
from codegen.products.linking.archive import Member, archive
from codegen.products.linking.header import header
from codegen.products.linking.kernel_set import kernel_set
from codegen.products.linking.object_file import object_file, symbol
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa

LIBRARY, HEADER = "libggmlwat.a", "ggmlwat.h"


def write_library(folder: Path, isa: Isa, memory: Memory, engine: str) -> Iterator[Written]:
    """Writes the library and its header.

    Args:
        folder: where to.
        isa: what its kernels may use.
        memory: MEMORY64 for programs of 64-bit addresses; all others are the same in a program.
        engine: whose tuning tells which kernels are the fastest.

    Raises:
        AssembleError: WABT is not installed here.
        InputError: there is no such tuning, or the folder cannot be written to.
    """
    specs = kernel_set(isa, memory, engine)
    objects = [Member(f"{spec.name}.o", object_file(spec), (symbol(spec),)) for spec in specs]
    title = f"{HEADER}: {isa} kernels for GGML's quantised models in WebAssembly; link {LIBRARY} with it."
    for name, data in (
        (LIBRARY, archive(objects)),
        (HEADER, header(specs, title, HEADER).encode()),
    ):
        yield Written(folder / name, write_file(folder / name, data))
