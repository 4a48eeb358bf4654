"""Arguments of the command line: refused in one line, converted where they are sound."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from codegen.base.errors import nearest, printable
from codegen.kernels import registry
from codegen.kernels.operations import MAX_UNROLL
from codegen.kernels.spec import KernelSpec
from codegen.products.emit import Emit
from codegen.products.machine_code.machine import Compiler
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa

MOST_ELEMENTS = 1 << 20
"""Of a row that is timed."""

WRONG_CALL = 2
"""The exit status of a call that cannot be carried out."""


class Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage text."""

    def error(self, message: str) -> NoReturn:
        """Says what is wrong, and leaves."""
        self.exit(WRONG_CALL, f"codegen: {printable(message)}; see `{self.prog} --help`\n")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Says which words no argument takes, and leaves."""
        options = [option for action in self._actions for option in action.option_strings]
        hint = nearest(unknown[0].partition("=")[0], options) if unknown[0].startswith("-") else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")

    def _check_value(self, action: argparse.Action, value: str) -> None:
        """Called for arguments with `choices`, verbs among them."""
        if action.choices is not None:
            try:
                _known(value, tuple(action.choices))
            except argparse.ArgumentTypeError as error:
                raise argparse.ArgumentError(action, str(error)) from None


class AddVerb(Protocol):
    """Adds a verb to the command line, with what its parents take; its parser, for arguments of its own."""

    def __call__(
        self, name: str, run_it: Callable[[argparse.Namespace], int], text: str, /, *parents: Parser
    ) -> Parser:
        """`run_it` gives the exit status, `text` says what the verb does."""


def choice() -> Parser:
    """The arguments that choose kernels: `selected` reads them."""
    parser = Parser(add_help=False)
    parser.add_argument(
        "--kernel", action="append", metavar="NAME", help="a name or pattern; may be repeated"
    )
    parser.add_argument("--isa", action="append", type=isa, help=f"one of {', '.join(Isa)}; may be repeated")
    parser.add_argument(
        "--memory", type=memory, help=f"with this one in place of their own, of {', '.join(Memory)}"
    )
    parser.add_argument(
        "--unroll", type=whole(1, MAX_UNROLL), metavar="N", help="blocks per loop iteration, 1 to 16"
    )
    parser.add_argument(
        "--tuned",
        metavar="ENGINE",
        help="the best kernel of each ISA in wasmtime, v8 or jsc, or by a .json file that `codegen tune` wrote",
    )
    return parser


def selected(options: argparse.Namespace, ops: Sequence[str] = ()) -> tuple[KernelSpec, ...]:
    """The kernels that the arguments of `choice` name, of some operations or of all."""
    return registry.select(
        options.kernel or (), options.isa or (), options.unroll, options.tuned, ops, options.memory
    )


def shown() -> Parser:
    """How a verb shows what it has found."""
    parser = Parser(add_help=False)
    parser.add_argument("--json", action="store_true", help="for machines, all there is")
    parser.add_argument(
        "--wide", action="store_true", help="all columns, and names whole, however long lines are"
    )
    return parser


def compiler(text: str) -> Compiler:
    """An engine whose machine code can be had."""
    return Compiler(_known(text, tuple(Compiler)))


def folder(text: str) -> str:
    """The name of a folder."""
    if not text:
        raise argparse.ArgumentTypeError("'': must name a folder")
    return text


def isa(text: str) -> Isa:
    """An instruction set."""
    return Isa(_known(text, tuple(Isa)))


def memory(text: str) -> Memory:
    """Whose memory kernels use, and of what type."""
    return Memory(_known(text, tuple(Memory)))


def kinds(text: str) -> list[Emit]:
    """What to emit, comma between."""
    return [Emit(word) for word in words(tuple(Emit))(text)]


def whole(low: int, high: int) -> Callable[[str], int]:
    """A converter to whole numbers of a range."""

    def convert(text: str) -> int:
        if not (re.fullmatch("0|[1-9][0-9]{0,18}", text) and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number from {low} to {high}")
        return int(text)

    return convert


def wholes(low: int, high: int) -> Callable[[str], list[int]]:
    """A converter to whole numbers of a range, comma between."""
    return lambda text: list(dict.fromkeys(whole(low, high)(part) for part in text.split(",")))


def words(known: Sequence[str]) -> Callable[[str], list[str]]:
    """A converter to some of the known words, comma between."""
    return lambda text: [_known(word, known) for word in dict.fromkeys(text.split(","))]


def _known(word: str, known: Sequence[str]) -> str:
    if word not in known:
        raise argparse.ArgumentTypeError(f"{word!r}: known are {', '.join(known)}{nearest(word, known)}")
    return word


def elements(text: str) -> list[int]:
    """Lengths of rows, multiples of 32: numbers and ranges in doublings, comma between."""
    found: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        low = one_length(first)
        high = one_length(last) if dots else low
        if high < low:
            raise argparse.ArgumentTypeError(f"{part!r}: the end of a range is not below its start")
        while low <= high:
            found.append(low)
            low *= 2
    return list(dict.fromkeys(found))


def one_length(text: str) -> int:
    """The length of a row, a multiple of 32."""
    number = whole(32, MOST_ELEMENTS)(text)
    if number % 32:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a multiple of 32")
    return number
