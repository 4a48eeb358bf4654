"""`run` on models in parts, and on files that change meanwhile."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codegen.models.run import activations, batches, session
from tests.cli.command import Call, assert_refused
from tests.gguf_files import write_model
from tests.gguf_parts import PARTS

FIRST, SECOND, THIRD = PARTS["all"].files


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    for name, content in PARTS["all"].files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def as_json(call: Call, *words: str) -> dict[str, Any]:
    done = call("run", *words, "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_all_parts_are_a_whole_model(parts: Path, call: Call) -> None:
    found = as_json(call, SECOND)
    assert [matrix["name"] for matrix in found["matrices"]] == ["a", "b", "c"]
    assert found["parts"] == {"numbers": [1, 2, 3], "count": 3}
    assert found["paths"][0]["tokens_per_second"] > 0
    assert "all 3 parts of the model" in call("run", FIRST).stdout.splitlines()


def test_one_part_has_no_figure_of_a_whole_model(parts: Path, call: Call) -> None:
    (parts / SECOND).unlink()
    (parts / THIRD).unlink()
    found = as_json(call, FIRST)
    assert [matrix["name"] for matrix in found["matrices"]] == ["a"]
    assert found["parts"] == {"numbers": [1], "count": 3}
    assert {path["tokens_per_second"] for path in found["paths"]} == {None}
    done = call("run", FIRST)
    assert not any(line.startswith("tokens/s:") for line in done.stdout.splitlines())
    told = (
        "part 1 of 3: no tokens/s of a whole model; put all parts into one folder, with names that end like"
    )
    assert f"{told} -00002-of-00003.gguf" in done.stdout.splitlines()


def test_a_file_that_becomes_shorter_during_a_run_is_told(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    write_model(path, {"a": (64, 256), "b": (64, 256), "c": (64, 256)})
    monkeypatch.setattr(batches, "MOST_BYTES", 10_000)  # one matrix at a time
    sound = session.batches

    def cut(*arguments: Any) -> Iterator[Sequence[batches.Group]]:
        for number, batch in enumerate(sound(*arguments)):
            if number == 1:
                os.truncate(path, 1000)
            yield batch

    monkeypatch.setattr(session, "batches", cut)
    assert_refused(call("run", "model.gguf"), "model.gguf: became shorter while it was read; try again")


def test_activations_that_become_fewer_during_a_run_are_told(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path / "model.gguf", {"a": (64, 256)})
    np.save(tmp_path / "x.npy", np.ones(256, np.float32))
    sound = np.load

    def cut(*arguments: Any, **options: Any) -> Any:
        loaded = sound(*arguments, **options)
        os.truncate(tmp_path / "x.npy", 200)
        return loaded

    monkeypatch.setattr(activations.np, "load", cut)
    assert_refused(call("run", "model.gguf", "--input", "x.npy"), "x.npy: became shorter while it was read")


def test_all_ways_multiply_what_was_read_once(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other weights that are written over the file meanwhile are seen by all ways or by none."""
    path = tmp_path / "model.gguf"
    write_model(path, {"a": (64, 256)})
    sound = session.check

    def overwrite(part: batches.Part, *rest: Any) -> None:
        with path.open("r+b") as file:
            os.pwrite(file.fileno(), bytes(64 * 256 // 32 * 18), part.matrix.start)
        sound(part, *rest)

    monkeypatch.setattr(session, "check", overwrite)
    assert call("run", "model.gguf").returncode == 0
