from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, Memory, Scales, assemble, render_kernel
from codegen.kernels.registry import registered, shown
from codegen.wasm.assemble import default_assembler
from tests.cli.command import GENERATED, arguments, assert_refused, codegen, contents, environment

RELAXED_U2 = KernelSpec(Isa.RELAXED, unroll=2)
SHOWN = {spec.name for spec in shown()}
TEXTS = {
    Path("generated" if spec.name in SHOWN else "build", f"{spec.name}.wat"): render_kernel(spec).encode()
    for spec in registered()
}


def stdout_bytes(*words: str, cwd: Path) -> bytes:
    return subprocess.run(
        arguments(*words), cwd=cwd, env=environment(), capture_output=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("emitted")
    return folder, codegen("--emit", "wat", cwd=folder).stdout


def test_emit_wat_writes_what_is_shown_into_generated_and_all_else_into_build(
    emitted: tuple[Path, str],
) -> None:
    folder, _ = emitted
    assert contents(folder) == {path.as_posix(): text for path, text in TEXTS.items()}
    committed = {path.name: path.read_bytes() for path in GENERATED.glob("*.wat")}
    assert {path.name: path.read_bytes() for path in (folder / "generated").iterdir()} == committed


def test_emit_names_every_file_it_wrote(emitted: tuple[Path, str]) -> None:
    *wrote, summary = emitted[1].splitlines()
    assert sorted(wrote) == sorted(f"wrote {path}" for path in TEXTS)
    assert summary == f"{len(TEXTS)} files: {len(TEXTS)} written, 0 up to date"


def test_emit_rewrites_only_what_is_not_up_to_date(emitted: tuple[Path, str]) -> None:
    folder, _ = emitted
    before = contents(folder)
    stale, *fresh = sorted((folder / "generated").iterdir())
    stale.write_bytes(stale.read_bytes()[:-100])
    (folder / "generated" / "someone else's.txt").write_text("stays")
    written = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in fresh}

    done = codegen("emit", "--emit=wat", cwd=folder)

    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in fresh} == written
    assert contents(folder) == {**before, "generated/someone else's.txt": b"stays"}
    assert done.stdout.splitlines() == [
        f"wrote {stale.relative_to(folder)}",
        f"{len(TEXTS)} files: 1 written, {len(TEXTS) - 1} up to date",
    ]


def test_emit_writes_what_kernel_isa_unroll_and_out_choose(tmp_path: Path) -> None:
    choice = ["--kernel", "vec_dot_q4_0_*", "--isa", "relaxed", "--unroll", "2"]
    done = codegen("--emit", "wat,wasm", *choice, "--out", "a/b", cwd=tmp_path)
    others = (f"vec_dot_q4_0_q8_0__relaxed{how}_u4_overflow_narrow" for how in ("", "-dot32"))  # as they are
    dot32 = KernelSpec(Isa.RELAXED, unroll=2, strategy="dot32")
    specs = [RELAXED_U2, dot32, *map(KernelSpec.parse, others)]
    wats = {f"a/b/{spec.name}.wat": render_kernel(spec).encode() for spec in specs}
    wasms = {f"a/b/{spec.name}.wasm": assemble(render_kernel(spec)) for spec in specs}
    assert contents(tmp_path) == wats | wasms
    assert (
        done.stdout.splitlines()[-1]
        == f"8 files: 8 written, 0 up to date, assembled by {default_assembler()}"
    )


@pytest.mark.parametrize(
    ("spec", "folder"),
    [
        (RELAXED_U2, "generated"),
        (KernelSpec(Isa.RELAXED, strategy="dot32"), "build"),
        (KernelSpec(Isa.RELAXED, unroll=7), "build"),
    ],
    ids=["shown", "registered", "not registered"],
)
def test_emit_writes_text_into_generated_only_where_it_is_reviewed(
    spec: KernelSpec, folder: str, tmp_path: Path
) -> None:
    codegen("--emit", "wat", "--kernel", spec.name, cwd=tmp_path)
    assert contents(tmp_path) == {f"{folder}/{spec.name}.wat": render_kernel(spec).encode()}


def test_emit_writes_wasm_into_build_and_wat_into_generated(tmp_path: Path) -> None:
    codegen("--emit", "wasm,wat,wasm", "--kernel", RELAXED_U2.name, cwd=tmp_path)
    assert list(contents(tmp_path)) == [f"build/{RELAXED_U2.name}.wasm", f"generated/{RELAXED_U2.name}.wat"]


def test_emit_takes_several_kernels_registered_or_not(tmp_path: Path) -> None:
    free = KernelSpec(Isa.SIMD128, unroll=12, accumulators=4, scales=Scales.OVERFLOW, memory=Memory.IMPORT)
    codegen(
        "--emit",
        "wat",
        "--kernel",
        free.name,
        "--kernel",
        "vec_dot_q4_0*scalar_u[14]",
        "-o",
        "x",
        cwd=tmp_path,
    )
    assert sorted(contents(tmp_path)) == sorted(
        f"x/{spec.name}.wat" for spec in (free, KernelSpec(Isa.SCALAR), KernelSpec(Isa.SCALAR, unroll=4))
    )


def test_standard_output_gets_one_wat(tmp_path: Path) -> None:
    out = stdout_bytes("--emit", "wat", "--kernel", RELAXED_U2.name, "--out", "-", cwd=tmp_path)
    assert out == (GENERATED / f"{RELAXED_U2.name}.wat").read_bytes()
    assert contents(tmp_path) == {}


def test_standard_output_gets_several_wats_in_the_registrys_order(tmp_path: Path) -> None:
    out = stdout_bytes("--emit", "wat", "--isa", "simd128", "--out", "-", cwd=tmp_path)
    wanted = [spec for spec in registered() if spec.isa == "simd128"]
    assert out == b"".join(render_kernel(spec).encode() for spec in wanted)


def test_standard_output_gets_one_wasm(tmp_path: Path) -> None:
    out = stdout_bytes("--emit", "wasm", "--kernel", RELAXED_U2.name, "--out", "-", cwd=tmp_path)
    assert out == assemble(render_kernel(RELAXED_U2))
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    "words",
    [["wasm", "--isa", "scalar"], ["wat,wasm", "--kernel", RELAXED_U2.name]],
    ids=["kernels", "kinds"],
)
def test_standard_output_refuses_binaries_that_would_run_together(words: list[str], tmp_path: Path) -> None:
    assert_refused(codegen("--emit", *words, "--out", "-", cwd=tmp_path, status=2), "--out -", "--kernel")
    assert contents(tmp_path) == {}
