"""Folders of files that are not Python: what the package needs, and what only a checkout of the project has."""

from __future__ import annotations

import tomllib
from pathlib import Path

from codegen.base.errors import InputError

PROJECT = "ggml-wat"


def folder(name: str) -> Path:
    """The folder of that name that the package needs: beside it in a checkout, inside it in a wheel."""
    here = Path(__file__).resolve().parent.parent
    packaged = here / name
    return packaged if packaged.is_dir() else here.parent / name


def in_checkout(path: Path, verb: str) -> Path:
    """A path of the project's, where the current folder is a checkout of it.

    Raises:
        InputError: It is none: the verb is about committed files, and would spread its own over somebody's folder.
    """
    try:
        name = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    except (OSError, ValueError, LookupError, TypeError):
        name = None
    if name != PROJECT:
        raise InputError(
            f"{path}: this folder is no checkout of the project; run `codegen {verb}` in one, or give --out"
        )
    return path
