"""What a mutant is, and short ways to write one down."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from codegen import KernelSpec, assemble
from codegen.kernels.plan import Plan
from codegen.kernels.plans import make_plan
from codegen.render.text import render_plan, template_root


@dataclass(frozen=True)
class KernelMutant:
    """A kernel with a fault, which `verify` must notice.

    Attributes:
        name: what is wrong.
        spec: what the kernel claims to be.
        wasm: makes its bytes; raises BrokenMutantError where the fault is out of date.
    """

    name: str
    spec: KernelSpec
    wasm: Callable[[], bytes]


@dataclass(frozen=True)
class ProgramMutant:
    """Text replaced once in a file of the project, which one of some tests must notice."""

    name: str
    tests: tuple[str, ...]
    file: str
    old: str
    new: str


Mutant = KernelMutant | ProgramMutant


class BrokenMutantError(Exception):
    """A mutant cannot be made, or its tests cannot be run."""


def code(name: str, tests: str, file: str, old: str, new: str) -> ProgramMutant:
    """A fault in the program, and the tests that must notice, with spaces between them."""
    return ProgramMutant(name, tuple(tests.split()), file, old, new)


def text(name: str, kernel: str, file: str, old: str, new: str) -> KernelMutant:
    """A fault in a template, for what no change of one instruction makes."""
    spec = KernelSpec.parse(kernel)
    return KernelMutant(name, spec, partial(_with_text, spec, f"{file}.wat.j2", old, new))


def number(name: str, kernel: str, change: Callable[[Any], Plan]) -> KernelMutant:
    """A fault in a plan, which moves several numbers of the text at once."""
    spec = KernelSpec.parse(kernel)
    return KernelMutant(name, spec, lambda: assemble(render_plan(change(make_plan(spec)))))


def replace_text(path: Path, old: str, new: str) -> None:
    """Replaces text in a file once.

    Raises:
        BrokenMutantError: the file does not have it.
    """
    before = path.read_text()
    if old not in before:
        raise BrokenMutantError(f"{path.name} has no {old!r}; write the mutant anew")
    path.write_text(before.replace(old, new, 1))


def _with_text(spec: KernelSpec, file: str, old: str, new: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "templates"
        shutil.copytree(template_root(), root)
        replace_text(root / file, old, new)
        return assemble(render_plan(make_plan(spec), root))
