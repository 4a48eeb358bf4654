"""wasmtime's package, with a stand-in where it has no library for the platform, and what all our engines share.

Every module takes `wasmtime` from here, so that what runs no kernel works everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from codegen.errors import CannotRunError

__all__ = ["config", "wasmtime"]


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


def config() -> wasmtime.Config:
    """The configuration that all engines start from."""
    made = wasmtime.Config()
    made.shared_memory = True
    # A forked child has none of the threads that compile, and would wait for them for ever. A kernel is one function.
    made.parallel_compilation = False
    return made
