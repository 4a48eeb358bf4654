"""Native functions whose calls are noted, and problems that they can do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from codegen.speed.bench import native, native_functions
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.native_host import NativeHost
from codegen.speed.bench.problem import Problem, Work


class _Library:
    """One function, by its name in both ways that ctypes has."""

    def __init__(self, name: str, function: object) -> None:
        setattr(self, name, function)

    def __getitem__(self, name: str) -> object:
        return getattr(self, name)


def asking(*peers: str) -> list[Entry]:
    """Entries that have these for peers, and nothing to run."""
    return [Entry(f"of {peer}", "scalar", b"", (), (), 1, peer=peer) for peer in peers]


@contextmanager
def opened(name: str, problem: Problem) -> Iterator[Any]:
    """The one contestant, or what it times where that is missing."""
    with NativeHost().open(asking(name, name), problem) as (one,):
        yield one


DOT, GEMV, GEMM, QUANTIZE = (
    native.NAME, native_functions.GEMV, native_functions.GEMM, native_functions.QUANTIZE,
)  # fmt: skip
PROBLEMS = {
    DOT: Problem(256, 70, "l1"),
    GEMV: Problem(256, 70, "l1", columns=2),
    GEMM: Problem(256, 70, "l1", columns=8),
    QUANTIZE: Problem(256, 70, "l1", work=Work.QUANTISE),
}


class Called:
    """In place of a function of the library: passes calls on, notes them, and changes bytes of what they wrote."""

    def __init__(self, name: str, fault: Callable[[int, int], None]) -> None:
        self.real = native.load().cpu[name]
        self.calls: list[tuple[int, ...]] = []
        self.threads: set[int] = set()
        self.fault = fault

    def __call__(self, *words: int) -> None:
        self.real.argtypes = self.argtypes
        self.real(*words)
        self.calls.append(words)
        self.threads.add(threading.get_ident())
        self.fault(len(self.calls), words[1])

    argtypes: Any = None
    restype: Any = None


def library(
    monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[[int, int], None] = lambda call, to: None
) -> Called:
    called = Called(name, fault)
    monkeypatch.setattr(native, "load", lambda: native.Libraries(None, _Library(name, called)))  # type: ignore[arg-type]
    return called
