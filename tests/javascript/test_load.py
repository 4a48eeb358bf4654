"""What load() takes, and why not something faster: wrong kernels, old engines, forbidden WebAssembly, no threads."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from codegen.engines.pages import ISOLATED
from codegen.engines.process import run_command
from codegen.engines.report import EngineError
from codegen.products.javascript.bundles import Bundle, bundles
from codegen.products.javascript.modules import module_text
from tests import needs
from tests.javascript.doctored import TRAP, WRONG_BIT, doctored
from tests.javascript.packages import BROWSERS, PROGRAMS, SCRIPTS, TIMEOUT, report, site

OPERATIONS = ("vec_dot", "quantize_row", "pack_activations", "repack", "gemv", "gemm", "mul_mat")

LOAD = """
export async function load(options, dist = "dist") {
  try {
    const { load } = await import(`./${dist}/index.js`);
    const { isa, bundle, threads, threadsReason, rejected } = await load(options);
    return { isa, bundle, threads, threadsReason, rejected };
  } catch ({ name, message }) {
    return { failed: `${name}: ${message}` };
  }
}
"""


def loads(name: str, at: Path, dist: Path, calls: str, headers: dict[str, str] | None = None) -> Any:
    """What calls of load, in an object, come to in an engine."""
    folder = site(at / "site", dist, f"{LOAD}export const report = async () => ({{{calls}}});")
    return report(name, folder, headers)


SETS: dict[str, Bundle] = {one.name: one for one in bundles()}


def spoil(folder: Path, *names: str, op: str = "mul_mat", after: int = 0, fault: str = WRONG_BIT) -> None:
    for name in names:
        _, code = module_text(doctored(SETS[name], op, after, fault))
        replace(folder, name, code)


def replace(folder: Path, name: str, code: str) -> None:
    """Other code for a set's module, in base64."""
    kernels = folder / "kernels.js"
    text, (_, old) = kernels.read_text(), module_text(SETS[name].wasm())
    assert text.count(f'"{old}"') == 1
    kernels.write_text(text.replace(f'"{old}"', f'"{code}"'))


@pytest.fixture(scope="module")
def spoilt(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packages with faults, each in a folder of its own."""
    root = tmp_path_factory.mktemp("spoilt")
    for op in OPERATIONS:
        spoil(shutil.copytree(dist, root / op), "scalar", op=op)
    spoil(shutil.copytree(dist, root / "one"), "relaxed-v8")
    spoil(shutil.copytree(dist, root / "both"), "relaxed-v8", "relaxed-jsc", op="vec_dot")
    spoil(shutil.copytree(dist, root / "all"), *SETS, op="gemm")
    spoil(shutil.copytree(dist, root / "later"), "relaxed-v8", "relaxed-jsc", after=300)
    shutil.copytree(dist, root / "unreadable")
    replace(root / "unreadable", "relaxed-v8", "AAAA")
    spoil(shutil.copytree(dist, root / "traps"), "relaxed-v8", "relaxed-jsc", op="gemv", after=60, fault=TRAP)
    scenarios = ("one", "both", "all", "later", "unreadable", "traps")
    calls = [f'{op}: await load({{isa: "scalar"}}, "{op}")' for op in OPERATIONS]
    calls += [f'{name}: await load({{}}, "{name}")' for name in scenarios]
    (root / "report.mjs").write_text(f"{LOAD}export const report = async () => ({{{', '.join(calls)}}});")
    return root


@pytest.mark.parametrize("name", needs.each("node", "bun", "chromium"))
def test_whatever_computes_one_bit_wrong_is_not_taken(name: str, spoilt: Path) -> None:
    found = report(name, spoilt)
    exports = {spec.op: spec.export for spec in SETS["scalar"].specs}
    for op in OPERATIONS:
        wrong = found[op]["failed"]
        assert wrong.startswith(
            "Error: No kernels compute right in this engine (scalar: scalar: wrong at first: "
        )
        assert f"{exports[op]}, case " in wrong
    assert found["one"]["bundle"] == "relaxed-jsc"
    assert [one["reason"][:26] for one in found["one"]["rejected"]] == ["relaxed-v8: wrong at first"]
    assert found["both"]["isa"] == "simd128"
    assert [one["isa"] for one in found["both"]["rejected"]] == ["relaxed", "relaxed"]
    assert found["all"]["failed"].count("wrong at first: gemm_q4_0_q8_0, case ") == len(SETS)
    assert found["later"]["isa"] == "simd128"
    assert "wrong once optimised: mul_mat_q4_0, case " in found["later"]["rejected"][0]["reason"]
    assert found["unreadable"]["bundle"] == "relaxed-jsc"
    assert found["unreadable"]["rejected"][0]["reason"].startswith("relaxed-v8: refused (")
    assert found["traps"]["isa"] == "simd128"
    assert "trapped while it was optimised: " in found["traps"]["rejected"][0]["reason"]


def old_node() -> str | None:
    """A node 20, whose relaxed SIMD is behind a flag, and wrong."""
    program = shutil.which("node")
    try:
        version = run_command([program, "--version"], 60) if program else ""
    except EngineError:
        return None
    return program if version.startswith("v20.") else None


@pytest.mark.skipif(old_node() is None, reason="there is no node 20 on the PATH")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "the engine does not have it"),
        (
            ("--experimental-wasm-relaxed-simd",),
            "wrong at first: i32x4.relaxed_dot_i8x16_i7x16_add_s/counting",
        ),
    ],
)
def test_node_20_gets_simd(options: tuple[str, ...], reason: str, dist: Path, tmp_path: Path) -> None:
    script = f"{LOAD}console.log(JSON.stringify([await load(), await load({{isa: 'relaxed'}})]));"
    folder = site(tmp_path / "site", dist)
    (folder / "main.mjs").write_text(script)
    taken, forced = json.loads(run_command([str(old_node()), *options, "main.mjs"], 60, cwd=folder))
    assert (taken["isa"], taken["rejected"]) == ("simd128", [{"isa": "relaxed", "reason": reason}])
    assert forced["failed"] == f"Error: No kernels compute right in this engine (relaxed: {reason})."


@pytest.mark.parametrize("name", needs.each(*BROWSERS))
class TestPages:
    def test_a_policy_that_forbids_webassembly_is_named(self, name: str, dist: Path, tmp_path: Path) -> None:
        policy = {"Content-Security-Policy": "script-src 'self'"}
        found = loads(name, tmp_path, dist, "taken: await load()", policy)
        assert found["taken"]["failed"] == (
            "Error: This page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src."
        )

    def test_a_policy_that_allows_it_and_nothing_more(self, name: str, dist: Path, tmp_path: Path) -> None:
        policy = {"Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"}
        calls = "blob: await load({threads: 2}), file: await load({threads: 2, workerUrl: 'dist/worker.js'})"
        found = loads(name, tmp_path, dist, calls, {**ISOLATED, **policy})
        assert (found["blob"]["isa"], found["blob"]["threads"]) == ("relaxed", 1)
        assert "allow blob: in worker-src, or give load() a workerUrl." in found["blob"]["threadsReason"]
        assert (found["file"]["isa"], found["file"]["threads"]) == ("relaxed", 2)

    def test_a_policy_that_allows_workers_from_blobs(self, name: str, dist: Path, tmp_path: Path) -> None:
        policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:"
        headers = {**ISOLATED, "Content-Security-Policy": policy}
        found = loads(name, tmp_path, dist, "taken: await load({threads: 2})", headers)
        assert (found["taken"]["isa"], found["taken"]["threads"]) == ("relaxed", 2)

    def test_a_page_that_is_not_isolated_has_one_thread(self, name: str, dist: Path, tmp_path: Path) -> None:
        found = loads(name, tmp_path, dist, "taken: await load({threads: 2})")
        assert (found["taken"]["isa"], found["taken"]["threads"]) == ("relaxed", 1)
        assert "Cross-Origin-Opener-Policy: same-origin" in found["taken"]["threadsReason"]


SERVICE = """
import { load } from "./load.mjs";
onmessage = async ({ ports: [port] }) =>
  port.postMessage({ auto: await load({ threads: "auto" }), two: await load({ threads: 2 }), workers: typeof Worker });
"""

PAGE_OF_SERVICE = """
export async function report() {
  await navigator.serviceWorker.register("./service.mjs", { type: "module" });
  const { active } = await navigator.serviceWorker.ready;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  active.postMessage("load", [port2]);
  return answer;
}
"""

IN_SERVICE = """
import { load as taken } from "./dist/index.js";
export async function load(options) {
  try {
    const { isa, threads, threadsReason } = await taken(options);
    return { isa, threads, threadsReason };
  } catch (error) {
    return { failed: String(error) };
  }
}
"""


ALONE = ("Memory cannot be shared here: ", "There are no workers here.")
"""Chromium shares memory with service workers of isolated pages, Firefox does not."""


@pytest.mark.parametrize("headers", [{}, ISOLATED], ids=["alone", "isolated"])
@pytest.mark.parametrize("name", needs.each(*BROWSERS))
def test_a_service_worker_has_one_thread(
    name: str, headers: dict[str, str], dist: Path, tmp_path: Path
) -> None:
    folder = site(tmp_path / "site", dist, PAGE_OF_SERVICE)
    (folder / "service.mjs").write_text(SERVICE)
    (folder / "load.mjs").write_text(IN_SERVICE)
    found = report(name, folder, headers)
    assert found["workers"] == "undefined"
    assert (found["auto"]["isa"], found["auto"]["threads"]) == ("relaxed", 1)
    assert (found["two"]["isa"], found["two"]["threads"]) == ("relaxed", 1)
    assert found["two"]["threadsReason"].startswith(ALONE)


ADDRESSES = 24 * 10**9
"""Bytes that a node may reserve: enough for itself and one memory of some 10 GB with its guards."""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of addresses are Linux's")
@pytest.mark.parametrize("name", needs.each("node"))
def test_one_memory_is_enough(name: str, dist: Path, tmp_path: Path) -> None:
    folder = site(tmp_path / "site", dist, f"{LOAD}export const report = () => load({{threads: 2}});")
    shutil.copy(SCRIPTS / "main.mjs", folder)
    command = ["prlimit", f"--as={ADDRESSES}", *PROGRAMS[name].command, "main.mjs"]
    found = json.loads(run_command(command, TIMEOUT, cwd=folder))
    assert (found["isa"], found["threads"]) == ("relaxed", 2)


@pytest.mark.parametrize("name", needs.each("node", "deno", "bun"))
def test_a_process_ends_though_nobody_closed(name: str, dist: Path, tmp_path: Path) -> None:
    calls = "two: await load({threads: 2}), auto: await load({threads: 'auto'}), cores: navigator.hardwareConcurrency"
    found = loads(name, tmp_path, dist, calls)
    assert found["two"]["threads"] == 2
    assert found["auto"]["threads"] == min(found["cores"], 16)
