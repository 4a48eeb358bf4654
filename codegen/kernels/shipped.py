"""The tuning files that come with the package, and the one that `--tuned` names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from codegen.base import resources
from codegen.base.errors import InputError, nearest
from codegen.kernels.tuning import Tuning, architecture, load

USUAL_ARCH = "x86_64"
"""Whose file stands in where a machine's architecture has none."""


def root() -> Path:
    """The files that are shipped: beside the package in a checkout, inside it in a wheel, as templates are."""
    return resources.folder("tuning")


@cache
def files() -> tuple[Tuning, ...]:
    """All of them, in the order of their names."""
    return tuple(load(path) for path in sorted(root().glob("*.json")))


def for_engine(engine: str, arch: str | None = None) -> Tuning | None:
    """The file for an engine on an architecture, by default this machine's, or else on the usual one."""
    found = {(one.engine, one.arch): one for one in files()}
    return found.get((engine, arch or architecture())) or found.get((engine, USUAL_ARCH))


def named(text: str) -> Tuning:
    """The tuning that `--tuned` names: an engine's that is shipped, or a file of one's own.

    Raises:
        InputError: there is none, or it is not sound.
    """
    found = load(Path(text)) if text.endswith(".json") else for_engine(text)
    if found is None:
        known = list(dict.fromkeys(one.engine for one in files()))
        raise InputError(
            f"--tuned {text}: known are {', '.join(known) or 'none yet'}, or name a .json file that `codegen tune`"
            f" wrote on your machine{nearest(text, known)}"
        )
    if not found.best:
        raise InputError(f"--tuned {text}: has no best kernel yet; run `codegen tune` to its end")
    return found
