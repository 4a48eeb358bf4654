"""Machine code as instructions, by capstone, and what of each one matters to a kernel's speed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from codegen.products.machine_code.machine import Code, Machine
from codegen.products.machine_code.needed import needed
from codegen.products.machine_code.vnni import known_form

_MULTIPLIES = {
    Machine.X86_64: re.compile(r"v?p?mul|i?mul|v?pmadd|vpdp|vfn?m(add|sub)"),
    Machine.AARCH64: re.compile(r"([su]|fn?|sqr?d|us)?(mul|ml[as]|madd|msub|mneg|dot)"),
}
_VECTOR = {Machine.X86_64: re.compile(r"[xyz]mm\d"), Machine.AARCH64: re.compile(r"[vqds]\d")}
_PLAIN_MOVE = {Machine.X86_64: re.compile(r"v?mov"), Machine.AARCH64: re.compile(r"ld|st")}
_X86_STORE = re.compile(r"v?mov|set|v?p?extr|vextract|pop")
"""Instructions whose first operand, if in memory, is written and not read."""

_STACK = ("rsp", "rbp", "sp", "x29", "fp")
_LONGEST = 15
"""Bytes of the longest x86 instruction."""

_ADDRESSES_ONLY = ("lea", "nop")
"""x86 instructions with a memory operand that touch no memory."""


@dataclass(frozen=True)
class Instruction:
    """One machine instruction.

    Attributes:
        at: its offset in the code, in bytes.
        text: mnemonic and operands; None where these bytes are none that capstone knows.
        target: the offset that it may jump to.
        returns: whether it leaves the function.
        vector: whether it works on vector registers, also on one float in them; plain loads and stores do not.
        loads: whether it reads memory, the stack included.
        spills: whether it reads or writes the stack's frame.
        multiplies: whether it multiplies; by vectors, matrices or pairs too.
        origin: where in the wasm module it comes from, in bytes, if that is known.
    """

    at: int
    text: str | None
    target: int | None
    returns: bool
    vector: bool
    loads: bool
    spills: bool
    multiplies: bool
    origin: int | None


def disassemble(code: Code) -> list[Instruction]:
    """All instructions of a function; constants that follow the code are taken for instructions too.

    Raises:
        MachineCodeError: capstone is not installed.
    """
    capstone = needed("capstone")
    if code.machine is Machine.X86_64:
        decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    else:
        decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    decoder.detail = True
    found: list[Instruction] = []
    at = 0
    while at < len(code.data):
        for one in decoder.disasm(code.data[at:], at):
            found.append(_instruction(one, one.mnemonic, code, capstone))
            at = one.address + one.size
        if at < len(code.data):  # it stopped before what it does not know
            size, one = _unknown(decoder, at, code, capstone)
            found.append(one)
            at += size
    return found


def _unknown(decoder: Any, at: int, code: Code, capstone: Any) -> tuple[int, Instruction]:
    """An instruction that capstone does not know, and its size."""
    known = known_form(code.data[at : at + _LONGEST]) if code.machine is Machine.X86_64 else None
    if known:
        name, form = known
        for one in decoder.disasm(form, at, 1):
            return one.size, _instruction(one, name, code, capstone)
    size = 1 if code.machine is Machine.X86_64 else 4
    return size, Instruction(at, None, None, False, False, False, False, False, None)


def _instruction(found: Any, mnemonic: str, code: Code, capstone: Any) -> Instruction:
    operands = list(found.operands)
    memory = [operand for operand in operands if operand.type == capstone.CS_OP_MEM]
    numbers = [operand.imm for operand in operands if operand.type == capstone.CS_OP_IMM]
    registers = [found.reg_name(operand.reg) for operand in operands if operand.type == capstone.CS_OP_REG]
    return Instruction(
        at=found.address,
        text=f"{mnemonic} {found.op_str}".strip(),
        target=numbers[-1] if found.group(capstone.CS_GRP_JUMP) and numbers else None,
        returns=found.group(capstone.CS_GRP_RET),
        vector=any(_VECTOR[code.machine].match(register) for register in registers)
        and not (memory and _PLAIN_MOVE[code.machine].match(mnemonic)),
        loads=_reads(mnemonic, operands, code.machine, capstone),
        spills=any(found.reg_name(operand.mem.base) in _STACK for operand in memory),
        multiplies=bool(_MULTIPLIES[code.machine].match(mnemonic)),
        origin=code.origin(found.address),
    )


def _reads(mnemonic: str, operands: list[Any], machine: Machine, capstone: Any) -> bool:
    """Whether it reads memory. What capstone says of it is wrong for some stores."""
    if machine is Machine.AARCH64:
        return mnemonic.startswith("ld")
    if mnemonic in _ADDRESSES_ONLY:
        return False
    read = operands[1:] if _X86_STORE.match(mnemonic) else operands
    return any(operand.type == capstone.CS_OP_MEM for operand in read)
