"""The README's Python, as it is written there."""

import re
from pathlib import Path

import numpy as np

from codegen.inputs import rng_of
from codegen.ops.gemm.cases import random_case
from codegen.ops.gemm.model import products
from codegen.reference import quantize_q8_0

README = Path(__file__).resolve().parents[2] / "README.md"


def test_its_python_runs_as_written(capsys) -> None:  # type: ignore[no-untyped-def]
    dots, matrices = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    case = random_case("readme", 7, 1, 3)
    names = {"x": case.x, "y": case.y, "n": case.n, "weights": case.x, "rows": case.rows}
    exec(dots, names)
    assert "(module" in capsys.readouterr().out
    activations = rng_of("readme").standard_normal((2, case.n)).astype(np.float32)
    names["activations"] = activations
    exec(matrices, names)
    wanted = products(case.x, quantize_q8_0(activations), case.rows, 2, case.n)
    assert (names["results"] == wanted).all()
