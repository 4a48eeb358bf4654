"""Which line of a kernel's WAT each instruction of the assembled function comes from.

Our WAT is folded: operands stand inside the instruction that takes them, and come before it in the module. So the
order of the module is that of a walk through the text, and a count of both is all that has to agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from codegen.base.errors import MachineCodeError
from codegen.wasm.code import Function, first_loop

_TOKEN = re.compile(r';;[^\n]*|\(;.*?;\)|"(?:[^"\\]|\\.)*"|[()]|[^\s()";]+', re.DOTALL)
_DECLARATIONS = ("export", "import", "type", "param", "result", "local")


@dataclass
class _Form:
    """A parenthesis: its words, the forms inside it, and the lines (from 1) it begins and ends in."""

    line: int
    last_line: int = 0
    words: list[str] = field(default_factory=list)
    forms: list[_Form] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.words[0] if self.words else ""


@dataclass(frozen=True)
class WatLines:
    """The lines of a function.

    Attributes:
        of_offset: for each of its instructions, by bytes from the start of the module, its line.
        main_loop: the lines of its first loop.
    """

    of_offset: dict[int, int]
    main_loop: range


def wat_lines(wat: str, which: str | int, function: Function) -> WatLines:
    """Pairs the instructions of a function with the lines of the text; lines count from 1.

    Args:
        wat: the module's text, folded.
        which: the name that it is exported by, or its number among the module's own.
        function: the same function, assembled.

    Raises:
        MachineCodeError: text and function have not the same number of instructions.
    """
    form = _function(_parsed(wat), which)
    lines = [line for child in form.forms for line in _instructions(child)] + [form.last_line]
    if len(lines) != len(function.instructions):
        raise MachineCodeError(
            f"{which}: {len(lines)} instructions in the text and {len(function.instructions)} in the module; "
            "fold the text, every operand inside its instruction"
        )
    of_offset = {one.at: line for one, line in zip(function.instructions, lines, strict=True)}
    loop = next(one for one in _all(form) if one.name == "loop" and one.line == of_offset[_loop_at(function)])
    return WatLines(of_offset, range(loop.line, loop.last_line + 1))


def _loop_at(function: Function) -> int:
    return first_loop(function.instructions)[0].at


def _parsed(wat: str) -> _Form:
    top = _Form(1)
    open_forms, line, after = [top], 1, 0
    for token in _TOKEN.finditer(wat):
        line += wat.count("\n", after, token.start())
        after = token.start()
        text = token[0]
        if text == "(":
            open_forms[-1].forms.append(_Form(line))
            open_forms.append(open_forms[-1].forms[-1])
        elif text == ")" and len(open_forms) > 1:
            open_forms.pop().last_line = line
        elif not text.startswith((";;", "(;")):
            open_forms[-1].words.append(text)
    return top


def _all(form: _Form) -> Iterator[_Form]:
    yield form
    for child in form.forms:
        yield from _all(child)


def _function(top: _Form, which: str | int) -> _Form:
    functions = [form for form in _all(top) if form.name == "func" and form.forms]
    if isinstance(which, int):
        return functions[which]
    for form in functions:
        if any(child.words == ["export", f'"{which}"'] for child in form.forms):
            return form
    raise MachineCodeError(f"{which}: no function of the text exports it in its own parenthesis; do so")


def _instructions(form: _Form) -> Iterator[int]:
    """The lines of the instructions of a form, in the module's order."""
    inner = [line for child in form.forms for line in _instructions(child)]
    if form.name in _DECLARATIONS:
        return
    if form.name in ("block", "loop"):
        yield from (form.line, *inner, form.last_line)
    elif form.name == "if":
        yield from _if(form)
    elif form.name in ("then", "else"):
        yield from inner
    else:
        yield from (*inner, form.line)


def _if(form: _Form) -> Iterator[int]:
    for child in form.forms:
        if child.name == "then":
            yield form.line
        elif child.name == "else":
            yield child.line
        yield from _instructions(child)
    yield form.last_line
