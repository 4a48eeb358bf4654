"""Objects, headers and libraries from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Call, assert_refused

DOT = "vec_dot_q4_0_q8_0__relaxed_u4"


def test_objects_and_headers_of_any_kernels(call: Call, tmp_path: Path) -> None:
    call("--emit", "obj,header", "--kernel", "gem*", "--isa", "relaxed", "-o", "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast.o" in names
    assert len(names) % 2 == 0
    assert {name[:-2] for name in names if name.endswith(".o")} == {n[:-2] for n in names if n.endswith(".h")}


def test_they_go_into_build(call: Call, tmp_path: Path) -> None:
    said = call("--emit", "obj,header", "--kernel", DOT).stdout
    assert (tmp_path / "build" / f"{DOT}.o").read_bytes().startswith(b"\0asm")
    assert "void ggml_vec_dot_q4_0_q8_0(int n, float *s" in (tmp_path / "build" / f"{DOT}.h").read_text()
    assert "2 files: 2 written" in said
    assert "2 files: 0 written, 2 up to date" in call("--emit", "obj,header", "--kernel", DOT).stdout


def test_standard_output_takes_one_object(call: Call) -> None:
    assert_refused(call("--emit", "obj", "--kernel", "gemv*", "-o", "-"), "takes one obj at a time")


@pytest.mark.parametrize("isa", ["scalar", "simd128", "relaxed"])
def test_a_library_is_the_same_every_time(call: Call, tmp_path: Path, isa: str) -> None:
    assert call("library", "--isa", isa).stdout == "wrote build/libggmlwat.a\nwrote build/ggmlwat.h\n"
    first = (tmp_path / "build" / "libggmlwat.a").read_bytes()
    assert "up to date: build/libggmlwat.a" in call("library", "--isa", isa).stdout
    call("library", "--isa", isa, "-o", "again")
    assert (tmp_path / "again" / "libggmlwat.a").read_bytes() == first


def test_a_library_of_another_engines_fastest(call: Call, tmp_path: Path) -> None:
    call("library", "--tuned", "v8")
    assert "relaxed-dot32" in (tmp_path / "build" / "ggmlwat.h").read_text()


def test_a_library_of_64_bit_addresses(call: Call, tmp_path: Path) -> None:
    call("library", "--memory", "memory64")
    archive = (tmp_path / "build" / "libggmlwat.a").read_bytes()
    call("library", "-o", "plain")
    assert b"__linear_memory\x02\x04\x00" in archive  # limits of 64 bits, at least 0 pages
    assert_refused(call("library", "--memory", "shared"), "--memory shared", "leave it out")
    assert b"__linear_memory\x02\x00\x00" in (tmp_path / "plain" / "libggmlwat.a").read_bytes()


def test_wrong_calls_of_library(call: Call, tmp_path: Path) -> None:
    assert_refused(call("library", "--isa", "avx2"), "known are scalar, simd128, relaxed")
    assert_refused(call("library", "--tuned", "quickjs"), "--tuned quickjs: known are")
    assert not (tmp_path / "build").exists()
