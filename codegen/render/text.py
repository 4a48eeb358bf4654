"""From a Plan to WAT: the Jinja environment, and the header that a reviewer reads first.

The text depends on nothing but the spec and the templates: no time, no path, no version.
"""

from __future__ import annotations

import math
import re
import textwrap
from functools import cache, partial
from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
    UndefinedError,
)
from jinja2.ext import Extension

from codegen.base import resources
from codegen.base.errors import AssembleError, TemplateError
from codegen.kernels.plan import Plan
from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Local
from codegen.wasm.assemble import assemble, quick_assembler
from codegen.wasm.c_parameters import AddressType
from codegen.wasm.cost import MainLoop, cost

_WIDTH = 110

LONGEST_LINE = 130
"""Characters that a line of a kernel's text may have: it is read, and compared side by side."""


def template_root() -> Path:
    """The templates beside the package in a checkout, inside it in a wheel."""
    return resources.folder("templates")


@cache
def environment(root: Path | None = None) -> Environment:
    """The Jinja environment: control lines start with `;;%`, so that an editor reads a template as WAT."""
    env = Environment(
        loader=FileSystemLoader(root or template_root()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        line_statement_prefix=";;%",
        line_comment_prefix=";;#",
        autoescape=False,
        finalize=_trimmed,
        extensions=[Placement],
    )
    env.globals.update(
        blank_line="",
        local_variable=_local_variable,
        splat_f32=_splat_f32,
        power_of_two=_power_of_two,
        shuffle_32=_shuffle_32,
    )
    env.filters["placed"] = lambda value, indent: _trimmed(value).replace("\n", "\n" + indent)
    return env


class Placement(Extension):
    """Where a line starts with an expression, all lines of the expression's value get that line's indent."""

    _LINE = re.compile(r"^( +)\{\{ (.+?) \}\}", re.MULTILINE)

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Adds the filter that repeats the indent to each such expression."""
        return self._LINE.sub(r'\1{{ (\2) | placed("\1") }}', source)


def _trimmed(value: object) -> str:
    """What an expression writes: a macro's text without the line ends around it."""
    return str(value).strip()


def render_kernel(spec: KernelSpec, root: Path | None = None) -> str:
    """The WAT of a kernel.

    Args:
        spec: what to render.
        root: another folder of templates, for work on templates; the project's own where it is None.

    Raises:
        TemplateError: a template is missing or wrong.
    """
    return render_plan(make_plan(spec), root)


def long_line(text: str) -> str | None:
    """Says of the first line that has more than LONGEST_LINE characters which it is; None where there is none."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            return f"line {number} has {len(line)} characters, {LONGEST_LINE} are the most"
    return None


def render_plan(plan: Plan, root: Path | None = None, *, timed: bool = False) -> str:
    """The WAT of a kernel whose numbers are these; if `timed`, with the loop for bench, of templates/lib/timed/."""
    where = root or template_root()
    try:
        return _rendered(plan, root, timed)
    except TemplateNotFound as missing:
        raise TemplateError(
            f"template {missing.name}: not in {where}; write it, or reinstall the package"
        ) from None
    except TemplateSyntaxError as error:
        raise TemplateError(f"template {error.name}, line {error.lineno}: {error.message}") from None
    except UndefinedError as error:
        raise TemplateError(
            f"templates of {plan.spec.name}: {error.message}; see the Plan's fields"
        ) from None


def _rendered(plan: Plan, root: Path | None, timed: bool) -> str:
    spec = plan.spec
    fill = partial(filled, root=root, address_type=spec.address_type)
    body = fill(spec.operation.template, plan=plan)
    if timed:
        templates = f"lib/timed/{spec.op}.wat.j2", "lib/timed/call.wat.j2"
        repeat = fill(*templates, kernel=f"${spec.export}", parameters=spec.parameters)
        body = _with_function(body, repeat)
    header = fill("lib/header/common.wat.j2", plan=plan, opcodes=_opcodes(body, plan.main_loop), wrap=_wrap)
    return header + body


def _with_function(module: str, function: str) -> str:
    """A module with one more function at its end, so that no product's template knows of being timed."""
    return tidy(module.rstrip().removesuffix(")") + "\n\n" + textwrap.indent(function, "  ") + ")")


def filled(
    *templates: str, root: Path | None = None, address_type: AddressType = "i32", **values: object
) -> str:
    """The text of the first of these templates that there is, with these values, and the address type for `ptr`."""
    text = environment(root).select_template(templates).render(address_type=address_type, **values)
    return tidy(re.sub(r"\bptr\b", address_type, text))


def tidy(text: str) -> str:
    """No trailing space, no doubled or leading blank lines, one final newline; ASCII or a failure."""
    lines = [line.rstrip() for line in text.splitlines()]
    joined = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"
    joined.encode("ascii")
    return joined


def _opcodes(module: str, main: MainLoop) -> float:
    """Opcodes of the main loop per unit of work, counted in the bytes of a module that has no header yet.

    A module that does not assemble still gets its text, for its author to read: NaN stands in its header, and the
    assembler tells what is wrong with it.
    """
    try:
        return cost(assemble(module, quick_assembler()), main).opcodes
    except AssembleError:
        return math.nan


def _local_variable(local: Local, column: int) -> str:
    """Its declaration, and its role as a comment from `column` on."""
    return f"{f'(local ${local.name} {local.type})':{column}};; {local.role}"


def _splat_f32(exponent: int) -> str:
    return f"(v128.const f32x4{f' {_power_of_two(exponent)}' * 4})"


def _power_of_two(exponent: int) -> str:
    return f"0x1p{exponent:+d}"


def _shuffle_32(lanes: list[int]) -> str:
    """i8x16.shuffle's sixteen byte indices for four 32-bit lanes."""
    return " ".join(str(4 * lane + byte) for lane in lanes for byte in range(4))


def _wrap(text: str, indent: str = "") -> str:
    """A paragraph of comments, its further lines indented twice as far as its first."""
    lines = textwrap.wrap(text, _WIDTH - 3, initial_indent=indent, subsequent_indent=2 * indent)
    return "\n".join(f";; {line}" for line in lines)
