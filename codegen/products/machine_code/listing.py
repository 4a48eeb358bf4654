"""The main loop of a kernel as people read it: counts, then machine code and WAT side by side."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.products.machine_code import node_code, wasmtime_code
from codegen.products.machine_code.counts import Counts, count
from codegen.products.machine_code.disassembly import Instruction, disassemble
from codegen.products.machine_code.loops import main_loop
from codegen.products.machine_code.machine import Code, Compiler
from codegen.products.machine_code.wat_lines import WatLines, wat_lines
from codegen.render.text import render_kernel
from codegen.wasm.assemble import assemble
from codegen.wasm.code import Function, first_loop
from codegen.wasm.code import function as function_of
from codegen.wasm.cost import MainLoop

_MACHINE_WIDTH = 58

_HOW_PAIRED = """\
;; Left, the machine instructions, numbered in the order in which they stand; right, the line of the WAT that each
;; comes from. A `~` is of unknown origin and stands with the next one of known origin, or at the loop's end. What the
;; register allocator put in, moves and spills, stands with the one before it.
"""
_HOW_APART = """\
;; Left, the machine instructions, numbered in the order in which they stand; right, the loop's WAT. V8 tells just of
;; instructions that may trap where they come from: the line of the WAT is behind them in brackets.
"""


def machine_loop(name: str, wasm: bytes, function: Function, code: Code) -> Sequence[Instruction]:
    """The main loop of a kernel in machine code.

    Args:
        name: the kernel's, for messages.
        wasm: the kernel.
        function: that of the main loop.
        code: what an engine made of that.

    Raises:
        MachineCodeError: capstone is not installed, or there is no loop.
    """
    loop = first_loop(function.instructions)
    return main_loop(name, disassemble(code), range(loop[0].at, loop[-1].at + 1))


def turn(name: str, function: Function, main: MainLoop, loop: Sequence[Instruction]) -> Sequence[Instruction]:
    """The machine instructions of a turn of the main loop, those of an inner loop as often as it turns.

    Args:
        name: the kernel's, for messages.
        function: that of the main loop.
        main: what there is to know of the loop.
        loop: its machine code, of `machine_loop`.

    Raises:
        MachineCodeError: there is no inner loop in it.
    """
    if main.inner == 1:
        return loop
    inside = first_loop(first_loop(function.instructions)[1:])
    inner = main_loop(name, loop, range(inside[0].at, inside[-1].at + 1))
    return [*loop, *(one for _ in range(main.inner - 1) for one in inner)]


def listing(spec: KernelSpec, compiler: Compiler) -> str:
    """The main loop of a kernel, in the machine code of an engine on this machine.

    Raises:
        MachineCodeError: it cannot be had, or a package of the `asm` extra is not installed.
    """
    wat = render_kernel(spec)
    wasm = assemble(wat)
    main = make_plan(spec).main_loop
    function = function_of(wasm, main.function)
    if compiler is Compiler.NODE:
        code = node_code.compile_function(wasm, function)
    else:
        code = wasmtime_code.compile_function(wasm, function, wasmtime_code.THIS_CPU)
    loop = machine_loop(spec.name, wasm, function, code)
    lines = wat_lines(wat, main.function, function)
    text = dict(zip(lines.main_loop, _dedented(wat, lines.main_loop), strict=True))
    how, rows = (_HOW_PAIRED, _paired(loop, lines)) if code.complete else (_HOW_APART, _apart(loop, lines))
    shown = []
    for left, line in rows:
        right = "" if line is None else f"{line:>4}  {text[line]}"
        shown.append(f"{left:<{_MACHINE_WIDTH}}| {right}".rstrip())
    return (
        "\n".join([_head(spec, main, code, count(turn(spec.name, function, main, loop))) + how, *shown])
        + "\n"
    )


def _dedented(wat: str, lines: range) -> list[str]:
    return textwrap.dedent("\n".join(wat.splitlines()[lines.start - 1 : lines.stop - 1])).splitlines()


def _head(spec: KernelSpec, main: MainLoop, code: Code, counts: Counts) -> str:
    blocks = "1 block" if main.blocks == 1 else f"{main.blocks} blocks"
    if main.inner > 1:
        blocks = f"{main.inner} times the inner one, {blocks}"
    which = ", ".join(f"{often} {mnemonic}" for mnemonic, often in counts.multipliers.most_common())
    rows = [
        ("instructions", counts.instructions, ""),
        ("vector", counts.vector, "without plain loads and stores"),
        ("loads", counts.loads, "operands in memory, constants and spilled values too"),
        ("spills", counts.spills, "stores to the stack and loads from it"),
        ("multiplies", counts.multiplies, which),
    ]
    lines = [
        f";; {spec.name}",
        ";;",
        f";; The main loop, {blocks} of 32 a turn; {code.machine} code by {code.made_by}.",
        ";;",
        f";; {'':<12}  a turn  a block",
    ]
    lines += [f";; {what:<12} {n:>7} {n / main.blocks:>8.2f}  {note}".rstrip() for what, n, note in rows]
    return "\n".join([*lines, ";;", ""])


def _paired(loop: Sequence[Instruction], lines: WatLines) -> Iterator[tuple[str, int | None]]:
    """Rows of an instruction and a line of the WAT: every line of the loop, each instruction at its own."""
    at_line: dict[int, list[str]] = defaultdict(list)
    line = lines.main_loop[-1]
    for number in range(len(loop), 0, -1):  # backwards, so that the next known line is the last one seen
        one = loop[number - 1]
        known = None if one.origin is None else lines.of_offset.get(one.origin)
        if known is not None and known in lines.main_loop:
            line = known
        at_line[line].insert(0, _machine(number, one, " " if known == line else "~"))
    for line in lines.main_loop:
        lefts = at_line[line] or [""]
        yield lefts[0], line
        yield from ((left, None) for left in lefts[1:])


def _apart(loop: Sequence[Instruction], lines: WatLines) -> Iterator[tuple[str, int | None]]:
    """Rows of an instruction and a line of the WAT that have nothing to do with each other."""
    lefts = []
    for number, one in enumerate(loop, 1):
        line = None if one.origin is None else lines.of_offset.get(one.origin)
        lefts.append(_machine(number, one, " ") + (f" [{line}]" if line else ""))
    for left, line in zip_longest(lefts, lines.main_loop):
        yield left or "", line


def _machine(number: int, one: Instruction, mark: str) -> str:
    return f"{number:>4}{mark} {one.text}"
