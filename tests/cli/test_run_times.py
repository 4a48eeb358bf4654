"""`run` on matrices too small to be timed."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from codegen.models.run import native_paths
from tests.cli.command import Call
from tests.gguf_files import write_model


def as_json(call: Call, *words: str) -> dict[str, Any]:
    done = call("run", *words, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_time_that_the_clock_cannot_tell_is_no_speed(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GGML's time is what a call takes less what an empty one takes: of one block, nothing."""
    write_model(tmp_path / "model.gguf", {"a": (1, 32)})
    ticks = count()
    monkeypatch.setattr(native_paths, "clock", lambda: lambda: next(ticks) * 1e-6)
    found = as_json(call, "model.gguf")
    if found["native_absent"]:
        pytest.skip(found["native_absent"])
    native = [path for path in found["paths"] if path["name"].startswith("native ")]
    assert native
    for path in native:
        assert (path["seconds"], path["tokens_per_second"], path["speedup"]) == (None, None, None)
        assert found["shapes"][0]["seconds"][path["name"]] is None
    lines = call("run", "model.gguf").stdout.splitlines()
    assert sum(line.startswith("native ") and "too short" in line for line in lines) == len(native)
    assert "too short: a time that this clock cannot tell from nothing, and so no speed" in lines


@pytest.mark.parametrize("rounds", ["1", "9"])
def test_no_way_is_faster_than_a_processor_can_be(rounds: str, tmp_path: Path, call: Call) -> None:
    write_model(tmp_path / "model.gguf", {"a": (1, 32)})
    for path in as_json(call, "model.gguf", "--rounds", rounds)["paths"]:
        # 32 products take a nanosecond at best.
        assert (path["tokens_per_second"] or 0) < 1e9
