"""The page's reader of GGUF files, in node, beside Python's: the same files, the same verdicts, the same words."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from codegen.base.errors import GGUFError
from codegen.engines.javascript import find_node
from codegen.models.gguf_scan import Scan
from codegen.models.gguf_source import Source
from codegen.products.page.build import SOURCES
from codegen.products.page.data import gguf_types
from tests.gguf_cases import LONG, SOUND, UNSOUND
from tests.gguf_parts import PARTS
from tools.fuzz.gguf_models import crowded_model, lie, sound_model
from tools.fuzz.mutations import mutate

READER = Path(__file__).with_name("read.mjs")
pytestmark = pytest.mark.needs("node")

LIES = 400

Models = Iterable[list[Path]]


@pytest.fixture(scope="module")
def node() -> Path:
    return find_node()


def written(folder: Path, contents: Iterable[bytes]) -> list[Path]:
    paths = []
    for number, content in enumerate(contents):
        paths.append(folder / f"{number}.gguf")
        paths[-1].write_bytes(content)
    return paths


def on_the_page(node: Path, folder: Path, models: Models) -> list[dict[str, Any]]:
    """What the page makes of each model, of the files that are chosen for it."""
    order = {
        "reader": (SOURCES / "gguf.js").as_uri(),
        "types": gguf_types(),
        "models": [[str(path) for path in paths] for paths in models],
    }
    (folder / "order.json").write_text(json.dumps(order))
    command = [node, READER, folder / "order.json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def in_python(path: Path) -> dict[str, Any]:
    """What Python makes of a file, in the page's form."""
    source = Source(path)
    try:
        header = Scan(source).header()
    except GGUFError as error:
        return {"message": str(error).replace(str(path), path.name, 1) + "."}
    finally:
        source.close()
    split = header.split
    return {
        "parts": {"numbers": [split.number if split else 1], "count": split.count if split else 1},
        "tensors": [
            {
                "name": tensor.name,
                "type": tensor.type,
                "shape": list(tensor.dims),
                "at": tensor.start,
                "bytes": tensor.end - tensor.start,
                "file": 0,
            }
            for tensor in header.tensors
        ],
    }


def assert_agree(node: Path, paths: list[Path], names: Iterable[str]) -> list[dict[str, Any]]:
    found = on_the_page(node, paths[0].parent, [[path] for path in paths])
    for name, path, seen in zip(names, paths, found, strict=True):
        seen.pop("name", None)
        assert seen == in_python(path), name
    return found


def test_sound_files_have_the_same_tensors(node: Path, tmp_path: Path) -> None:
    found = assert_agree(node, written(tmp_path, SOUND.values()), SOUND)
    assert all("tensors" in seen for seen in found)


def test_unsound_files_are_refused_in_the_same_words(node: Path, tmp_path: Path) -> None:
    found = assert_agree(node, written(tmp_path, (content for content, _ in UNSOUND.values())), UNSOUND)
    for seen, (_, expected) in zip(found, UNSOUND.values(), strict=True):
        assert expected in seen["message"]


def test_long_headers_are_read(node: Path, tmp_path: Path) -> None:
    paths = written(tmp_path, (make() for make in LONG.values()))
    start = time.perf_counter()
    found = on_the_page(node, tmp_path, [[path] for path in paths])
    assert time.perf_counter() - start < 30
    assert [seen.get("message", len(seen["tensors"])) for seen in found] == [1, 1, 100, 2]


def test_lies_are_found_by_both_or_by_neither(node: Path, tmp_path: Path) -> None:
    random = Random(12)
    contents = []
    for number in range(LIES):
        model = crowded_model(random) if number % 50 == 0 else sound_model(random)
        lie(random, model)
        content = model.content()
        contents.append(mutate(random, content, content) if number % 4 == 0 else content)
    found = assert_agree(node, written(tmp_path, contents), map(str, range(LIES)))
    assert LIES // 20 < sum("tensors" in seen for seen in found) < LIES - LIES // 20


def test_files_that_are_chosen_together_are_one_model(node: Path, tmp_path: Path) -> None:
    models = []
    for number, case in enumerate(PARTS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in case.files.items():
            (folder / name).write_bytes(content)
        models.append([folder / name for name in case.files])
    found = on_the_page(node, tmp_path, models)
    for (name, case), seen in zip(PARTS.items(), found, strict=True):
        if case.wrong:
            assert case.wrong in seen["message"], name
        else:
            assert seen["parts"] == {"numbers": [1, 2, 3], "count": 3}, name
    first, second, third = models[0]
    shuffled, some, foreign, twice = on_the_page(
        node,
        tmp_path,
        [
            [third, first, second],
            [second, first],
            [first, *written(tmp_path, [SOUND["one tensor"]])],
            [first, second, first],
        ],
    )
    assert [(one["name"], one["file"]) for one in shuffled["tensors"]] == [("a", 1), ("b", 2), ("c", 0)]
    assert some["parts"] == {"numbers": [1, 2], "count": 3}
    assert foreign["message"].startswith("0.gguf: not a part of one model with the others; choose")
    assert twice["message"] == "model-00001-of-00003.gguf: chosen twice; choose each part once."
