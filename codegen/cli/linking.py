"""Verbs about kernels in other people's programs: library."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.base.errors import InputError
from codegen.cli import DONE, arguments
from codegen.cli.arguments import AddVerb
from codegen.products.emit import BUILD
from codegen.products.linking.library import write_library
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    made = verb(
        "library", _library, "write a static library of one ISA for C, build/libggmlwat.a, and its header"
    )
    made.add_argument(
        "--isa", type=arguments.isa, default=Isa.RELAXED, help=f"one of {', '.join(Isa)}; default relaxed"
    )
    made.add_argument(
        "--memory",
        type=arguments.memory,
        default=Memory.EXPORT,
        help="memory64 for programs of 64-bit addresses",
    )
    made.add_argument(
        "--tuned",
        default="wasmtime",
        metavar="ENGINE",
        help="the fastest in wasmtime (default), v8 or jsc, or by a file of `codegen tune`",
    )
    made.add_argument(
        "-o", "--out", type=arguments.folder, default=str(BUILD), metavar="DIR", help="default build/"
    )


def _library(options: argparse.Namespace) -> int:
    if options.memory in (Memory.IMPORT, Memory.SHARED):
        raise InputError(
            f"--memory {options.memory}: is the linker's to decide; leave it out, or name memory64 for 64-bit addresses"
        )
    for one in write_library(Path(options.out), options.isa, options.memory, options.tuned):
        print(f"{'wrote' if one.changed else 'up to date:'} {one.path}")
    return DONE
