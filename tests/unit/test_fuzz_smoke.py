"""The fuzzers at work for a moment, which finds nothing, and the program around them."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.formats import FORMATS
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.spec import KernelSpec
from codegen.models.gguf_file import GGUFFile
from codegen.runtime.linear_memory import WASM32_BYTES
from codegen.spec.options import OPTIONS
from codegen.spec.strategies import Isa
from tests.fuzzing import TARGETS, first_fault
from tools.fuzz import __main__ as fuzz
from tools.fuzz import workers
from tools.fuzz.api_specs import make_spec, parse
from tools.fuzz.api_target import serve
from tools.fuzz.cli_target import Call, CLITarget
from tools.fuzz.gguf_models import crowded_model, sound_model
from tools.fuzz.target import Target

# --- nothing is found


@pytest.mark.parametrize(("kind", "inputs"), list(zip(TARGETS, (600, 50, 200), strict=True)))
def test_no_fault(kind: type[Target[Any]], inputs: int, tmp_path: Path) -> None:
    found = first_fault(kind(tmp_path), inputs)
    assert not found, f"{found.source}: {found.detail}"


@pytest.mark.parametrize("kind", TARGETS)
def test_an_input_is_a_function_of_its_source(kind: type[Target[Any]], tmp_path: Path) -> None:
    target = kind(tmp_path)
    for number in range(50):
        once, again = (target.save(target.draw(Random(number)))[1] for _ in range(2))
        address = rb" at 0x[0-9a-f]+"  # in what Python shows of some objects
        assert re.sub(address, b"", once) == re.sub(address, b"", again)


@pytest.mark.parametrize("make", [sound_model, crowded_model])
def test_models_are_sound_until_they_are_mutated(make: Callable[[Random], Any], tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    for seed in range(20):
        path.write_bytes(make(Random(seed)).content())
        assert GGUFFile.open(path).matrices


@pytest.fixture(scope="module")
def command_lines(tmp_path_factory: pytest.TempPathFactory) -> CLITarget:
    return CLITarget(tmp_path_factory.mktemp("cli"))


# No slash: what is written stays in the sandbox. No NUL: no command line has one.
WORDS = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), max_size=12)
LIKELY = st.sampled_from(
    ["run", "emit", "list", "check", "model.gguf", "--kernel", "--isa", "--out", "--seed", "-o", "--"]
)


@settings(max_examples=60, deadline=None)
@given(words=st.lists(LIKELY | WORDS, max_size=6))
def test_any_words(words: list[str], command_lines: CLITarget) -> None:
    command_lines.check(Call(tuple(words), command_lines.model, command_lines.numbers[0]))


RIGHT: dict[str, st.SearchStrategy[Any]] = {
    "isa": st.sampled_from(Isa),
    "unroll": st.integers(1, 16),
    "accumulators": st.integers(1, 8),
    "strategy": st.sampled_from(
        sorted({s.name for operation in OPERATIONS.values() for s in operation.strategies})
    ),
    **{field: st.sampled_from(option) for field, option in OPTIONS.items()},
    "op": st.sampled_from(list(OPERATIONS)),
    "x": st.sampled_from(list(FORMATS)),
    "y": st.sampled_from(["", *FORMATS]),
    "tile": st.none() | st.tuples(st.integers(1, 8), st.integers(1, 8)),
}
WRONG = st.none() | st.integers() | st.floats() | st.text(max_size=9) | st.binary() | st.lists(st.none())


@settings(max_examples=200, deadline=None)
@given(arguments=st.fixed_dictionaries({name: right | WRONG for name, right in RIGHT.items()}))
def test_any_fields(arguments: dict[str, Any]) -> None:
    assert set(arguments) == {field.name for field in fields(KernelSpec)}
    make_spec(arguments)


NAMES = st.from_regex(
    r"(vec_dot_q4_0|vec_dot|quantize_row|pack_activations|gemm_q4_0|repack)_q8_0(_4x1)?__\w+(-\w+)?_u\d+(_a\d)?"
    r"(_overflow)?(_narrow)?(_broadcast)?(_rolled)?(_output)?(_import)?",
    fullmatch=True,
)


@settings(max_examples=200, deadline=None)
@given(name=st.text() | NAMES)
def test_any_name(name: str) -> None:
    parse(name)


SIZES = st.integers(0, 1 << 18) | st.sampled_from([WASM32_BYTES - 64, WASM32_BYTES, 1 << 70])
DEMANDS = st.lists(st.none() | st.tuples(SIZES, st.integers(0, 63)), max_size=20)


@settings(max_examples=100, deadline=None)
@given(demands=DEMANDS)
def test_any_demands_on_memory(demands: list[tuple[int, int] | None]) -> None:
    serve(demands)


# --- the program


class Deadly(Target[int]):
    """One worker dies of it, the other waits for ever."""

    name, share, limit_s = "deadly", 1, 60

    def __init__(self, folder: Path) -> None:
        self.dies = folder.parent.name == "0"

    def draw(self, random: Random) -> int:
        return random.randrange(10)

    def check(self, case: int) -> Sequence[str]:
        if case == 7:
            if self.dies:
                os._exit(3)
            time.sleep(1000)
        return ("survived",)

    def save(self, case: int) -> tuple[str, bytes]:
        return ".txt", str(case).encode()


def test_a_worker_that_dies_or_is_stuck_is_a_fault_with_its_input_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(fuzz.TARGETS, Deadly.name, Deadly)
    monkeypatch.setattr(workers, "STUCK_S", 8)
    assert fuzz.main(["--target", "deadly", "--seconds", "60", "--seed", "5", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {fault["kind"] for fault in found["faults"]} == {"death by exit status 3", "stuck for 8 s"}
    for fault in found["faults"]:
        name = fault["source"].replace("/", "-")
        assert (tmp_path / "build" / "fuzz" / f"{name}.txt").read_text() == "7"
        assert f"--replay {fault['source']}" in (tmp_path / "build" / "fuzz" / f"{name}.fault").read_text()


def test_figures_of_a_run_without_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fuzz.main(["--target", "gguf", "--seconds", "1", "--seed", "5"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^seed 5, 2 workers, \d+ s", out)
    assert re.search(r"[\d,]+ refused, [\d,]+ accepted", out)
    assert out.endswith(" inputs, no fault\n")
    assert list(tmp_path.iterdir()) == []


def test_a_source_gives_its_input_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--replay", "gguf/5/0/0"]) == 0
    assert capsys.readouterr().out in ("gguf/5/0/0: refused\n", "gguf/5/0/0: accepted\n")
