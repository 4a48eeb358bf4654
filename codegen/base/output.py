"""Writing files and talking to people: whole files or none, tables, progress that is silent in a pipe."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import rich.table
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from codegen.base.errors import InputError

T = TypeVar("T")

_GAP = 2
"""Spaces between columns."""

_SHORTEST, _CUT = 12, "..."
"""What is left of a name at least, and what stands for the rest."""

_MOST = 10_000
"""Characters of a line, for asking how many it takes."""

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


@dataclass(frozen=True)
class Table:
    """A table for people, in which no number is ever cut.

    Attributes:
        title: of one line.
        columns: their heads.
        rows: cells, one a column.
        text: how many columns, the first ones, are words; all others are numbers.
        extra: the columns that are shown only to who asks for a wide table.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int = 1
    extra: Collection[str] = ()

    def drawn(self, width: int | None, wide: bool) -> rich.table.Table:
        """The table for so many characters a line, or for as many as it takes.

        Words are shortened to fit; what does not fit then runs on in the terminal's next line.
        """
        shown = [i for i, column in enumerate(self.columns) if wide or column not in self.extra]
        cells = [[row[i] for i in shown] for row in (self.columns, *self.rows)]
        text = sum(i < self.text for i in shown)
        sizes = [max(map(len, column)) for column in zip(*cells, strict=True)]
        if width is not None and not wide:
            while sum(sizes) + _GAP * (len(sizes) - 1) > width and max(sizes[:text]) > _SHORTEST:
                sizes[sizes.index(max(sizes[:text]))] -= 1
        title = Text(self.title, no_wrap=True, overflow="ignore")
        made = rich.table.Table(
            title=title, title_justify="left", box=None, pad_edge=False, header_style="bold"
        )
        for index, head in enumerate(cells[0]):
            made.add_column(head, justify="left" if index < text else "right", no_wrap=True)
        for row in cells[1:]:
            made.add_row(*(Text(_shortened(cell, size)) for cell, size in zip(row, sizes, strict=True)))
        return made


def _shortened(name: str, size: int) -> str:
    """The beginning of a name and more of its end, where names of kernels differ."""
    if len(name) <= size:
        return name
    start = (size - len(_CUT)) // 3
    return name[:start] + _CUT + name[len(name) - (size - len(_CUT) - start) :]


def print_tables(*tables: Table, wide: bool = False) -> None:
    """Prints to standard output: in a terminal as it is wide, in a pipe without spaces at the ends of lines.

    Args:
        tables: one after the other.
        wide: all columns, and names whole, however long lines are then.
    """
    out = _Console(highlight=False)
    drawn = [table.drawn(out.width if out.is_terminal else None, wide) for table in tables]
    out.width = max(
        [out.width, *(Measurement.get(out, out.options.update(width=_MOST), one).maximum for one in drawn)]
    )
    if out.is_terminal:
        out.print(*drawn, crop=False)
        return
    with out.capture() as captured:
        out.print(*drawn, crop=False)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


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
