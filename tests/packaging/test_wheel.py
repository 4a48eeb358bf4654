"""The wheel: whole, and working from any folder without the sources beside it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen.products.javascript import package
from tests.cli.command import GENERATED, ROOT, contents, environment

pytestmark = pytest.mark.slow

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
BIN = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, ROOT]
    subprocess.run([*PIP, *map(str, build)], check=True, env=environment())
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment's folder of programs, with the wheel and, by a .pth file, this one's dependencies."""
    root = tmp_path_factory.mktemp("installed")
    venv.create(root, with_pip=False)
    python = root / BIN / Path("python").with_suffix(Path(sys.executable).suffix)
    install = ["--python", python, "install", "--no-deps", "--no-index", wheel]
    subprocess.run([*PIP, *map(str, install)], check=True, env=environment())
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "dependencies.pth").write_text("\n".join(sorted(here)))
    return root / BIN


def run(program: Path, *words: str | Path) -> str:
    """Runs an installed program in the root folder, with no way to the sources."""
    env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    command = [str(program), *map(str, words)]
    return subprocess.run(
        command, cwd=Path(Path.cwd().anchor), env=env, check=True, capture_output=True, text=True
    ).stdout


def test_the_wheel_holds_the_package_with_every_template_tuning_and_script_and_nothing_else(
    wheel: Path,
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    wanted = {
        f"codegen/{folder}/{name}": data
        for folder in ("templates", "tuning", "js")
        for name, data in contents(ROOT / folder).items()
    }
    wanted |= {
        f"codegen/{name}": data
        for name, data in contents(ROOT / "codegen").items()
        if "__pycache__" not in name
    }
    wanted["codegen/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    assert wanted == {name: data for name, data in held.items() if ".dist-info/" not in name}


def test_the_installed_package_is_the_one_that_runs(installed: Path) -> None:
    where = run(installed / "python", "-c", "import codegen; print(codegen.__file__)").strip()
    assert Path(where).is_relative_to(installed.parent)


def test_installed_list_knows_every_kernel(installed: Path) -> None:
    manifest = json.loads((GENERATED / "manifest.json").read_text())
    listed = json.loads(run(installed / "codegen", "list", "--json"))
    assert [entry["name"] for entry in listed] == [entry["name"] for entry in manifest]


def test_installed_emit_gives_the_committed_bytes(installed: Path, tmp_path: Path) -> None:
    run(installed / "codegen", "--emit", "wat", "--out", tmp_path)
    emitted = contents(tmp_path)
    assert len(emitted) == len(json.loads((GENERATED / "manifest.json").read_text()))
    committed = {path.name: path.read_bytes() for path in GENERATED.glob("*.wat")}
    assert {name: emitted[name] for name in committed} == committed


def test_installed_tunings_are_the_committed_ones(installed: Path) -> None:
    for file in (ROOT / "tuning").iterdir():
        engine, _, _ = file.stem.partition("-")
        listed = json.loads(run(installed / "codegen", "list", "--tuned", engine, "--json"))
        contracts = json.loads(file.read_text())["contracts"]
        best = [name for swept in contracts.values() for name in swept["best"].values()]
        assert [entry["name"] for entry in listed] == best


def test_the_installed_program_writes_the_same_npm_package(installed: Path, tmp_path: Path) -> None:
    run(installed / "codegen", "js", "--out", tmp_path)
    assert contents(tmp_path) == dict(package.files())


def messages(module: ast.Module) -> Iterator[str]:
    """The texts in a module that are no docstrings."""
    documents = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.value


def test_no_message_sends_people_to_a_document_that_the_wheel_has_not(wheel: Path) -> None:
    written = re.compile("docs/(report|formats.md)")  # by verbs of ours, where they are called
    with zipfile.ZipFile(wheel) as archive:
        texts = {
            name: list(messages(ast.parse(archive.read(name))))
            for name in archive.namelist()
            if name.endswith(".py")
        }
    assert len(texts) > 100
    told = [
        (name, text) for name, all_of in texts.items() for text in all_of if "docs/" in written.sub("", text)
    ]
    assert told == []


def test_installed_verify_passes(installed: Path) -> None:
    kernel = "vec_dot_q4_0_q8_0__simd128_u4"
    (report,) = json.loads(run(installed / "codegen", "verify", "--kernel", kernel, "--json"))
    assert (report["kernel"], report["passed"]) == (kernel, True)
