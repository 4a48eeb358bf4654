"""Folders of files that the package needs and that are not Python: beside it in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """The folder of that name."""
    here = Path(__file__).resolve().parent
    packaged = here / name
    return packaged if packaged.is_dir() else here.parent / name
