"""Wrong calls: each is refused in one line that names the thing, and leaves no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Call, assert_refused, codegen, contents

KERNEL = "vec_dot_q4_0_q8_0__"

UNROLLS = [
    "0",
    "-1",
    "2.5",
    "abc",
    "17",
    "",
    "02",
    "+2",
    "1_0",
    " 2",
    "2\n",
    "٢",
    "\N{FULLWIDTH DIGIT TWO}",
    "²",
    "9" * 5000,
]

WRONG: dict[tuple[str, ...], str] = {
    ("frobnicate",): "'frobnicate'",
    ("emit", "--frobnicate"): "--frobnicate",
    ("list", "extra\nargument"): "extra",
    ("verify", "--unroll", "0"): "'0'",
    ("bench", "--unroll", "17"): "'17'",
    ("bench", "--n", "31"): "'31'",
    ("bench", "--n", "48"): "48",
    ("bench", "--rounds", "0"): "'0'",
    ("run",): "MODEL.gguf",
    ("run", "model.gguf", "--seed", "-1"): "'-1'",
    ("--emit",): "--emit",
    ("--emit", "elf"): "'elf'",
    ("--emit", "asm", "--engine", "firefox"): "'firefox'",
    ("--emit", "wat", "--engine", "node"): "--engine node",
    ("--emit", "wat,elf"): "'elf'",
    ("--emit", "wat,"): "''",
    ("--emit", "WAT"): "'WAT'",
    ("--emit", "wat", "--isa", "avx2"): "'avx2'",
    ("--emit", "wat", "--memory", "large"): "'large'",
    ("--emit", "wat", "--isa", "simd128,relaxed"): "'simd128,relaxed'",
    ("--emit", "wat", "--isa", "relaxed\nsimd"): r"'relaxed\nsimd'",
    ("--emit", "wat", "--out", ""): "--out",
    ("--emit", "wat", "stray"): "stray",
    ("--emit", "wat", "--unroll", "4", "--kernel", f"{KERNEL}relaxed_u2"): f"{KERNEL}relaxed_u2",
    ("--emit", "wat", "--isa", "scalar", "--kernel", f"{KERNEL}relaxed_u2"): f"{KERNEL}relaxed_u2",
    ("--emit", "wat", "--isa", "scalar", "--kernel", "*relaxed*"): "'*relaxed*'",
}
WRONG |= {("--emit", "wat", f"--unroll={unroll}"): repr(unroll) for unroll in UNROLLS}
WRONG |= {
    ("--emit", "wat", "--kernel", name): named
    for name, named in {
        "": "''",
        "q4_0": "'q4_0'",
        "*q9_9*": "'*q9_9*'",
        "../../etc/passwd": "'../../etc/passwd'",
        f"{KERNEL}relaxed_u2\n": r"relaxed_u2\n'",
        f"{KERNEL}relaxed_u2.wat": "relaxed_u2.wat",
        f"{KERNEL}avx2_u2": "'avx2'",
        f"{KERNEL}simd128-dot16_u2": "'dot16'",
        f"{KERNEL}article": "article",
        f"{KERNEL}relaxed_u17": "unroll = 17",
        f"{KERNEL}relaxed_u4_a3": "accumulators = 3",
        f"{KERNEL}relaxed_u9_a9": "accumulators = 9",
        f"{KERNEL}relaxed_u4_a1": f"'{KERNEL}relaxed_u4'",
        f"{KERNEL}relaxed-dot16_u4": f"'{KERNEL}relaxed_u4'",
        f"{KERNEL}relaxed_u04": "relaxed_u04",
        f"{KERNEL}relaxed_u٤": "relaxed_u٤",
        f"{KERNEL}relaxed_u4_import_overflow": "relaxed_u4_import_overflow",
        "vec_dot_q4_0_q4_0__relaxed_u4": "'q4_0' x 'q4_0'",
    }.items()
}


NEAR: dict[tuple[str, ...], str] = {
    ("lst",): "did you mean list?",
    ("verfy", "--kernel", "*"): "did you mean verify?",
    ("verify", "--kernal", "*"): "did you mean --kernel?",
    ("list", "--isa", "relaxd"): "did you mean relaxed?",
    ("list", "--memory", "memory46"): "did you mean memory64?",
    ("list", "--tuned", "wasmtme"): "did you mean wasmtime?",
    ("emit", "--emit", "wat,wsm"): "did you mean wasm?",
    ("emit", "--emit", "asm", "--engine", "nod"): "did you mean node?",
    ("bench", "--op", "vec_dt"): "did you mean vec_dot?",
    ("bench", "--format", "jsn"): "did you mean json?",
    ("bench", "--engine", "dno"): "did you mean deno?",
    ("tune", "--op", "mulmat"): "did you mean mul_mat?",
    ("verify", "--engine", "chrome"): "did you mean chromium?",
    ("verify", "--kernel", f"{KERNEL}relaxd_u4"): f"did you mean {KERNEL}relaxed_u4?",
    ("verify", "--kernel", "vec_dot_q4_0_q8_0_relaxed_u4"): f"did you mean {KERNEL}relaxed_u4?",
}


def shortened(words: tuple[str, ...]) -> str:
    return " ".join(words)[:60] or "nothing"


@pytest.mark.parametrize("words", WRONG, ids=shortened)
def test_refused_in_one_line_and_no_file_left(words: tuple[str, ...], call: Call, tmp_path: Path) -> None:
    assert_refused(call(*words), WRONG[words])
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    "words",
    [("--emit", "wat", "--unroll", "-1"), ("--emit", "wat", "--kernel", "q4_0"), ("frobnicate",)],
    ids=shortened,
)
def test_a_process_refuses_the_same_way(words: tuple[str, ...], tmp_path: Path) -> None:
    assert_refused(codegen(*words, cwd=tmp_path, status=None), repr(words[-1]))
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("words", NEAR, ids=shortened)
def test_a_near_miss_is_told_what_may_have_been_meant(words: tuple[str, ...], call: Call) -> None:
    assert_refused(call(*words), NEAR[words])


def test_what_is_near_to_nothing_is_given_no_guess(call: Call) -> None:
    assert "did you mean" not in call("frobnicate").stderr
