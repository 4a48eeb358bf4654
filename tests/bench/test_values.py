"""A module that computes something wrong has no speed, wherever and whenever it does."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import pytest

from codegen.base.errors import KernelLoadError
from codegen.speed.bench.contestant import Contestant, Host, WrongResultError
from codegen.speed.bench.entry import Output
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.wasmtime_host import WasmtimeHost
from tests.bench.conftest import set_slice
from tests.bench.toy_rows import FAULTS, GROWS, LATER, LATER_FAULTS, toy

PROBLEM = Problem(32, 100, "l1")  # more rows than are distinct, and no multiple of those


def sample(contestant: Contestant, times: int = 3) -> list[float | None]:
    """Samples, None where the contestant was wrong."""
    found: list[float | None] = []
    for _ in range(times):
        try:
            found.append(contestant.sample())
        except WrongResultError:
            found.append(None)
    return found


def test_a_right_module_has_times(engine: Host) -> None:
    with engine.open([toy(PROBLEM)], PROBLEM) as (contestant,):
        assert contestant.name == "toy"
        assert all(ns and 0.01 < ns < 10_000 for ns in sample(contestant))


@pytest.mark.parametrize("rows", [1, 64, 65, 128])
def test_every_number_of_rows_is_right(rows: int, engine: Host) -> None:
    problem = Problem(64, rows, "l1")
    with engine.open([toy(problem)], problem) as (contestant,):
        assert None not in sample(contestant, 2)


def test_a_module_that_grows_its_memory_is_right(engine: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    set_slice(monkeypatch, 0)
    with engine.open([toy(PROBLEM, GROWS)], PROBLEM) as (contestant,):
        assert None not in sample(contestant)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_module_never_has_a_time_and_its_neighbour_has(
    fault: str, engine: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_slice(monkeypatch, 0)  # so that each call is looked at, the first one too
    entries = [toy(PROBLEM, FAULTS[fault], "wrong"), toy(PROBLEM, name="right")]
    with engine.open(entries, PROBLEM) as (wrong, right):
        assert sample(wrong) == [None] * 3
        assert None not in sample(right)


@pytest.mark.parametrize("fault", LATER_FAULTS)
def test_wrong_at_a_later_call_is_noticed_and_not_forgotten(
    fault: str, engine: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_slice(monkeypatch, 0)
    with engine.open([toy(PROBLEM, LATER_FAULTS[fault])], PROBLEM) as (contestant,):
        found = sample(contestant, LATER + 20)
    right = found.index(None)
    assert right > 0
    assert found[right:] == [None] * (len(found) - right)


def test_the_message_names_module_row_and_values(engine: Host) -> None:
    entry = toy(PROBLEM, FAULTS["the last row"])
    assert entry.output
    (right,) = struct.unpack_from("<I", entry.output.expected[0], 4 * (99 % 64))
    with (
        engine.open([entry], PROBLEM) as (contestant,),
        pytest.raises(WrongResultError, match=f"^toy: row 99 is 0x{right + 1:08x}, not 0x{right:08x}; run"),
    ):
        contestant.sample()


def in_lines(one_line: Output | None, lines: int, **more: Any) -> Output:
    """An output of one line as `lines` lines, each expected on its own."""
    assert one_line
    whole, line = one_line.whole().tobytes(), one_line.line // lines
    return Output(
        "s", lines, line, tuple(whole[start : start + line] for start in range(0, len(whole), line)), **more
    )


PLACES = {
    "a result of a column": ({}, "column 3, row 24 is 0x"),
    "a byte of a row": ({"item": 1, "names": ("row", "byte")}, "row 3, byte 96 is 0x"),
}


@pytest.mark.parametrize("place", PLACES)
def test_lines_are_compared_each_with_its_own(place: str, engine: Host) -> None:
    more, told = PLACES[place]
    right, wrong = (toy(PROBLEM, fault) for fault in ("", FAULTS["the last row"]))
    entries = [replace(one, output=in_lines(one.output, 4, **more)) for one in (right, wrong)]
    with engine.open(entries, PROBLEM) as (first, second):
        assert None not in sample(first)
        with pytest.raises(WrongResultError, match=f"^toy: {told}"):
            second.sample()


def test_lines_repeat_among_themselves(engine: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rows 0 to 127 the second half is the first again."""
    problem = Problem(32, 128, "l1")
    each = [toy(problem, fault) for fault in ("", FAULTS["the last row"])]
    entries = [replace(one, output=Output("s", 2, 256, one.output.expected)) for one in each if one.output]
    with engine.open(entries, problem) as (right, wrong):
        assert None not in sample(right)
        with pytest.raises(WrongResultError, match=r"^toy: column 1, row 63 is "):
            wrong.sample()


def test_a_trap_is_told_in_one_line(engine: Host) -> None:
    with (
        engine.open([toy(PROBLEM, FAULTS["a trap"])], PROBLEM) as (contestant,),
        pytest.raises(WrongResultError, match=r"^toy: traps \(.*unreachable.*\); run") as error,
    ):
        contestant.sample()
    assert str(error.value).isprintable()


def test_results_that_mean_nothing_are_not_looked_at(engine: Host) -> None:
    entry = replace(toy(PROBLEM, FAULTS["every row"]), output=None)
    with engine.open([entry], PROBLEM) as (contestant,):
        assert None not in sample(contestant)


def test_a_module_that_wasmtime_refuses_is_told_in_one_line() -> None:
    entry = replace(toy(PROBLEM, name="broken"), wasm=b"\0asm\1\0\0\0\xff")
    with (
        pytest.raises(KernelLoadError, match=r"^broken: refused by wasmtime"),
        WasmtimeHost().open([entry], PROBLEM),
    ):
        pass
