"""Parameters of exports as C declares them, and what WebAssembly has for each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

AddressType = Literal["i32", "i64"]
"""WebAssembly's type of addresses, which a memory's type decides."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name and its type in C, `const void *` as much as `int`."""

    name: str
    c_type: str

    def wasm_type(self, address: AddressType) -> str:
        """Its type in WebAssembly, where addresses are `address`: i32, or i64 in a 64-bit memory."""
        if self.c_type.endswith("*") or self.c_type == "size_t":
            return address
        return {"int": "i32", "int64_t": "i64"}[self.c_type]

    @property
    def declaration(self) -> str:
        """As C has it in a prototype."""
        return f"{self.c_type}{'' if self.c_type.endswith('*') else ' '}{self.name}"


def parameters(prototype: str) -> tuple[Parameter, ...]:
    """What stands between the parentheses of a prototype, `int n, const void *vx`."""
    return tuple(map(_parameter, prototype.split(",")))


def _parameter(declaration: str) -> Parameter:
    match = re.fullmatch(r"(.+?)\s*(\w+)", declaration.strip())
    assert match, f"{declaration}: no parameter"
    return Parameter(match[2], match[1])
