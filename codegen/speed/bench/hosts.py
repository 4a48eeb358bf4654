"""The engines that bench knows, by name, and why one is not here."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.base.errors import InputError, nearest, shown
from codegen.engines import javascript
from codegen.engines.javascript import Program
from codegen.speed.bench import native
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.javascript_host import JavaScriptHost
from codegen.speed.bench.native_host import NativeHost
from codegen.speed.bench.wasmtime_host import WasmtimeHost

DEFAULT = ("wasmtime", native.HOST)


def select(names: Sequence[str]) -> tuple[list[Host], dict[str, str]]:
    """The hosts of these names, and by name why others are left out.

    Raises:
        InputError: a name is not known, or none of them is here.
    """
    here = ("wasmtime", native.HOST)
    scripted: dict[str, Program] = {}
    if not set(names) <= set(here):  # since node is asked its version, which takes a moment
        scripted = {program.name: program for program in javascript.programs()}
    known = ["wasmtime", *scripted, native.HOST]
    hosts: list[Host] = []
    missing: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name not in known:
            raise InputError(
                f"engine {shown(name)}: not known to bench; there are {', '.join(known)}{nearest(name, known)}"
            )
        if name == "wasmtime":
            hosts.append(WasmtimeHost())
        elif name == native.HOST:
            try:
                native.load()
                hosts.append(NativeHost())
            except InputError as error:
                missing[name] = str(error)
        elif reason := scripted[name].missing:
            missing[name] = f"engine {name}: {reason}"
        else:
            hosts.append(JavaScriptHost(scripted[name]))
    if not hosts:
        raise InputError("; ".join(missing.values()) or "engine: none named; see `codegen bench --help`")
    return hosts, missing
