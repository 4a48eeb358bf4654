"""The READMEs' JavaScript blocks work as written in the places that they name."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import gguf
import numpy as np
import pytest

from codegen.engines.npm import npm
from codegen.engines.process import run_command
from codegen.engines.report import EngineError
from codegen.products.page.build import install_packages
from tests import needs
from tests.cli.command import ROOT
from tests.javascript.packages import PROGRAMS, TIMEOUT

# Deno looks for installed packages in node_modules only where it is told to.
DENO = ("--quiet", "--no-config", "--no-lock", "--no-remote", "--node-modules-dir=manual")

READMES = ("README.md", "js/README.md")


def blocks(readme: str, language: str) -> list[str]:
    text = (ROOT / readme).read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def commands(readme: str, word: str) -> str:
    """The lines of the one console block that has this word, without prompts."""
    (block,) = (one for one in blocks(readme, "console") if word in one)
    return "".join(line.removeprefix("$ ") for line in block.splitlines(keepends=True))


def paste(text: str, checkout: Path) -> str:
    """Runs lines in a checkout after `make js`, with the npm and the node that tests use."""
    programs = {"npm": npm(), "node": PROGRAMS["node"].command, "make": ["true"]}
    shims = checkout.parent / "shims"
    shims.mkdir(exist_ok=True)
    for name, command in programs.items():
        shim = shims / name
        shim.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, command))} "$@"\n')
        shim.chmod(0o755)
    return run_command(["sh", "-ec", f'PATH="{shims}:$PATH"\n{text}'], TIMEOUT, cwd=checkout)


@pytest.fixture(scope="module")
def checkout(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of a checkout that these lines use, after `make js`."""
    folder = tmp_path_factory.mktemp("readme") / "checkout"
    shutil.copytree(dist, folder / "dist" / "js")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.needs("node", "npm")
@pytest.mark.parametrize("readme", READMES)
def test_installing_leaves_the_checkout_as_it_was(readme: str, checkout: Path) -> None:
    before = sorted(checkout.rglob("*"))
    paste(commands(readme, "./dist/js"), checkout)
    assert sorted(checkout.rglob("*")) == before
    assert (checkout.parent / "app" / "node_modules" / "ggml-wat" / "index.js").is_file()


@pytest.mark.parametrize("name", needs.each("node", "deno", "bun"))
@pytest.mark.parametrize("readme", READMES)
def test_the_block_runs_as_written_in_the_file_that_is_named(
    name: str, readme: str, installed: Path, tmp_path: Path
) -> None:
    shutil.copytree(installed / "node_modules", tmp_path / "node_modules")
    (block,) = blocks(readme, "js")
    (file,) = set(re.findall(r"\w+\.mjs", (ROOT / readme).read_text().partition("```js")[0]))
    (tmp_path / file).write_text(block)
    program = PROGRAMS[name]
    command = [program.command[0], "run", *DENO] if name == "deno" else list(program.command)
    printed = run_command([*command, file], 120, program.env, cwd=tmp_path)
    assert re.fullmatch(r"(relaxed|simd128|scalar) [12] 128 -947\.9422607421875\n", printed)


@pytest.mark.needs("node", "npm")
def test_the_example_multiplies_the_matrices_of_a_gguf_file(checkout: Path) -> None:
    try:
        install_packages()  # where npm reaches no registry, there is nothing to test
    except EngineError as error:
        pytest.skip(str(error))
    path = checkout.parent / "MODEL.gguf"
    matrices = write_model(path)
    lines = commands("README.md", "model.mjs").replace("MODEL.gguf", str(path))
    printed = paste(commands("README.md", "./dist/js") + lines, checkout).splitlines()
    found = [
        re.fullmatch(r"(\S+): (\d+) x (\d+) in .* ms, the first result is (\S+)", line) for line in printed
    ]
    results = {one[1]: one for one in found if one}
    assert results.keys() == matrices.keys()
    for name, values in matrices.items():
        assert (int(results[name][2]), int(results[name][3])) == values.shape
        terms = values[0].astype(np.float64) * np.cos(np.arange(values.shape[1]))
        assert abs(float(results[name][4]) - terms.sum()) < 0.01 * np.abs(terms).sum()


def write_model(path: Path) -> dict[str, np.ndarray]:
    """Writes two Q4_0 and two F32 matrices; the weights of the former, by name."""
    writer = gguf.GGUFWriter(path, "llama")
    random = np.random.default_rng(5)
    matrices = {}
    for name, shape in (("blk.0.ffn_up.weight", (96, 256)), ("blk.0.ffn_down.weight", (64, 96))):
        data = gguf.quantize(random.standard_normal(shape, np.float32), gguf.GGMLQuantizationType.Q4_0)
        matrices[name] = gguf.dequantize(data, gguf.GGMLQuantizationType.Q4_0)
        writer.add_tensor(name, data, raw_dtype=gguf.GGMLQuantizationType.Q4_0)
        writer.add_tensor(f"{name}.f32", np.ones((4, 32), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return matrices
