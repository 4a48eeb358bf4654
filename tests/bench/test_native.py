"""Native GGML: where it is found, repetitions that fill a slice, and the clock."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from codegen.base.errors import InputError
from codegen.speed.bench import contestant, native
from codegen.speed.bench.clock import clock, finest
from codegen.speed.bench.contestant import Calibrated, NoTimeError


@pytest.fixture
def fresh() -> Iterator[None]:
    native.load.cache_clear()
    yield
    native.load.cache_clear()


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
