"""Kernels' texts as parts of something larger: their functions under names of their own, and one memory for all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from codegen.kernels.spec import KernelSpec
from codegen.render.text import render_kernel

_DEFINED = re.compile(r"\(func \$([^\s()]+)")
_NAMED = re.compile(r"\((func|call) \$([^\s()]+)")
_EXPORTED = re.compile(r' \(export "[^"]+"\)')
_MEMORY = re.compile(
    r'^  (\((?:memory \(export "memory"\)|import "env" "memory" \(memory) .*\))\n', re.MULTILINE
)


@dataclass(frozen=True)
class Part:
    """What a kernel adds to a module: functions, and the memory that they work in, as it declares it."""

    memory: str
    functions: str

    @property
    def hidden(self) -> str:
        """Its functions where nothing is exported."""
        return _EXPORTED.sub("", self.functions)


def part(spec: KernelSpec, export: str) -> Part:
    """A kernel's text without its module: functions that it does not export have the kernel's name before their own.

    Args:
        spec: the kernel.
        export: what the function that it exports is called inside the larger module.
    """
    body = render_kernel(spec).partition("(module\n")[2].rstrip().removesuffix(")")
    memory = _MEMORY.search(body)
    assert memory, "every module has a memory"
    body = _MEMORY.sub("", body, count=1)
    own = set(_DEFINED.findall(body)) - {spec.export}

    def renamed(match: re.Match[str]) -> str:
        kind, name = match.groups()
        if name == spec.export:
            return f"({kind} ${export}"
        return f"({kind} ${spec.name}__{name}" if name in own else match[0]

    return Part(memory[1], _NAMED.sub(renamed, body).strip("\n"))


def bundle(specs: Sequence[KernelSpec]) -> str:
    """One module of several kernels, which imports the memory that all of them work in.

    Args:
        specs: kernels that export different functions, and have the same memory, not one of their own.
    """
    parts = [part(spec, spec.export) for spec in specs]
    (memory,) = {one.memory for one in parts}
    return f"(module\n  {memory}\n\n" + "\n\n".join(one.functions for one in parts) + ")\n"
