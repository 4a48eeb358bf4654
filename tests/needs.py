"""What tests need that the README's set-up does not install: whether it is here, and why not, in one place.

A test, or a parameter of one, says so by `pytest.mark.needs(NAME)`, a fixture by `require(NAME)`; either skips where
it is missing. What says so by a mark is slow (tests/conftest.py): only `make test-all` runs it.
"""

from __future__ import annotations

from functools import cache

import pytest
from _pytest.mark.structures import ParameterSet

from codegen.engines import discover
from codegen.engines.install import find_c, find_cmake, find_npm_set
from codegen.engines.npm import npm
from codegen.engines.report import EngineError

_TOOLS = {
    "bundlers": lambda: find_npm_set("bundlers"),
    "c": find_c,
    "cmake": find_cmake,
    "typescript": lambda: find_npm_set("typescript"),
}


def require(*names: str) -> None:
    """Skips the running test where one of these engines or tools is missing."""
    for name in names:
        if reason := missing(name):
            pytest.skip(f"{name}: {reason}")


@cache
def missing(name: str) -> str | None:
    """Why an engine or a tool is not here, and how to get it; None where it is here.

    Raises:
        KeyError: Nothing has that name: a test must not be skipped for a slip of the pen.
    """
    if name == "npm":
        return _npm()
    if name in _TOOLS:
        return None if _TOOLS[name]() else f"not found: python -m codegen.engines.install {name}"
    return _engines()[name]


def each(*names: str) -> list[ParameterSet]:
    """These names as parameters, each skipped where what it names is missing."""
    return [pytest.param(name, id=name, marks=pytest.mark.needs(name)) for name in names]


@cache
def _engines() -> dict[str, str | None]:
    return {engine.name: engine.missing for engine in discover()}


def _npm() -> str | None:
    try:
        npm()
    except EngineError as error:
        return str(error)
    return None
