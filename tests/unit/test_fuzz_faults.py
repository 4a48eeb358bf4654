"""The fuzzers notice what they are there for: faults put into the code, one at a time."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import codegen.__main__ as command_line
from codegen.kernels.spec import KernelSpec
from codegen.models import gguf_scan
from codegen.models.gguf_file import GGUFFile
from codegen.models.run.batches import Part
from codegen.models.run.paths import MulMatPath, VecDotPath
from codegen.runtime.arena import Arena
from codegen.runtime.vec_dot import Placed
from tests.fuzzing import TARGETS, first_fault
from tools.fuzz.api_target import APITarget
from tools.fuzz.cli_target import CLITarget
from tools.fuzz.gguf_target import GGUFTarget
from tools.fuzz.target import Target

Patch = pytest.MonkeyPatch
Break = Callable[[Patch], None]


def fails(*_: Any, **__: Any) -> Any:
    raise KeyError("nothing caught this")


def opening(before: Callable[[], object]) -> Break:
    """Something happens before a file is opened."""
    sound = GGUFFile.open

    def opened(path: Path, *, need_q4_0: bool) -> GGUFFile:
        made = before()  # until the file is open, as if opening it had
        file = sound(path, need_q4_0=need_q4_0)
        del made
        return file

    return lambda patch: patch.setattr(GGUFFile, "open", opened)


def spin(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def data_one_alignment_early(patch: Patch) -> None:
    sound = gguf_scan.Scan._locate
    patch.setattr(gguf_scan.Scan, "_locate", lambda self, *a: sound(self, *a[:4], a[4] - a[5], a[5]))


def reads_its_neighbour(patch: Patch) -> None:
    """Results that change with a byte that is not the matrix's, as of the file when they are computed."""
    for path in (MulMatPath, VecDotPath):
        patch.setattr(
            path, "products", changed(path.products, lambda part: part.matrix.source.read(0, 1) != b"G")
        )


def wrong_results(patch: Patch) -> None:
    sound = Placed.compute
    patch.setattr(Placed, "compute", lambda self: sound(self) + np.float32(1))


def wrong_products(patch: Patch) -> None:
    for path in (MulMatPath, VecDotPath):
        patch.setattr(path, "products", changed(path.products, lambda _: True))


def changed(sound: Callable[..., Any], when: Callable[[Part], bool]) -> Callable[..., Any]:
    """A path's products, and 1 more where that is so."""
    return lambda self, part: sound(self, part) + np.float32(when(part))


def calls(main: Callable[[Sequence[str]], int]) -> Break:
    return lambda patch: patch.setattr(command_line, "main", main)


def say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)


FAULTS: dict[str, tuple[type[Target[Any]], str, Break]] = {
    "an error of Python's": (GGUFTarget, r"KeyError at test_fuzz_faults.py:\d+", opening(fails)),
    "a second to open": (GGUFTarget, "slow to open", opening(lambda: spin(1.1))),
    "memory": (GGUFTarget, "memory to open", opening(lambda: bytes(10_000_000))),
    "data elsewhere": (GGUFTarget, "bytes", data_one_alignment_early),
    "names as they are": (GGUFTarget, "message", lambda patch: patch.setattr(gguf_scan, "quoted", str)),
    "wrong results": (GGUFTarget, "wrong result", wrong_products),
    "a byte of something else": (GGUFTarget, "bytes outside the tensor", reads_its_neighbour),
    "a traceback": (CLITarget, r"KeyError at test_fuzz_faults.py:\d+", calls(fails)),
    "another status": (CLITarget, "exit status", calls(lambda _: 3)),
    "two lines": (CLITarget, "message", calls(lambda _: say("codegen: one", "two") or 2)),
    "no message": (CLITarget, "message", calls(lambda _: 2)),
    "a warning": (CLITarget, "words on standard error", calls(lambda _: say("RuntimeWarning") or 0)),
    "a stray file": (CLITarget, "stray file", calls(lambda _: Path("stray").write_text("") or 0)),
    "a file left behind": (
        CLITarget,
        "files changed by what failed",
        calls(lambda _: Path("build").mkdir() or say("codegen: no") or 2),
    ),
    "wrong rows": (CLITarget, "wrong result", calls(lambda words: int(words[:1] == ("run",)))),
    "memory twice": (APITarget, "overlap", lambda patch: patch.setattr(Arena, "allocate", twice)),
    "memory that is not there": (APITarget, "out of range", lambda patch: patch.setattr(Arena, "reach", int)),
    "wrong results from Python": (APITarget, "wrong result.*", wrong_results),
    "another error from Python": (
        APITarget,
        r"KeyError at .*",
        lambda patch: patch.setattr(KernelSpec, "parse", fails),
    ),
}


def twice(arena: Arena, size: int, residue: int = 0) -> int:
    arena.reset()
    arena.reach(1 << 20)
    return (1 << 19) + residue


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name: str, tmp_path: Path, monkeypatch: Patch) -> None:
    kind, expected, break_it = FAULTS[name]
    target = kind(tmp_path)
    break_it(monkeypatch)
    found = first_fault(target, 400)
    assert found
    assert re.fullmatch(expected, found.kind), found.detail


@pytest.mark.parametrize("kind", TARGETS)
def test_a_hang_is_noticed(kind: type[Target[Any]], tmp_path: Path, monkeypatch: Patch) -> None:
    target = kind(tmp_path)
    monkeypatch.setattr(target, "check", lambda _: spin(1000))
    found = first_fault(target, 1, limit_s=0.1)
    assert found
    assert found.kind == "hang"
