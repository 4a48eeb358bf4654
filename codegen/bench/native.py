"""GGML itself on this machine, as PyPI's libggml-python has it prebuilt: a peer, and a second oracle for tests.

Never a dependency: where it is not installed, `load` says so and bench leaves it out by name.
"""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from codegen.bench.contestant import Calibrated, Contestant, Entry, WrongResultError
from codegen.bench.problem import Problem
from codegen.errors import InputError

NAME = "ggml_vec_dot_q4_0_q8_0"
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
        InputError: the package is not installed, or has no libraries for this platform.
    """
    package = find_spec("libggml")
    folders = package.submodule_search_locations if package else None
    suffix = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
    for folder in folders or ():
        for base in Path(folder).rglob(f"*ggml-base.{suffix}"):
            first = ctypes.CDLL(str(base), mode=ctypes.RTLD_GLOBAL)
            second = ctypes.CDLL(str(base.with_name(base.name.replace("-base", "-cpu"))))
            second.ggml_cpu_init()
            return Libraries(first, second)
    raise InputError(f"native GGML: not found; {INSTALL}")


class NativeHost:
    """Brings one contestant, GGML's own dot product; entries are for engines."""

    name = "native"

    @property
    def version(self) -> str:
        """Name and version of the package, and the instructions it found."""
        cpu = load().cpu
        isa = next(
            (isa for isa in ("avx2", "avx", "neon") if getattr(cpu, f"ggml_cpu_has_{isa}")()), "no SIMD"
        )
        return f"libggml-python {version('libggml-python')} ({isa.upper()})"

    @contextmanager
    def open(self, entries: list[Entry], problem: Problem) -> Iterator[list[Contestant]]:
        """The dot product on the problem's rows."""
        yield [_VecDot(problem)]


class _VecDot:
    """A call through ctypes costs as much as the product: so n elements take what 2n take longer than n."""

    def __init__(self, problem: Problem) -> None:
        self.name = NAME
        self._problem = problem
        self._function = load().cpu[NAME]
        pointer = ctypes.c_void_p
        self._function.argtypes = [ctypes.c_int, pointer, ctypes.c_size_t, pointer, ctypes.c_size_t, pointer,
                                   ctypes.c_size_t, ctypes.c_int]  # fmt: skip
        self._function.restype = None
        # One row more than there are, so that the last has one to be twice as long with.
        self._x = np.concatenate([problem.x, problem.pattern[: problem.x_step]])
        self._y = np.concatenate([problem.y, problem.y])
        self._s = np.zeros(1, np.float32)
        self._calibrated = Calibrated()
        self._check()

    def sample(self) -> float:
        """See Contestant."""
        return self._calibrated.measure(self._run, self._problem.rows)

    def _run(self, repetitions: int) -> float:
        return self._pass(2, repetitions) - self._pass(1, repetitions)

    def _pass(self, times: int, repetitions: int) -> float:
        function, n, step = self._function, times * self._problem.n, self._problem.x_step
        s, y, x = self._s.ctypes.data, self._y.ctypes.data, self._x.ctypes.data
        rows = range(x, x + self._problem.bytes, step)
        start = time.thread_time()
        for _ in range(repetitions):
            for row in rows:
                function(n, s, 0, row, 0, y, 0, 1)
        return time.thread_time() - start

    def _check(self) -> None:
        address = self._x.ctypes.data
        for row, expected in enumerate(self._problem.exact()):
            at = address + row * self._problem.x_step
            self._function(self._problem.n, self._s.ctypes.data, 0, at, 0, self._y.ctypes.data, 0, 1)
            got = float(self._s[0])
            if (
                not math.isfinite(got)
                or abs(Fraction(got) - expected.value) > _TOLERANCE * expected.magnitude
            ):
                raise WrongResultError(f"{NAME}: row {row} is {got!r}, not {float(expected.value)!r}")
