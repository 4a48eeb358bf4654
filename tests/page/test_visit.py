"""The page in Chromium and Firefox, driven as a visitor would: keyboard, files, and what can be seen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from gguf import GGMLQuantizationType

from codegen.engines.browsers import CHROMIUM_OPTIONS, FIREFOX_PREFERENCES, find_browser
from codegen.engines.javascript import find_node
from codegen.products.page.build import PACKAGES
from tests import needs
from tests.gguf_cases import LONG, UNSOUND
from tests.gguf_files import F32, RawTensor, layout, write_model
from tests.gguf_parts import PARTS
from tests.page.conftest import Serve

DRIVER = Path(__file__).with_name("drive.mjs")
ROUNDS = 2
BARS = ["scalar", "article", "simd128", "relaxed", "gemv", "gemm"]

MATRICES = {
    "token_embd.weight": (512, 256),
    "blk.0.attn_q.weight": (250, 256),
    "blk.0.ffn_up.weight": (1024, 256),
    "blk.0.ffn_down.weight": (256, 1024),
    "blk.0.ffn_gate_exps.weight": (2, 64, 256),
}
NORM = {"blk.0.attn_norm.weight": (256,)}
COUNTED_BYTES = sum(rows * n // 32 * 18 for rows, n in [(512, 256), (250, 256), (1024, 256), (256, 1024)])

BROKEN = {
    "picture": (
        b"\x89PNG" + bytes(64),
        r"picture.gguf: not a GGUF file, it starts with '\x89PNG'; give the path",
    ),
    "f32": (
        layout([RawTensor(kind=F32, data=bytes(512))]),
        "f32.gguf: 1 tensor, 512 bytes; none of them Q4_0 (F32: 1)",
    ),
    **{
        name: UNSOUND[name]
        for name in ("empty", "big-endian", "tensor count", "a tensor twice", "one row too many", "same data")
    },
}
"""Files that cannot be used, by name, and what their sentences have in them; test_gguf.py has all."""


@pytest.fixture(scope="module", params=needs.each("chromium", "firefox"))
def browser(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def faulty(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with one wrong answer in gemv's vectors, and one where the article's kernel is timed."""
    folder = tmp_path_factory.mktemp("faulty") / "dist"
    shutil.copytree(site, folder)
    for path in (folder / "data" / "vectors").glob("gemv_*.json"):
        vectors = json.loads(path.read_text())
        case = next(one for one in vectors["cases"] if "f32" in one["outputs"]["s"])
        case["outputs"]["s"]["f32"][0] = {"bits": "0x12345678"}
        path.write_text(json.dumps(vectors))
    job = json.loads((folder / "data" / "bench.json").read_text())
    article = next(entry for entry in job["entries"] if "article" in entry["name"])
    article["output"]["expected"] = [article["buffers"][1]["pattern"]]
    (folder / "data" / "bench.json").write_text(json.dumps(job))
    return folder


@pytest.fixture(scope="module")
def visit(
    browser: str,
    site: Path,
    packages: Path,
    faulty: Path,
    serve: Serve,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """What a visit in a browser saw: the page with the headers for threads, without them, and with faults."""
    folder = tmp_path_factory.mktemp(browser)
    (folder / "profile").mkdir()
    write_model(folder / "model.gguf", MATRICES | NORM, dict.fromkeys(NORM, GGMLQuantizationType.F32))
    for name, (content, _) in BROKEN.items():
        (folder / f"{name}.gguf").write_bytes(content)
    shutil.copy(folder / "model.gguf", folder / "shrinks.gguf")
    (folder / "long").write_bytes(LONG["a string of 5 MB"]())
    for name, content in PARTS["all"].files.items():
        (folder / name).write_bytes(content)
    pictures = PACKAGES.absolute() / "screenshots"
    pictures.mkdir(exist_ok=True)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    order = {
        "browser": browser,
        "program": find_browser(browser),
        "arguments": [*CHROMIUM_OPTIONS, *sandbox] if browser == "chromium" else [],
        "preferences": {key: json.loads(value) for key, value in FIREFOX_PREFERENCES.items()},
        "profile": str(folder / "profile"),
        "packages": str(packages),
        "url": f"{serve(site)}?rounds={ROUNDS}",
        "plain": f"{serve(site, isolated=False)}?rounds={ROUNDS}",
        "faulty": f"{serve(faulty)}?rounds={ROUNDS}",
        "model": str(folder / "model.gguf"),
        "shrinks": str(folder / "shrinks.gguf"),
        "long": str(folder / "long"),
        "parts": [str(folder / name) for name in PARTS["all"].files],
        "broken": [str(folder / f"{name}.gguf") for name in BROKEN],
        "screenshots": str(pictures),
    }
    (folder / "order.json").write_text(json.dumps(order))
    done = subprocess.run(
        [find_node(), DRIVER, folder / "order.json"],
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-6000:]
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.needs("node")
def test_a_visit(visit: dict[str, Any], browser: str, site: Path) -> None:
    """All of it, in one test: a visit takes a quarter of a minute, and test runners do not share it."""
    checks_that_kernels_are_verified(visit)
    checks_that_bars_are_drawn(visit)
    checks_the_model(visit)
    checks_that_results_are_copied(visit)
    checks_the_sentences(visit)
    checks_a_model_in_parts(visit)
    checks_a_file_that_becomes_shorter(visit["shrunk"])
    assert visit["long"].startswith("long: 1 tensor, 72 bytes; 1 is Q4_0")
    checks_what_a_fault_looks_like(visit["faulty"])
    checks_looks(visit)
    assert visit["complaints"] == []
    hosts = {url.split("/")[2] for url in visit["requests"] if not url.startswith(("blob:", "data:"))}
    assert {host.rpartition(":")[0] for host in hosts} == {"127.0.0.1"}


def checks_that_kernels_are_verified(visit: dict[str, Any]) -> None:
    verified = visit["results"]["verify"]
    assert verified["cases"] == verified["passed"] > 3000
    assert len(verified["kernels"]) >= 9
    assert all(not one["failure"] and not one["skipped"] for one in verified["kernels"])
    assert visit["summary"].startswith(f"All {len(verified['kernels'])} kernels are right: ")


def checks_that_bars_are_drawn(visit: dict[str, Any]) -> None:
    rows = {row["id"]: row for row in visit["results"]["bench"]["rows"]}
    assert list(rows) == [bar["id"] for bar in visit["bars"]] == BARS
    for row in rows.values():
        assert len(row["samples"]) == ROUNDS
        assert row["times"] == pytest.approx(rows["scalar"]["ns"] / row["ns"])
    assert rows["gemv"]["times"] > 2
    widths = {bar["id"]: bar["width"] for bar in visit["bars"]}
    assert widths["gemv"] / widths["scalar"] == pytest.approx(rows["gemv"]["times"], rel=0.02)
    assert all(f"{rows[bar['id']]['ns']:.0f} ns" in bar["text"] for bar in visit["bars"])


def checks_the_model(visit: dict[str, Any]) -> None:
    shown = [row.split("\t")[:2] for row in visit["tensors"]]
    assert shown == [*([name, "Q4_0"] for name in MATRICES), *([name, "F32"] for name in NORM)]
    both = {"with": visit["results"], "without": visit["alone"]}
    for headers, results in both.items():
        model = results["model"]
        assert (model["matrices"], model["rows"], model["wrong"]) == (len(MATRICES), 8 * len(MATRICES), [])
        assert model["bytes"] == COUNTED_BYTES
        assert model["tokensPerSecond"] == pytest.approx(1000 / model["ms"])
        assert results["engine"]["features"]["threads"] is (headers == "with")
        assert model["threads"] == (min(results["engine"]["cores"], 64) if headers == "with" else 1)
    assert "Cross-Origin-Opener-Policy" in visit["alone"]["model"]["threadsReason"]
    assert "all right" in visit["figures"]
    assert "1 tensor of other types" in visit["caveat"]
    assert "counted once, as the output" in visit["caveat"]
    assert visit["dropped"].startswith("model.gguf (test): 6 tensors, ")


def checks_that_results_are_copied(visit: dict[str, Any]) -> None:
    copied = visit["copied"]
    assert "results are in the" in copied["said"]
    if copied["text"] is not None:  # a browser may let nobody read its clipboard
        results = json.loads(copied["text"])
        assert results.pop("when")
        assert results == visit["results"]


def checks_the_sentences(visit: dict[str, Any]) -> None:
    for path, sentence in visit["sentences"].items():
        assert BROKEN[Path(path).stem][1] in sentence, path
        assert sentence.startswith(f"{Path(path).name}: "), path


def checks_a_model_in_parts(visit: dict[str, Any]) -> None:
    whole, part = visit["whole"], visit["part"]
    assert whole["summary"].startswith("3 files: 3 tensors, 216 bytes; 3 are Q4_0")
    assert whole["results"]["parts"] == {"numbers": [1, 2, 3], "count": 3}
    assert whole["results"]["tokensPerSecond"] > 0
    assert part["summary"].endswith(
        "This is part 2 of 3 of a model: choose all its files together for a figure of the whole."
    )
    assert (part["results"]["bytes"], part["results"]["tokensPerSecond"]) == (72, None)
    assert "none: these files are not a whole model" in part["figures"]


def checks_a_file_that_becomes_shorter(shrunk: dict[str, Any]) -> None:
    sentence = "shrinks.gguf: cannot be read, or changed while it was read; choose it again."
    assert (shrunk["multiplied"], shrunk["opened"]) == (sentence, sentence)
    assert shrunk["next"].startswith("model.gguf (test): 6 tensors, ")


def checks_what_a_fault_looks_like(faulty: dict[str, Any]) -> None:
    (alarm,) = faulty["alarms"]
    assert "gemv_q4_0_q8_0_" in alarm
    assert "0x12345678" in alarm
    bars = dict(faulty["bars"])
    rows = {row["id"]: row for row in faulty["results"]["bench"]["rows"]}
    for wrong in ("gemv", "article"):
        assert "Wrong, so it has no speed" in bars[wrong]
        assert (rows[wrong]["ns"], rows[wrong]["samples"]) == (None, [])
    assert rows["relaxed"]["ns"] > 0


def checks_looks(visit: dict[str, Any]) -> None:
    assert visit["overhang"] == {"desktop": 0, "phone": 0, "narrow": 0}
    assert visit["small"] == []
    assert visit["faults"] == []  # what axe finds, of any severity
