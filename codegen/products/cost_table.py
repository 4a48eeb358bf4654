"""costs.md: the costs of the shipped kernels, and for information what a compiler makes of them.

All of it is counted in the assembled bytes and held by `codegen check`, but for the last column. That one depends on
the version of a compiler: `bless` writes it where it can be had, and `check` takes over the numbers that stand there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codegen.wasm.cost import Cost

_NONE = "-"
_ROW = re.compile(r"^\| (\S+) \|.* \| ([0-9]+\.[0-9]{2}) \|$", re.MULTILINE)
_VERSION = re.compile(r"wasmtime ([0-9]+\.[0-9]+\.[0-9]+) compiles")


@dataclass(frozen=True)
class MachineColumn:
    """The last column.

    Attributes:
        version: the version of wasmtime that it is from, or `-`.
        instructions: by kernel, machine instructions of the main loop per 32 weights, with two decimals.
    """

    version: str = _NONE
    instructions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> MachineColumn:
        """The column of a table that was written; what is not as this module writes it is left out."""
        version = _VERSION.search(text)
        return cls(version[1] if version else _NONE, dict(_ROW.findall(text)))


def cost_table(costs: Sequence[tuple[str, Cost]], machine: MachineColumn) -> str:
    """The text of costs.md.

    Args:
        costs: names of kernels, and what they cost.
        machine: the last column; a kernel that it does not have gets a dash.
    """
    lines = [
        "# Costs",
        "",
        "Counted in the assembled bytes: opcodes, loads and multiplies of the main loop per 32 weights, or values to",
        "quantise; locals and bytes of the whole kernel. Generated: `make bless`.",
        "",
        "For information, and not compared by `codegen check`: x86-64 instructions of the main loop per 32 of them, as",
        f"wasmtime {machine.version} compiles it for a CPU with AVX2, FMA and BMI2.",
        "",
        "| kernel | opcodes | loads | multiplies | locals | bytes | x86-64 instructions |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, c in costs:
        numbers = f"{c.opcodes:.2f} | {c.loads:.2f} | {c.multiplies:.2f} | {c.locals} | {c.bytes}"
        lines.append(f"| {name} | {numbers} | {machine.instructions.get(name, _NONE)} |")
    return "\n".join(lines) + "\n"
