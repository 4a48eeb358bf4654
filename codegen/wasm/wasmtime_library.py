"""wasmtime's package, with a stand-in where it has no library for the platform, and what all our engines share.

Every module takes `wasmtime` from here, so that what runs no kernel works everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from codegen.base.errors import CannotRunError

try:
    import resource
except ImportError:  # where addresses have no limit that can be asked for
    resource = None  # type: ignore[assignment]

_UNLIMITED = resource.RLIM_INFINITY if resource else -1

__all__ = ["available", "config", "needing_room", "wasmtime"]


class _Missing:
    """Raises when it is used, not when it is imported."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise CannotRunError(
            f"wasmtime: cannot be loaded ({self._reason}); this needs a platform that wasmtime's package is built for"
        )


if TYPE_CHECKING:
    import wasmtime
else:
    try:
        import wasmtime
    except Exception as error:  # ImportError, OSError or RuntimeError, by what is missing
        wasmtime = _Missing(str(error))


def available() -> bool:
    """Whether wasmtime can be used here."""
    return not isinstance(wasmtime, _Missing)


def config() -> wasmtime.Config:
    """The configuration that all engines start from."""
    made = wasmtime.Config()
    made.shared_memory = True
    # A forked child has none of the threads that compile, and would wait for them for ever. A kernel is one function.
    made.parallel_compilation = False
    return made


@contextmanager
def needing_room(what: str, told: str = "mmap failed|os error|allocat") -> Iterator[None]:
    """Makes one line of what wasmtime says of missing room, with the limit on addresses where there is one.

    Args:
        what: needs the room.
        told: by this pattern its errors that are about room are known.

    Raises:
        CannotRunError: there was no room.
    """
    try:
        yield
    except wasmtime.WasmtimeError as error:
        if not re.search(told, str(error)):
            raise
        most = resource.getrlimit(resource.RLIMIT_AS)[0] if resource else _UNLIMITED
        limit = f"addresses are limited to {most / 1e9:.1f} GB: allow more, `ulimit -v unlimited`"
        mend = "free memory or use less" if most == _UNLIMITED else limit
        raise CannotRunError(f"wasm memory: no room for {what}; {mend}") from None
