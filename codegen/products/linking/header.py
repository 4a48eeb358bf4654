"""The C header of kernels that are linked into a program: prototypes as GGML has them, contracts, sizes of buffers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.products.linking.object_file import symbol
from codegen.render.text import filled, render_kernel
from codegen.spec.strategies import Isa

_WIDTH = 110

_PARAMETER = re.compile(r"\(param \$(\w+) \w+\) *;; (.+)")
_OPERATOR = re.compile(r" ([-+*/<>]) ")

_FLAGS = {
    Isa.SCALAR: "",
    Isa.SIMD128: " (clang -msimd128)",
    Isa.RELAXED: " (clang -msimd128 -mrelaxed-simd)",
}
"""What makes a compiler say of the rest of a program that it may need the same."""


def header(specs: Sequence[KernelSpec], title: str, file: str) -> str:
    """The header of kernels that export different functions.

    Args:
        specs: the kernels.
        title: what they are, a sentence.
        file: the header's name, of which its guard is made.
    """
    guard = re.sub(r"\W", "_", file).upper()
    plans = [(make_plan(spec), _parameters(spec)) for spec in specs]
    return filled(
        "c_header.h.j2",
        plans=plans,
        title=title,
        guard=guard,
        flags=_FLAGS,
        comment=_comment,
        declaration=_declaration,
    )


def _declaration(spec: KernelSpec) -> str:
    """The prototype of a kernel's function, with the linker's name for it where that is another."""
    parameters = ", ".join(one.declaration for one in spec.operation.parameters)
    label = "" if symbol(spec) == spec.export else f'\n    __asm__("{symbol(spec)}")'
    return f"void {spec.export}({parameters}){label};"


def _parameters(spec: KernelSpec) -> list[tuple[str, str]]:
    """What each parameter of the export is, in the words of the kernel's own text."""
    function = render_kernel(spec).partition(f'(export "{spec.export}")')[2]
    found = _PARAMETER.findall(function)[: len(spec.parameters)]
    assert [name for name, _ in found] == [name for name, _ in spec.parameters], (
        f"{spec.name}: a parameter lacks words"
    )
    return found


def _comment(text: str) -> str:
    """A paragraph inside a C comment; no line ends at an operator, whose `*` would stand beside the comment's own."""
    assert "*/" not in text, "would end the comment"
    lines = textwrap.wrap(
        _OPERATOR.sub("\0\\1\0", " ".join(text.split())), _WIDTH - 3, break_on_hyphens=False
    )
    return "\n".join(f" * {line}" for line in lines).replace("\0", " ")
