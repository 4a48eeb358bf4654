"""The packages that reading machine code needs, and nothing else does."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from codegen.base.errors import MachineCodeError


def needed(module: str) -> Any:
    """A module of the `asm` extra; both packages have no types.

    Raises:
        MachineCodeError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MachineCodeError(
            f"{package}: not installed, and machine code needs it; pip install capstone pyelftools"
        ) from None
