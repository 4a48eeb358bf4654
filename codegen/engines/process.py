"""Commands that are run to their end, or ended: engines may hang, and a browser is many processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from codegen.engines.report import EngineError

DOWNLOAD_S = 900
"""Seconds that a download, and the installation of what it brings, may take."""

SILENCE_S = 15
"""Seconds without an answer after which a server is asked once more, and then given up: somebody waits."""

_running: set[subprocess.Popen[str]] = set()


class CommandError(EngineError):
    """A command failed.

    Attributes:
        printed: All that it wrote to standard error.
    """

    def __init__(self, message: str, printed: str) -> None:
        super().__init__(message)
        self.printed = printed


def run_command(
    command: Sequence[str | Path],
    timeout: float,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """Runs a command to its end and returns what it printed.

    Raises:
        CommandError: It fails.
        EngineError: It does not start, or takes longer than `timeout` seconds.
    """
    name = Path(command[0]).name
    process = start(command, env, subprocess.PIPE, cwd)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise EngineError(f"{name}: not done after {timeout:g} s: try with fewer kernels or cases") from None
    finally:
        stop(process)
    if process.returncode != 0:
        last = (err.strip() or out.strip() or "no message").splitlines()[-1]
        raise CommandError(f"{name}: {_ending(process.returncode)}: {last}", err)
    return out


def start(
    command: Sequence[str | Path],
    env: Mapping[str, str] | None,
    output: int,
    cwd: Path | None = None,
    stdin: int = subprocess.DEVNULL,
    stderr: int | None = None,
) -> subprocess.Popen[str]:
    """Starts a command as head of its own process group, with `env` on top of the environment.

    Standard error goes with the output, where `stderr` names no file of its own.
    """
    try:
        process = subprocess.Popen(
            [str(part) for part in command],
            env={**os.environ, **(env or {})},
            cwd=cwd,
            stdin=stdin,
            stdout=output,
            stderr=output if stderr is None else stderr,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise EngineError(f"{command[0]}: does not start: {error.strerror}") from None
    _running.add(process)
    return process


def say_fetching(what: Sequence[str], source: str) -> None:
    """Says on standard error what a command waits for that may take minutes."""
    print(f"fetching {', '.join(what)} from {source} ...", file=sys.stderr, flush=True)


def stop(process: subprocess.Popen[str]) -> None:
    """Ends a process that still runs, and what it started: a browser is many processes."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    _running.discard(process)


def stop_all() -> None:
    """Ends every command that still runs; those who wait for one get an EngineError."""
    for process in list(_running):
        stop(process)


def _ending(status: int) -> str:
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
