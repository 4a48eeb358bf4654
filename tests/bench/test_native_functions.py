"""Native functions: which there are, that their results are held against exact ones, what is taken off times."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import pytest

from codegen.speed.bench import contestant, native_functions
from codegen.speed.bench.contestant import Calibrated, WrongResultError
from codegen.speed.bench.native_host import NativeHost
from codegen.speed.bench.problem import Problem, Work
from tests.bench.native_calls import DOT, GEMM, GEMV, PROBLEMS, QUANTIZE, Called, asking, library, opened

pytestmark = pytest.mark.usefixtures("ggml")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        *PROBLEMS.items(),
        (DOT, Problem(32, 1000, "l1")),
        (DOT, Problem(4096, 100, "l2")),
        (DOT, Problem(64, 70, "l1", columns=3)),
        ("ggml_vec_dot_q8_0_q8_0", Problem(256, 70, "l1", weights="q8_0")),
        ("ggml_vec_dot_q5_0_q8_0", Problem(64, 70, "l1", columns=3, weights="q5_0")),
        (GEMV, Problem(32, 512, "l1")),
        (GEMM, Problem(64, 1000, "l2", columns=100)),
        (QUANTIZE, Problem(32, 1000, "l1", work=Work.QUANTISE)),
    ],
)
def test_times_are_positive_and_finite(name: str, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestant, "SLICE_S", 0.002)
    with opened(name, problem) as one:
        assert one.name == name
        for _ in range(3):
            assert 0 < one.sample() < 1e6


@pytest.mark.parametrize(
    ("problem", "names"),
    [
        (Problem(64, 16, "l1"), [DOT, GEMV]),
        (Problem(64, 16, "l1", columns=3), [DOT, GEMV]),
        (Problem(64, 16, "l1", columns=4), [DOT, GEMV, GEMM]),
        (Problem(64, 7, "l1", columns=4), [DOT]),
        (Problem(64, 16, "l1", columns=4, weights="q8_0"), ["ggml_vec_dot_q8_0_q8_0"]),
    ],
)
def test_what_cannot_do_a_problem_is_left_out(problem: Problem, names: list[str]) -> None:
    with NativeHost().open(
        asking(DOT, "ggml_vec_dot_q8_0_q8_0", GEMV, GEMM, "no_such_function"), problem
    ) as found:
        assert [one.name for one in found] == names


def spoil(at: int, by: float = 3) -> Callable[[int, int], None]:
    """Changes the f32 at that place."""

    def change(call: int, to: int) -> None:
        value = ctypes.cast(to, ctypes.POINTER(ctypes.c_float))
        value[at] = value[at] * by

    return change


def once(call: int, fault: Callable[[int, int], None], *, on: bool = False) -> Callable[[int, int], None]:
    """A fault at that call only, or from it on."""
    return lambda number, to: fault(number, to) if number == call or (on and number > call) else None


WRONG = {
    "every result": (DOT, lambda call, to: spoil(0)(call, to), ""),
    "the last of the distinct rows": (DOT, once(64, spoil(0)), "row 63"),
    "a later time": (DOT, once(129, spoil(0), on=True), "row 0"),
    "not a number": (DOT, once(7, spoil(0, math.nan)), "row 6"),
    "a result of the second column": (GEMV, once(2, spoil(5)), "column 1, row 5"),
    "a last result": (GEMM, once(1, spoil(8 * 64 - 1)), "column 7, row 63"),
    "a row left out": (GEMM, once(1, spoil(64 + 3, math.nan)), "column 1, row 3"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_result_has_no_time_from_then_on(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, fault, place = WRONG[wrong]
    library(monkeypatch, name, fault)
    monkeypatch.setattr(Calibrated, "measure", lambda *_: 1.0)
    with opened(name, PROBLEMS[name]) as one:
        if wrong == "a later time":
            assert [one.sample(), one.sample()] == [1.0, 1.0]
        for _ in range(2):
            with pytest.raises(WrongResultError, match=f"^{name}: {place}.* is .*, not "):
                one.sample()


@pytest.mark.parametrize("byte", [0, 1, 2, 33, 34 * 8 * 70 - 1])
def test_a_wrong_block_has_no_time(byte: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(call: int, to: int) -> None:
        ctypes.cast(to, ctypes.POINTER(ctypes.c_uint8))[byte] ^= 0x40

    library(monkeypatch, QUANTIZE, fault)
    block = byte // 34
    with (
        opened(QUANTIZE, PROBLEMS[QUANTIZE]) as one,
        pytest.raises(WrongResultError, match=f"^{QUANTIZE}: row {block // 8}, block {block % 8} "),
    ):
        one.sample()


# --- what is timed


def ticking(monkeypatch: pytest.MonkeyPatch, called: Called, length: int) -> None:
    """A clock that shows a millisecond for each call that has something to do, and a tenth for each without."""
    now = lambda: sum(1.0 if words[length] else 0.1 for words in called.calls) * 1e-3  # noqa: E731
    monkeypatch.setattr(native_functions, "clock", lambda: now)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize(("n", "rows"), [(1024, 20), (1024, 37), (32, 1000), (4096, 10), (1 << 16, 3)])
def test_a_repetition_reads_the_rows_once_and_takes_empty_calls_off(
    n: int, rows: int, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = library(monkeypatch, DOT)
    ticking(monkeypatch, called, 0)
    function = native_functions.of(DOT, Problem(n, rows, "l1", columns))
    assert function
    seconds = function.run(1)
    full = [words for words in called.calls if words[0]]
    empty = [words for words in called.calls if not words[0]]
    assert len(full) == len(empty)
    assert seconds == pytest.approx(len(full) * 0.9e-3)
    length, calls = full[0][0], len(full) // columns
    assert length % n == 0
    assert 0 <= rows - length // n * calls < calls
    assert function.units == length // n * calls * columns
    first = full[0][3]
    assert [words[3] - first for words in full] == [i * length // 32 * 18 for i in range(calls)] * columns
    assert len({words[5] for words in full}) == columns


@pytest.mark.parametrize(("name", "length", "calls"), [(GEMV, 6, 2), (GEMM, 6, 1), (QUANTIZE, 2, 1)])
def test_empty_calls_are_taken_off(
    name: str, length: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = library(monkeypatch, name)
    ticking(monkeypatch, called, length)
    function = native_functions.of(name, PROBLEMS[name])
    assert function
    assert function.run(3) == pytest.approx(3 * calls * 0.9e-3)
    assert function.units == (70 if name == QUANTIZE else 64 * PROBLEMS[name].columns)


def test_a_row_takes_its_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_functions.VecDot, "run", lambda self, repetitions: 1.0)
    with opened(DOT, Problem(4096, 10, "l1", columns=2)) as one:
        assert one.sample() == pytest.approx(1e9 / 20)
