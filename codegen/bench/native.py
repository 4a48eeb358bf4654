"""GGML itself on this machine, as PyPI's libggml-python has it prebuilt: a peer, and a second oracle for tests.

Never a dependency: where it is not installed, `load` says so and bench leaves it out by name.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from codegen.bench.clock import clock
from codegen.bench.contestant import Calibrated, Contestant, WrongResultError
from codegen.bench.entry import Entry
from codegen.bench.machine import cache_bytes
from codegen.bench.problem import Problem
from codegen.errors import InputError

NAME = "ggml_vec_dot_q4_0_q8_0"
HOST = "native"
INSTALL = "pip install libggml-python"

_TOLERANCE = Fraction(1, 1 << 10)
"""Of the sum of |S * dx * dy|: GGML adds parts of a block in f32, so it is not held to our bound, but it is no other
function."""


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


class NativeHost:
    """Brings one contestant, GGML's own dot product; entries are for engines."""

    name = HOST

    @property
    def version(self) -> str:
        """Name and version of the package, and the instructions it found."""
        cpu = load().cpu
        isa = next(
            (isa for isa in ("avx2", "avx", "neon") if getattr(cpu, f"ggml_cpu_has_{isa}")()), "no SIMD"
        )
        return f"libggml-python {version('libggml-python')} ({isa.upper()}), calls not counted"

    @contextmanager
    def open(self, entries: list[Entry], problem: Problem) -> Iterator[list[Contestant]]:
        """The dot product on the problem's rows."""
        yield [_VecDot(problem)]


class _VecDot:
    """A call through ctypes costs more than the product, so what a call of no elements costs is taken off.

    It is also time in which the processor fetches ahead, so a call computes many rows, as one row that long, with as
    many copies of the activations as leave the weights their place.
    """

    def __init__(self, problem: Problem) -> None:
        self.name = NAME
        self._problem, self._exact = problem, problem.exact[0]
        self._wrong = ""
        self._function = load().cpu[NAME]
        pointer = ctypes.c_void_p
        self._function.argtypes = [ctypes.c_int, pointer, ctypes.c_size_t, pointer, ctypes.c_size_t, pointer,
                                   ctypes.c_size_t, ctypes.c_int]  # fmt: skip
        self._function.restype = None
        room = cache_bytes()[1] // (4 if problem.level == "l1" else 2)
        self._calls = -(-problem.rows // max(1, room // len(problem.y)))
        self._rows_a_call = problem.rows // self._calls  # all rows but fewer than there are calls
        self._x = problem.x
        self._y = np.tile(problem.y, self._rows_a_call)
        self._s = np.zeros(1, np.float32)
        self._calibrated = Calibrated()

    def sample(self) -> float:
        """See Contestant."""
        self._check()
        if self._wrong:
            raise WrongResultError(self._wrong)
        return self._calibrated.measure(self._run, self._calls * self._rows_a_call)

    def _run(self, repetitions: int) -> float:
        """All rows, and calls for none, by turns, so that both meet the same machine."""
        n = self._rows_a_call * self._problem.n
        return sum(self._pass(n) - self._pass(0) for _ in range(repetitions))

    def _pass(self, n: int) -> float:
        function, step = self._function, self._rows_a_call * self._problem.x_step
        s, y, x = self._s.ctypes.data, self._y.ctypes.data, self._x.ctypes.data
        rows = range(x, x + self._calls * step, step)
        now = clock()
        start = now()
        for row in rows:
            function(n, s, 0, row, 0, y, 0, 1)
        return now() - start

    def _check(self) -> None:
        address = self._x.ctypes.data
        for row, expected in enumerate(self._exact):
            at = address + row * self._problem.x_step
            self._function(self._problem.n, self._s.ctypes.data, 0, at, 0, self._y.ctypes.data, 0, 1)
            got = float(self._s[0])
            if (
                not math.isfinite(got)
                or abs(Fraction(got) - expected.value) > _TOLERANCE * expected.magnitude
            ):
                self._wrong = f"{NAME}: row {row} is {got!r}, not {float(expected.value)!r}"
