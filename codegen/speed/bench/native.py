"""GGML itself on this machine, as PyPI's libggml-python has it prebuilt: a peer, and a second oracle for tests.

Never a dependency: where it is not installed, `load` says so and bench leaves it out by name.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from codegen.base.errors import InputError

NAME = "ggml_vec_dot_q4_0_q8_0"
HOST = "native"
INSTALL = "pip install libggml-python"


class Libraries(NamedTuple):
    """GGML's two libraries: quantisers, and products."""

    base: ctypes.CDLL
    cpu: ctypes.CDLL


@cache
def load() -> Libraries:
    """GGML's libraries, its CPU tables filled.

    Raises:
        InputError: the package is not installed, or its libraries are not for this platform.
    """
    package = find_spec("libggml")
    folders = package.submodule_search_locations if package else None
    suffix = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
    for folder in folders or ():
        for base in Path(folder).rglob(f"*ggml-base.{suffix}"):
            try:
                first = ctypes.CDLL(str(base), mode=ctypes.RTLD_GLOBAL)
                second = ctypes.CDLL(str(base.with_name(base.name.replace("-base", "-cpu"))))
            except OSError:
                raise InputError(f"native GGML: {base} does not load here; {INSTALL}") from None
            second.ggml_cpu_init()
            return Libraries(first, second)
    raise InputError(f"native GGML: not found; {INSTALL}")


def has(name: str) -> bool:
    """Whether this build of GGML exports a function; InputError where it is not installed."""
    return hasattr(load().cpu, name)
