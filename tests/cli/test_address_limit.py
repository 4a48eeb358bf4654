"""A process whose addresses are limited, as by `ulimit -v`: right results, or one line that names the limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import arguments, assert_refused, environment
from tests.gguf_files import write_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce it"),
]

ONE = "vec_dot_q4_0_q8_0__relaxed_u4"


def limited(kilobytes: int, folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """`codegen WORDS` with so many addresses."""
    shell = ["sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh"]
    return subprocess.run(
        [*shell, *arguments(*words)],
        cwd=folder, env=environment(OPENBLAS_NUM_THREADS="1"), capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("kilobytes", [8_000_000, 3_000_000])
@pytest.mark.parametrize("words", [("verify", "--kernel", ONE), ("run", "model.gguf")], ids=lambda w: w[0])
def test_a_limit_that_is_too_low_is_named(kilobytes: int, words: tuple[str, ...], tmp_path: Path) -> None:
    write_model(tmp_path / "model.gguf", {"blk.0.attn_q.weight": (64, 64)})
    done = limited(kilobytes, tmp_path, *words)
    assert_refused(done, f"limited to {kilobytes * 1024 / 1e9:.1f} GB", "ulimit -v")


@pytest.mark.parametrize("words", [("list",), ("--emit", "wat", "--kernel", ONE)], ids=lambda w: w[0])
def test_verbs_that_run_no_kernel_need_few(words: tuple[str, ...], tmp_path: Path) -> None:
    assert limited(1_000_000, tmp_path, *words).returncode == 0


def test_a_limit_that_is_high_enough_changes_nothing(tmp_path: Path) -> None:
    assert limited(64_000_000, tmp_path, "verify", "--kernel", ONE).returncode == 0
