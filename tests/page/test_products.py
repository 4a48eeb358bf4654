"""The page's timing, in node: a browser's clock may have steps far longer than the product of a small matrix."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from codegen.engines.javascript import find_node
from codegen.products.page.build import SOURCES

pytestmark = pytest.mark.needs("node")

STEP_MS = 100
"""Of Firefox's clock where it resists fingerprinting."""

PRODUCT_MS = 0.002

SCRIPT = """
const [, , products, step, product] = process.argv;
let now = 0;
performance.now = () => Math.floor(now / step) * step;
const { multiply } = await import(products);
const ggml = {
  threads: 1,
  matrix: () => ({ free() {} }),
  mulMat: async () => new Float32Array(2),
  mulMatSync: () => (now += Number(product)),
};
const files = [new File([new Uint8Array(72)], "model.gguf")];
const tensors = [{ name: "a", type: "Q4_0", shape: [64, 2], file: 0, at: 0, bytes: 72 }];
console.log(JSON.stringify(await multiply(files, tensors, ggml, () => {})));
"""


def test_a_time_shorter_than_the_clocks_steps_is_told(tmp_path: Path) -> None:
    (tmp_path / "script.mjs").write_text(SCRIPT)
    words = ((SOURCES / "products.js").as_uri(), str(STEP_MS), str(PRODUCT_MS))
    done = subprocess.run(
        [find_node(), tmp_path / "script.mjs", *words], check=True, capture_output=True, text=True, timeout=60
    )
    assert json.loads(done.stdout)["msOneThread"] == pytest.approx(PRODUCT_MS, rel=STEP_MS / 400)
