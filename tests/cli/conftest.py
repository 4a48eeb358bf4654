from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen.__main__ import main
from tests.cli.command import Call


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Call]:
    """`codegen WORDS` in `tmp_path` and in this process, for tables of calls: a process each takes too long."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    terminate = signal.getsignal(signal.SIGTERM)

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        try:
            status = main([str(word) for word in words])
        except SystemExit as left:
            assert isinstance(left.code, int)
            status = left.code
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(words, status, out, err)

    yield run
    signal.signal(signal.SIGTERM, terminate)
