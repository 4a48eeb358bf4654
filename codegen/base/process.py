"""The process around the command line: its signals, and a standard output that may be full, closed or ASCII only."""

from __future__ import annotations

import _thread
import io
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn


def prepare() -> None:
    """SIGTERM interrupts as SIGINT does, no interruption is lost, and any text can be printed."""
    signal.signal(signal.SIGTERM, _interrupt)
    sys.unraisablehook = _interrupt_again
    if sys.stdout is None:  # closed by the caller
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def drop_stdout() -> None:
    """Leaves the interpreter nothing to flush at its end into an output that failed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised in a destructor, wasmtime's among them: an interruption is sent once more."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _thread.start_new_thread(_interrupt_later, ())
    else:
        sys.__unraisablehook__(lost)


def _interrupt_later() -> None:
    time.sleep(0.05)  # until the destructor and the hook are left, where it would be dropped again
    _thread.interrupt_main()
