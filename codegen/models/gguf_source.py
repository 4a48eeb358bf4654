"""The bytes of a file by their place, read when they are asked for.

A mapping would be shorter, but a program that touches a mapped page which the file no longer has
is killed by a signal. Here a file that ends early while it is read is an error like any other.
"""

from __future__ import annotations

import io
import stat
import threading
from pathlib import Path

from codegen.base.errors import GGUFError


class Source:
    """A regular file that is open for reading.

    Attributes:
        path: the file.
        size: its bytes when it was opened.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file.

        Raises:
            GGUFError: it cannot be read, or is no regular file.
        """
        self.path = path
        try:
            if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for its writer
                raise GGUFError(f"{shown(path)}: not a regular file; give the path of a .gguf file")
            self._file = io.FileIO(path)
            self.size = self._file.seek(0, io.SEEK_END)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise _unreadable(path, error) from error
        self._turn = threading.Lock()  # threads share the position in the file

    def read(self, start: int, count: int) -> bytes:
        """`count` bytes from `start` on, which together are no more than `size`.

        Raises:
            GGUFError: the file has become shorter, or cannot be read.
        """
        chunks: list[bytes] = []
        left = count
        try:
            with self._turn:
                self._file.seek(start)
                while left and (chunk := self._file.read(left)):  # one call reads at most 2 GB
                    chunks.append(chunk)
                    left -= len(chunk)
        except (OSError, ValueError) as error:  # ValueError: the file has been closed
            raise _unreadable(self.path, error) from error
        if left:
            raise GGUFError(
                f"{shown(self.path)}: became shorter while it was read; try again once nothing writes it"
            )
        return b"".join(chunks)

    def close(self) -> None:
        """Nothing can be read any more."""
        self._file.close()


def shown(path: Path) -> str:
    """A path for a message, which stays one line whatever the path holds."""
    text = str(path)
    return text if text.isprintable() else repr(text)


def _unreadable(path: Path, error: Exception) -> GGUFError:
    reason = getattr(error, "strerror", None) or error
    return GGUFError(f"{shown(path)}: cannot be read ({reason}); check path and permissions")
