"""Native GGML: where it is found, that its result is held against the exact one, and what is taken off its time."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from codegen.bench import contestant, native
from codegen.bench.clock import clock, finest
from codegen.bench.contestant import Calibrated, NoTimeError, WrongResultError
from codegen.bench.native import NativeHost
from codegen.bench.problem import Problem
from codegen.errors import InputError


@pytest.fixture
def fresh() -> Iterator[None]:
    native.load.cache_clear()
    yield
    native.load.cache_clear()


@pytest.fixture
def here() -> native.Libraries:
    try:
        return native.load()
    except InputError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "problem", [Problem(32, 1000, "l1"), Problem(256, 70, "l1"), Problem(4096, 100, "l2")]
)
def test_times_are_positive_and_finite(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "SLICE_S", 0.002)
    with NativeHost().open([], problem) as (one,):
        assert one.name == native.NAME
        for _ in range(3):
            assert 0 < one.sample() < 1e6


class Called:
    """In place of the library's function: passes calls on, and notes them."""

    def __init__(self, result: Callable[[int, float], float]) -> None:
        self.real = native.load().cpu[native.NAME]
        self.calls: list[tuple[int, ...]] = []
        self.result = result

    def __call__(self, *words: int) -> None:
        self.real.argtypes = self.argtypes
        self.real(*words)
        self.calls.append(words)
        at = ctypes.cast(words[1], ctypes.POINTER(ctypes.c_float))
        at[0] = self.result(len(self.calls), at[0])

    argtypes: Any = None
    restype: Any = None


def library(monkeypatch: pytest.MonkeyPatch, result: Callable[[int, float], float]) -> Called:
    called = Called(result)
    monkeypatch.setattr(native, "load", lambda: native.Libraries(None, {native.NAME: called}))  # type: ignore[arg-type]
    return called


WRONG = {
    "every result": lambda _, value: value * 1.01,
    "the last of the distinct rows": lambda call, value: value * 1.01 if call == 64 else value,
    "a later time": lambda call, value: value * 1.01 if call > 64 * 2 else value,
    "not a number": lambda call, value: math.nan if call == 7 else value,
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_result_has_no_time_from_then_on(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library(monkeypatch, WRONG[wrong])
    monkeypatch.setattr(Calibrated, "measure", lambda *_: 1.0)
    with NativeHost().open([], Problem(32, 64, "l1")) as (one,):
        if wrong == "a later time":
            assert [one.sample(), one.sample()] == [1.0, 1.0]
        for _ in range(2):
            with pytest.raises(WrongResultError, match=f"^{native.NAME}: row \\d+ is .*, not "):
                one.sample()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("n", "rows"), [(1024, 20), (1024, 37), (32, 1000), (4096, 10), (1 << 16, 3)])
def test_a_repetition_reads_the_rows_once_and_takes_empty_calls_off(
    n: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(n, rows, "l1")
    called = library(monkeypatch, lambda _, value: value)
    ticks = itertools.count()
    # A clock that shows a millisecond for each call with elements, and a tenth for each without.
    now = lambda: sum(1.0 if words[0] else 0.1 for words in called.calls) * 1e-3 + next(ticks) * 0  # noqa: E731
    monkeypatch.setattr(native, "clock", lambda: now)
    with NativeHost().open([], problem) as (one,):
        called.calls.clear()
        seconds = one._run(1)  # type: ignore[attr-defined]
    full = [words for words in called.calls if words[0]]
    empty = [words for words in called.calls if not words[0]]
    assert len(full) == len(empty)
    assert seconds == pytest.approx(len(full) * 0.9e-3)
    length = full[0][0]
    assert length % n == 0
    assert 0 <= rows - length // n * len(full) < len(full)
    first = full[0][3]
    assert [words[3] - first for words in full] == [i * length // 32 * 18 for i in range(len(full))]


@pytest.mark.usefixtures("here")
def test_a_row_takes_its_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with NativeHost().open([], Problem(4096, 10, "l1")) as (one,):
        monkeypatch.setattr(one, "_run", lambda repetitions: 1.0)
        assert one.sample() == pytest.approx(1e9 / 10)


def test_an_absent_package_is_told_with_its_command(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=f"native GGML: not found; {native.INSTALL}"):
        native.load()


def test_a_package_without_libraries_is_told(
    fresh: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ModuleSpec("libggml", None, is_package=True)
    found.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(native, "find_spec", lambda _: found)
    with pytest.raises(InputError, match=native.INSTALL):
        native.load()
    for suffix in ("so", "dylib", "dll"):
        for part in ("base", "cpu"):
            (tmp_path / f"libggml-{part}.{suffix}").write_bytes(b"of another machine")
    with pytest.raises(InputError, match=r"libggml-base\.\w+ does not load here; pip"):
        native.load()


# --- repetitions that fill a slice


def test_repetitions_are_doubled_until_they_fill_half_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "SLICE_S", 0.02)
    calibrated = Calibrated()
    assert calibrated.measure(lambda repetitions: repetitions * 0.003, 10) == pytest.approx(0.003 / 10 * 1e9)
    assert calibrated.repetitions == 4
    assert calibrated.measure(lambda repetitions: repetitions * 0.01, 10) == pytest.approx(0.01 / 10 * 1e9)
    assert calibrated.repetitions == 4


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
@pytest.mark.parametrize("slice_s", [0.0, 0.02])
def test_what_shows_no_time_ends_in_one_line(
    seconds: float, slice_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = itertools.count()
    monkeypatch.setattr(contestant, "SLICE_S", slice_s)
    monkeypatch.setattr(contestant.time, "perf_counter", lambda: 11.0 * next(now))
    calibrated = Calibrated()
    with pytest.raises(NoTimeError, match="shows no time"):
        calibrated.measure(lambda _: seconds, 10)


def test_one_negative_difference_is_measured_again() -> None:
    answers = iter([-0.001, 0.5])
    assert Calibrated().measure(lambda _: next(answers), 1) > 0


# --- the clock


@pytest.mark.parametrize(
    ("step", "chosen"), [(1e-9, "cpu"), (1e-5, "cpu"), (15.6e-3, "wall"), (0.01, "wall")]
)
def test_a_clock_of_long_steps_is_not_used(step: float, chosen: str) -> None:
    asked = itertools.count()
    cpu: Callable[[], float] = lambda: next(asked) // 10 * step  # noqa: E731
    wall: Callable[[], float] = lambda: 0.0  # noqa: E731
    assert finest(cpu, wall) is {"cpu": cpu, "wall": wall}[chosen]


def test_the_clock_goes_on() -> None:
    now = clock()
    start = now()
    while now() == start:
        pass
    assert now() > start
