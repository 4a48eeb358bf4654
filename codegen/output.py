"""Writing files and talking to people: whole files or none, tables, progress that is silent in a pipe."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from codegen.errors import InputError

T = TypeVar("T")

_PIPE_WIDTH = 200

_TEMPORARY = re.compile(r"\..+\.(\d+)\.tmp")


def write_file(path: Path, data: bytes) -> bool:
    """Writes a whole file or nothing; True where it was new or different.

    The bytes go to a temporary file beside it, which is then renamed over it: whoever reads `path`, or is
    interrupted here, sees the old file or the new one.

    Raises:
        InputError: the folder cannot be made or written to.
    """
    try:
        _remove_leftovers(path.parent)
        if path.is_file() and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path}: cannot be written ({reason}); free space or choose another --out"
        ) from None
    return True


def require_writable(path: Path) -> None:
    """Says before long work what `write_file` would say after it, as far as that can be known.

    Raises:
        InputError: the path is a folder, or its folder is none or cannot be written to.
    """
    try:
        above = next(folder for folder in path.absolute().parents if folder.exists() or folder.is_symlink())
        if path.is_dir() or not above.is_dir() or not os.access(above, os.W_OK):
            raise InputError(f"{path}: cannot be written (not a file in a folder of yours); choose another")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error}); choose another") from None


def _remove_leftovers(folder: Path) -> None:
    """Removes temporary files of runs that were killed before they could."""
    for path in folder.glob(".*.tmp"):
        match = _TEMPORARY.fullmatch(path.name)
        if match and not _alive(int(match[1])):
            path.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if os.name == "nt":
        return True  # there, signal 0 is not a question but Ctrl-C
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leaves it to main; rich would exit with status 1, which says that a check failed."""
        raise BrokenPipeError


def print_tables(*tables: RenderableType) -> None:
    """Prints to standard output; in a pipe wide, so that no table wraps, and without spaces at the ends of lines."""
    out = _Console(highlight=False)
    if out.is_terminal:
        out.print(*tables)
        return
    out = _Console(highlight=False, width=_PIPE_WIDTH)
    with out.capture() as captured:
        out.print(*tables)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], text: int = 1) -> Table:
    """A table whose first `text` columns are words and whose others are numbers."""
    whole_title = Text(title, no_wrap=True, overflow="ignore")
    made = Table(title=whole_title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, justify="left" if index < text else "right", no_wrap=True)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


@contextlib.contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """A progress bar on standard error while there is a terminal to show it."""
    screen = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=screen,
        transient=True, disable=not screen.is_terminal,
    )  # fmt: skip
    with bar:
        bar.add_task(label, total=total)
        yield bar


def tracked(items: Sequence[T], label: str) -> Iterator[T]:
    """The items, with a progress bar on a terminal."""
    with progress(label, len(items)) as bar:
        for item in items:
            yield item
            bar.advance(bar.task_ids[0])
