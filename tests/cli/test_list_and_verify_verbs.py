from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, engines
from codegen.kernels.registry import registered
from codegen.wasm.assemble import default_assembler
from tests.cli.command import ROOT, Call, codegen, copy_of_project

ONE = KernelSpec(Isa.RELAXED, strategy="dot32").name


def test_list_has_a_row_a_registered_kernel(tmp_path: Path) -> None:
    title, head, *rows = codegen("list", cwd=tmp_path).stdout.splitlines()
    assert title.strip() == f"{len(registered())} kernels"
    assert head.split()[:3] == ["kernel", "isa", "strategy"]
    assert [row.split()[:3] for row in rows] == [[s.name, s.isa, s.strategy] for s in registered()]


def test_list_json_has_every_parameter_of_every_kernel(tmp_path: Path) -> None:
    entries = json.loads(codegen("list", "--json", cwd=tmp_path).stdout)
    assert [entry.pop("name") for entry in entries] == [spec.name for spec in registered()]
    assert tuple(KernelSpec(**entry) for entry in entries) == registered()


def test_list_shows_only_what_is_chosen(tmp_path: Path) -> None:
    done = codegen("list", "--json", "--isa", "scalar", "--isa", "relaxed", "--unroll", "16", cwd=tmp_path)
    names = [entry["name"] for entry in json.loads(done.stdout)]
    assert [name for name in names if name.endswith("_u16")] == [
        "vec_dot_q4_0_q8_0__scalar_u16",
        "vec_dot_q4_0_q8_0__relaxed_u16",
        "vec_dot_q4_0_q8_0__relaxed-dot32_u16",
        "quantize_row_q8_0__relaxed_u16",
    ]
    assert {KernelSpec.parse(name).isa for name in names} == {Isa.SCALAR, Isa.RELAXED}


def test_list_shows_kernels_with_the_memory_that_is_asked_for(tmp_path: Path) -> None:
    done = codegen("list", "--json", "--memory", "memory64", "--kernel", "vec_dot_*", cwd=tmp_path)
    entries = json.loads(done.stdout)
    assert {entry["memory"] for entry in entries} == {"memory64"}
    assert len({entry["name"] for entry in entries}) == len(entries) > 10


def test_verify_prints_a_row_a_kernel_and_the_assembler(tmp_path: Path) -> None:
    done = codegen("verify", "--kernel", ONE, cwd=tmp_path)
    title, _, row = done.stdout.splitlines()
    assert title.strip() == f"verified against the oracle and scalar, assembled by {default_assembler()}"
    assert row.split()[:2] == [ONE, "pass"]
    assert done.stderr == ""


def test_verify_json_has_the_report(call: Call) -> None:
    (report,) = json.loads(call("verify", "--kernel", ONE, "--json").stdout)
    assert (report["kernel"], report["passed"], report["failures"]) == (ONE, True, [])
    assert report["cases"] > 100_000
    assert 0 < report["worst_ulp"] < 100
    assert report["cost"].keys() == {"opcodes", "loads", "multiplies", "locals", "bytes"}


def test_verify_fails_where_a_template_is_wrong(tmp_path: Path) -> None:
    project = copy_of_project(tmp_path)
    template = project / "templates" / "frames" / "vec_dot.wat.j2"
    template.write_text(template.read_text().replace("(f32.store", "(f32.store offset=4"))
    done = codegen("verify", "--kernel", ONE, cwd=tmp_path, source=project, status=1)
    assert done.stdout.splitlines()[2].split()[:2] == [ONE, "FAIL"]
    assert 1 < len(done.stderr.splitlines()) < 10
    assert all(line.startswith(f"{ONE}: ") for line in done.stderr.splitlines())


@pytest.mark.parametrize("words", [["--help"], ["emit", "--help"], ["run", "-h"]], ids=" ".join)
def test_help_goes_to_standard_output(words: list[str], tmp_path: Path) -> None:
    done = codegen(*words, cwd=tmp_path)
    assert done.stdout.startswith("usage: codegen")
    assert done.stderr == ""


def test_without_words_the_verbs_are_listed(tmp_path: Path) -> None:
    done = codegen(cwd=tmp_path)
    assert done.stdout == codegen("--help", cwd=tmp_path).stdout
    assert "verify" in done.stdout
    assert done.stderr == ""


def test_version_is_the_package_s(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert codegen("--version", cwd=tmp_path).stdout == f"codegen {project['version']}\n"


def test_help_of_verify_has_the_names_of_all_engines(tmp_path: Path) -> None:
    assert tuple(engine.name for engine in engines.discover()) == engines.NAMES
    text = " ".join(codegen("verify", "--help", cwd=tmp_path).stdout.split()).replace("- ", "-")
    assert ", ".join(engines.NAMES) in text
