"""The module in every engine: typed calls on the conformance vectors, memory, errors and threads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from codegen.engines.pages import ISOLATED
from codegen.kernels.spec import KernelSpec
from codegen.products.javascript.bundles import bundles
from tests import needs
from tests.javascript.packages import BROWSERS, PROGRAMS, SCRIPTS, report, site

VECTORS = Path(__file__).parents[1] / "vectors"

RELAXED_IS_WRONG = ("node-noavx",)


@cache
def vectors_of(interface: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((VECTORS / f"{interface}.json").read_text())["cases"]
    return cases


def typed_cases(spec: KernelSpec) -> Iterator[dict[str, Any]]:
    """Cases that have a typed call: which allow no gaps, and of matrices no sizes of 0."""
    for case in vectors_of(spec.interface):
        if case.get("trap") or case.get("align") or case.get("place") or case["name"].startswith("nothing"):
            continue
        asked = _sizes(spec.op, case)
        if asked is None:
            continue
        (output,) = (one for one in case["outputs"].values() if "scratch" not in one)
        yield {
            "name": case["name"],
            "inputs": case["inputs"],
            "wanted": output.get("bytes", output.get("f32")),
            **asked,
        }


def _sizes(op: str, case: dict[str, Any]) -> dict[str, int] | None:
    arguments = case["arguments"]
    if op in ("vec_dot", "quantize_row"):
        return {}
    if op in ("repack", "pack_activations"):
        n, _, _, stride, count = arguments
        row = 4 * n if op == "pack_activations" else n // 32 * 18
        return {"n": n, "rows": count} if stride == row and n else None
    n, _, bs, _, _, *rest = arguments
    if op == "mul_mat":
        by, columns, rows, _ = rest
        contiguous = by == 4 * n and bs == rows
    else:
        columns, rows = rest
        contiguous = bs == rows and (op == "gemm" or columns == 1)
    return {"n": n, "rows": rows, "columns": columns} if contiguous and n else None


@pytest.fixture(scope="module")
def tests(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with all scripts."""
    scripts = [path.name for path in SCRIPTS.glob("*.mjs")]
    folder = site(tmp_path_factory.mktemp("module"), dist, None, *scripts)
    (folder / "all.mjs").rename(folder / "report.mjs")
    cases = {one.name: {spec.op: list(typed_cases(spec)) for spec in one.specs} for one in bundles()}
    for found in cases.values():
        # mul_mat's operands are interleaved, and matrix() takes rows
        found["mul_mat"] = [_with_rows(case) for case in found["mul_mat"]]
        assert all(found.values())
    (folder / "vectors.json").write_text(json.dumps(cases))
    return folder


def _with_rows(case: dict[str, Any]) -> dict[str, Any]:
    from codegen.oracle.matrix import deinterleave

    rows = deinterleave(bytes.fromhex(case["inputs"]["x"]), case["rows"], case["n"])
    return {**case, "inputs": {**case["inputs"], "x": rows.hex()}}


SUITES = {"calls": 10, "memory": 8, "errors": 30, "threads": 8}
"""Tests that each has at least."""


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("name", needs.each(*PROGRAMS))
def test_a_suite_in_an_engine(name: str, suite: str, tests: Path) -> None:
    check(name, report(name, tests, suites=(suite,)), SUITES[suite])


@pytest.mark.parametrize("name", needs.each(*BROWSERS))
def test_everything_in_a_browser(name: str, tests: Path) -> None:
    check(name, report(name, tests, ISOLATED), sum(SUITES.values()))


def check(name: str, found: dict[str, Any], least: int) -> None:
    """Nothing is wrong, in the instruction set that an engine has."""
    assert found["wrong"] == {}
    assert found["count"] >= least
    if name in RELAXED_IS_WRONG and found["isa"] != "relaxed":
        assert found["isa"] == "simd128"
        assert "i16x8.relaxed_dot_i8x16_i7x16_s" in found["rejected"][0]["reason"]
    else:
        assert (found["isa"], found["rejected"]) == ("relaxed", [])
