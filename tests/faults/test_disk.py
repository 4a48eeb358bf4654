"""Folders that cannot be written and disks that are full: one line, and nothing half-written."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, render_kernel
from codegen.base.errors import InputError
from codegen.base.output import write_file
from tests.cli.command import arguments, assert_one_line, assert_refused, codegen, contents, environment

ONE = KernelSpec(Isa.SIMD128).name
WAT = render_kernel(KernelSpec.parse(ONE)).encode()
EMIT = ["--emit", "wat,wasm", "--kernel", ONE]


def failing(error: int) -> Callable[..., None]:
    """A system call that fails."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    return fail


@pytest.mark.parametrize(
    "out", ["file", "file/folder", "file/deep/folder", "x" * 300], ids=lambda out: out[:20]
)
def test_a_file_in_the_folders_place_is_named(out: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    assert_refused(codegen(*EMIT, "--out", out, cwd=tmp_path, status=2), out, "--out")
    assert contents(tmp_path) == {"file": b"precious"}


def test_a_folder_in_the_files_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "out" / f"{ONE}.wat").mkdir(parents=True)
    assert_refused(codegen(*EMIT, "--out", "out", cwd=tmp_path, status=2), f"{ONE}.wat")
    assert contents(tmp_path) == {}


def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(0o500)
    if os.access(tmp_path / "out", os.W_OK):
        pytest.skip("this user may write anywhere")
    assert_refused(codegen(*EMIT, "--out", "out", cwd=tmp_path, status=2), "out", "Permission denied")
    assert contents(tmp_path) == {}


@pytest.mark.skipif(os.name != "posix", reason="needs RLIMIT_FSIZE")
@pytest.mark.parametrize("before", [None, b"what was there"], ids=["new", "old"])
def test_a_disk_that_fills_up_leaves_the_old_file_or_none(before: bytes | None, tmp_path: Path) -> None:
    import resource

    if before:
        (tmp_path / f"{ONE}.wat").write_bytes(before)
    sound = contents(tmp_path)

    def little_space() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        arguments(*EMIT, "--out", tmp_path),
        preexec_fn=little_space,
        cwd=tmp_path,
        # Python itself would write a short __pycache__ file and take it for good.
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
    )
    assert_refused(done, f"{ONE}.wat", os.strerror(errno.EFBIG), "free space")
    assert contents(tmp_path) == sound
    codegen(*EMIT, "--out", tmp_path, cwd=tmp_path)
    assert contents(tmp_path)[f"{ONE}.wat"] == WAT


@pytest.mark.parametrize(
    "call", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.mkdir", "pathlib.Path.open"]
)
@pytest.mark.parametrize(
    "error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO], ids=errno.errorcode.get
)
def test_whichever_step_fails_the_old_file_stays(
    call: str, error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernel.wat"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(call, failing(error))
        with pytest.raises(InputError) as caught:
            write_file(path, b"new")
    assert_one_line(f"codegen: {caught.value}\n", "kernel.wat", os.strerror(error))
    assert contents(tmp_path) == {"kernel.wat": b"old"}


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kernel.wat"
    path.write_bytes(b"old")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"new")
    assert contents(tmp_path) == {"kernel.wat": b"old"}


def test_the_temporary_file_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    mine, dead, other = f".a.wat.{os.getppid()}.tmp", f".a.wat.{2**22 + 1}.tmp", ".notes.tmp"
    for name in (mine, dead, other):
        (tmp_path / name).write_text("half")
    assert write_file(tmp_path / "b.wat", b"whole")
    assert sorted(contents(tmp_path)) == sorted([mine, other, "b.wat"])


def test_what_a_dead_process_left_goes_even_where_all_files_are_up_to_date(tmp_path: Path) -> None:
    codegen(*EMIT, "--out", "out", cwd=tmp_path)
    sound = contents(tmp_path)
    (tmp_path / "out" / f".{ONE}.wat.{2**22 + 1}.tmp").write_text("half")
    codegen(*EMIT, "--out", "out", cwd=tmp_path)
    assert contents(tmp_path) == sound
