"""The package as files: what is in it, its declarations, and the tarball as somebody installs it."""

from __future__ import annotations

import base64
import json
import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from codegen.engines.install import find_npm_set
from codegen.engines.process import run_command
from codegen.products.javascript.bundles import bundles
from codegen.products.javascript.modules import memory_import, module_text
from codegen.products.linking.merge import bundle
from codegen.spec.options import Memory
from codegen.wasm.assemble import assemble
from tests.cli.command import ROOT, codegen
from tests.javascript.packages import PROGRAMS


def test_nothing_is_written_twice(tmp_path: Path) -> None:
    first = codegen("js", cwd=tmp_path).stdout.splitlines()
    assert first[0].startswith("wrote dist/js/")
    count = len(first) - 1
    assert first[-1] == f"{count} files: {count} written, 0 up to date"
    assert codegen("js", cwd=tmp_path).stdout == f"{count} files: 0 written, {count} up to date\n"


def test_package_json_lists_what_there_is_and_has_the_projects_version(dist: Path) -> None:
    package = json.loads((dist / "package.json").read_text())
    rest = {path.name for path in dist.iterdir()} - {"package.json", "README.md", "LICENSE"}
    assert set(package["files"]) == rest
    assert not {"dependencies", "scripts"} & set(package)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (package["version"], package["license"]) == (project["version"], project["license"])


def test_known_answers_are_few(dist: Path) -> None:
    assert (dist / "answers.js").stat().st_size <= 40 * 1024


def test_nothing_that_some_place_forbids_or_some_bundler_rewrites(dist: Path) -> None:
    for path in dist.glob("*.js"):
        text = path.read_text()
        assert not re.search(r"\beval\(|new Function|from \"node:|import\(|import\.meta", text), path.name


def test_the_text_of_a_module_gives_it_for_either_kind_of_memory() -> None:
    for one in bundles():
        before, after = module_text(one.wasm())
        for kind, memory in (("unshared", Memory.IMPORT), ("shared", Memory.SHARED)):
            joined = b"".join(base64.b64decode(part) for part in (before, memory_import()[kind], after))
            assert joined == assemble(bundle([replace(spec, memory=memory) for spec in one.specs]))


CONSUMER = """
import { load, type Ggml, type Isa, type LoadOptions, type Matrix, type Rejected } from "ggml-wat";

const options: LoadOptions = { threads: "auto", workerUrl: "/worker.js" };
const ggml: Ggml = await load(options);
const isa: Isa = ggml.isa;
const reasons: string[] = ggml.rejected.map((one: Rejected) => `${one.isa}: ${one.reason}`);
const matrix: Matrix = ggml.matrix(new Uint8Array(18), 1, 32);
const into = new Float32Array(1);
const results: typeof into = await ggml.mulMat(matrix, new Float32Array(32), into);
const maybe: Float32Array = ggml.mulMatSync(matrix, new Float32Array(32), Math.random() < 2 ? into : undefined);
const dot: number = ggml.vecDot(new Uint8Array(18), ggml.quantizeRow(new Float32Array(32)));
const columns: Float32Array = ggml.gemm(
  ggml.repack(new Uint8Array(18), 1, 32), ggml.prepare(new Float32Array(64), 32), 1, 32, 2,
);
const buffers: ArrayBuffer[] = [ggml.mulMatSync(matrix, new Float32Array(32)).buffer, columns.slice().buffer];
const again: Ggml = await load({ memory: ggml.memory });
const bytes: number = ggml.memory.buffer.byteLength;
matrix.free();
// @ts-expect-error
ggml.vecDot([1, 2], new Uint8Array(34));
// @ts-expect-error
await load({ isa: "avx2" });
// @ts-expect-error
await load({ memory: 2 });
// @ts-expect-error
matrix.rows = 2;
await ggml.close();
export { again, buffers, bytes, columns, dot, isa, maybe, reasons, results };
"""

DOM_CONSUMER = """
import { load } from "ggml-wat";

const ggml = await load({ memory: new WebAssembly.Memory({ initial: 0 }) });
const memory: WebAssembly.Memory = ggml.memory;
const matrix = ggml.matrix(new Uint8Array(18), 1, 32);
const results = ggml.mulMatSync(matrix, new Float32Array(32));
const awaited = await ggml.mulMat(matrix, new Float32Array(32));
const bytes = ggml.repack(new Uint8Array(18), 1, 32);
const column = ggml.prepare(new Float32Array(32), 32);
const product = ggml.gemv(bytes, column, 1, 32);
const parts = [results, awaited, bytes, column, product, ggml.quantizeRow(new Float32Array(32))];
const sources: BufferSource[] = parts;
await crypto.subtle.digest("SHA-256", results);
export const blob: Blob = new Blob(parts);
export { memory, sources };
"""


@pytest.mark.needs("node", "typescript")
@pytest.mark.parametrize(
    ("library", "resolution"),
    [
        ("es2022", "bundler"),
        ("es2022,dom", "bundler"),
        ("es2022,dom", "nodenext"),
        ("esnext,webworker", "bundler"),
    ],
)
@pytest.mark.parametrize("version", ["5.4", "5.9"])
def test_declarations(version: str, library: str, resolution: str, installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed / "node_modules", tmp_path / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "consumer.ts").write_text(CONSUMER)
    consumers = ["consumer.ts"]
    if library != "es2022":
        (tmp_path / "dom.ts").write_text(DOM_CONSUMER)
        consumers.append("dom.ts")
    module = "nodenext" if resolution == "nodenext" else "esnext"
    options = ["--noEmit", "--strict", "--target", "es2022", "--lib", library]
    options += ["--module", module, "--moduleResolution", resolution]
    packages = find_npm_set("typescript")
    assert packages
    compiler = packages.resolve() / f"typescript-{version}" / "bin" / "tsc"
    run_command([*PROGRAMS["node"].command, compiler, *options, *consumers], 120, cwd=tmp_path)
