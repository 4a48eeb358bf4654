"""The README's Python, as it is written there."""

import re
from pathlib import Path
from typing import Any

from codegen.formats.quantise import quantize_q8_0
from codegen.verify.tile.model import products

README = Path(__file__).resolve().parents[2] / "README.md"


def test_its_python_runs_as_written(capsys) -> None:  # type: ignore[no-untyped-def]
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL):
        exec(block, names)
    assert "(module" in capsys.readouterr().out
    weights, columns = names["weights"].tobytes(), quantize_q8_0(names["values"][:2])
    assert (names["results"] == products(weights, columns, names["rows"], 2, names["n"])).all()
