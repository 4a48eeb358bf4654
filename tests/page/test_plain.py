"""The page's own products in plain JavaScript, which results are held to: against the oracle."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, quants

from codegen.engines.javascript import find_node
from codegen.formats import Q8_0
from codegen.formats.quantise import quantize_q8_0
from codegen.oracle.dot import dot_rows
from codegen.products.page.build import SOURCES

pytestmark = pytest.mark.needs("node")

N, ROWS = 256, 8

SCRIPT = """
const { activations, isProduct, quantised } = await import(process.argv[1]);
const { n, weights, results } = JSON.parse(process.argv[2]);
const blocks = quantised(activations(n));
const row = (i) => Uint8Array.from(Buffer.from(weights[i], "hex"));
const judged = results.map((each, i) => each.map((result) => isProduct(result ?? NaN, row(i), blocks)));
console.log(JSON.stringify({ values: [...activations(n)], blocks, judged }));
"""


@pytest.fixture(scope="module")
def node() -> Path:
    return find_node()


def rows_of_weights(rows: int) -> list[bytes]:
    values = np.random.default_rng(1).standard_normal((rows, N), np.float32)
    return [row.tobytes() for row in quants.quantize(values, GGMLQuantizationType.Q4_0)]


def run(node: Path, weights: list[bytes], results: list[list[float | None]]) -> dict[str, list]:
    order = json.dumps({"n": N, "weights": [row.hex() for row in weights], "results": results})
    command = [node, "--input-type=module", "-e", SCRIPT, (SOURCES / "plain.js").as_uri(), order]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)


def test_activations_are_quantised_as_by_the_oracle(node: Path) -> None:
    seen = run(node, [], [])
    values = np.array(seen["values"], np.float32)
    assert values.std() == pytest.approx(1, rel=0.2)
    blocks = np.frombuffer(quantize_q8_0(values), np.uint8).reshape(-1, Q8_0.bytes)
    for got, block in zip(seen["blocks"], blocks, strict=True):
        assert got["scale"] == block[:2].view("<f2")[0]
        assert got["values"] == block[2:].view(np.int8).tolist()


def test_what_is_right_passes_and_what_is_off_by_a_little_does_not(node: Path) -> None:
    values = np.array(run(node, [], [])["values"], np.float32)
    weights = rows_of_weights(ROWS)
    exact = dot_rows(b"".join(weights), quantize_q8_0(values), ROWS, N)
    results = []
    for one in exact:
        right, off = float(np.float32(float(one.value))), 1e-5 * float(one.magnitude)
        results.append([right, right + off, right - off, None])
    for judged in run(node, weights, results)["judged"]:
        assert judged == [True, False, False, False]


def test_a_row_with_an_infinite_scale_must_not_be_finite(node: Path) -> None:
    (row,) = rows_of_weights(1)
    infinite = bytes([0x00, 0x7C]) + row[2:]
    assert run(node, [infinite], [[1.0, None]])["judged"] == [[False, True]]
