"""Verbs about kernels as text and bytes: emit, list, check, bless, vectors."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.base.errors import InputError
from codegen.base.output import write_file
from codegen.base.resources import in_checkout
from codegen.cli import DONE, FAILED, arguments, show
from codegen.cli.arguments import AddVerb
from codegen.kernels import registry
from codegen.products import golden
from codegen.products.emit import GENERATED, Emit, emit, emit_to_stdout
from codegen.products.machine_code.machine import Compiler
from codegen.wasm.assemble import default_assembler

VECTORS = Path("tests/vectors")
DOCS = Path("docs")


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    made = verb("emit", _emit, "write kernels; `codegen --emit wat` is short for it", arguments.choice())
    made.add_argument(
        "--emit",
        type=arguments.kinds,
        default=[Emit.WAT],
        metavar="KINDS",
        help="wat, wasm, obj and header (for a linker and C), asm (machine code); commas between several; default wat",
    )
    made.add_argument(
        "--engine", type=arguments.compiler, help="whose machine code asm shows: wasmtime (default) or node"
    )
    made.add_argument(
        "-o",
        "--out",
        type=arguments.folder,
        metavar="DIR",
        help="default: generated/ for wat of kernels that are reviewed there, build/ for all else; -: standard output",
    )
    verb("list", _list, "the kernels there are", arguments.choice(), arguments.shown())
    for name, run_it, text in (
        ("check", _check, "compare generated/ and docs/formats.md with what the generator says"),
        ("bless", _bless, "write what the generator says to generated/ and docs/formats.md"),
        ("vectors", _vectors, "write the conformance vectors to tests/vectors/"),
    ):
        verb(name, run_it, text).add_argument(
            "-o", "--out", type=arguments.folder, metavar="DIR", help="instead of that"
        )


def _emit(options: argparse.Namespace) -> int:
    specs = arguments.selected(options)
    if options.engine and Emit.ASM not in options.emit:
        raise InputError(f"--engine {options.engine}: is about machine code; add --emit asm, or leave it out")
    compiler = options.engine or Compiler.WASMTIME
    if options.out == "-":
        emit_to_stdout(specs, options.emit, compiler)
        return DONE
    written = list(emit(specs, options.emit, Path(options.out) if options.out else None, compiler))
    changed = [one.path for one in written if one.changed]
    for path in changed:
        print(f"wrote {path}")
    with_assembler = f", assembled by {default_assembler()}" if Emit.WASM in options.emit else ""
    files = "1 file" if len(written) == 1 else f"{len(written)} files"
    print(f"{files}: {len(changed)} written, {len(written) - len(changed)} up to date{with_assembler}")
    if strange := [spec for spec in specs if spec not in registry.registered()]:
        print(
            f"{len(strange)} not registered, so not run in other engines yet: `codegen verify --engine all` does"
        )
    return DONE


def _list(options: argparse.Namespace) -> int:
    show.kernels(arguments.selected(options), options.json, options.wide)
    return DONE


def _check(options: argparse.Namespace) -> int:
    folder, docs = _committed(options, GENERATED, "check"), None if options.out else DOCS
    differences = golden.check(folder, docs)
    for difference in differences:
        print(difference.diff, end="")
        again = f"codegen bless --out {options.out}" if options.out else golden.BLESS
        mend = difference.mend or f"if that is meant: {again}"
        show.complaint(f"{difference.golden} {difference.what}; {mend}")
    if not differences:
        where = f"{folder}/ and {docs / golden.FORMATS} are" if docs else f"{folder}/ is"
        print(f"{where} what the generator says")
    return FAILED if differences else DONE


def _bless(options: argparse.Namespace) -> int:
    folder, docs = _committed(options, GENERATED, "bless"), None if options.out else DOCS
    done = golden.bless(folder, docs)
    for path in done.changed:
        print(f"blessed {path}")
    for path in done.removed:
        print(f"removed {path}")
    if done.kept:
        print(f"{golden.COSTS} keeps the machine instructions of kernels that are the same: {done.kept}")
    count = len(done.changed) + len(done.removed)
    where = f"{folder} {docs / golden.FORMATS}" if docs else f"{folder}"
    print(
        f"{count} file{'s' * (count != 1)} changed; review `git add -N {where} && git diff {where}`, and commit"
    )
    return DONE


def _vectors(options: argparse.Namespace) -> int:
    from codegen.verify import vectors

    folder = _committed(options, VECTORS, "vectors")
    for name, text in vectors.files().items():
        path = folder / name
        print(f"{'wrote' if write_file(path, text.encode()) else 'up to date:'} {path}")
    return DONE


def _committed(options: argparse.Namespace, default: Path, verb: str) -> Path:
    """The folder of --out, or else the checkout's own."""
    return Path(options.out) if options.out else in_checkout(default, verb)
