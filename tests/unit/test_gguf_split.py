"""Models that are split into several files."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from codegen.base.errors import GGUFError
from codegen.models.gguf_file import GGUFFile
from tests.gguf_parts import PARTS, Files

NAMES = "model-{:05d}-of-00003.gguf"


def write(folder: Path, files: Files) -> list[Path]:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def names(path: Path) -> list[str]:
    with GGUFFile.open(path) as model:
        return [matrix.name for matrix in model.matrices]


@pytest.mark.parametrize("given", [0, 1, 2])
def test_any_part_gives_the_whole_model(given: int, tmp_path: Path) -> None:
    paths = write(tmp_path, PARTS["all"].files)
    with GGUFFile.open(paths[given]) as model:
        assert [matrix.name for matrix in model.matrices] == ["a", "b", "c"]
        assert [matrix.read()[:1] for matrix in model.matrices] == [b"a", b"b", b"c"]
        assert (model.parts.numbers, model.parts.complete) == ((1, 2, 3), True)


@pytest.mark.parametrize(
    ("missing", "given", "wanted", "told"),
    [
        ((2, 3), 1, ["a"], "part 1 of 3"),
        ((3,), 1, ["a", "b"], "2 of 3 parts"),
        ((1,), 3, ["b", "c"], "2 of 3 parts"),
        ((1, 3), 2, ["b"], "part 2 of 3"),
    ],
)
def test_parts_that_are_not_there_are_told(
    missing: Sequence[int], given: int, wanted: list[str], told: str, tmp_path: Path
) -> None:
    write(tmp_path, PARTS["all"].files)
    for number in missing:
        (tmp_path / NAMES.format(number)).unlink()
    with GGUFFile.open(tmp_path / NAMES.format(given)) as model:
        assert [matrix.name for matrix in model.matrices] == wanted
        assert (str(model.parts), model.parts.complete) == (told, False)
        assert NAMES.format(missing[0])[len("model") :] in model.parts.mend
        with pytest.raises(GGUFError, match=rf"no tensor 'z' in {told}; its Q4_0 tensors are"):
            model.matrix("z")


def test_a_part_with_another_name_is_read_alone(tmp_path: Path) -> None:
    paths = write(tmp_path, PARTS["all"].files)
    paths[0].rename(tmp_path / "other.gguf")
    with GGUFFile.open(tmp_path / "other.gguf") as model:
        assert str(model.parts) == "part 1 of 3"


def test_a_first_part_without_tensors_asks_for_the_others(tmp_path: Path) -> None:
    first, *others = write(tmp_path, PARTS["a first part without tensors"].files)
    assert names(first) == ["b", "c"]
    for other in others:
        other.unlink()
    with pytest.raises(
        GGUFError, match=r"part 1 of 3, with no Q4_0 tensor.*put all parts into one folder"
    ) as caught:
        GGUFFile.open(first)
    assert "requantise" not in str(caught.value)


@pytest.mark.parametrize("case", [name for name, case in PARTS.items() if case.wrong])
def test_parts_that_do_not_belong_together_are_refused(case: str, tmp_path: Path) -> None:
    first, *_ = write(tmp_path, PARTS[case].files)
    with pytest.raises(GGUFError, match=re.escape(PARTS[case].wrong)):
        GGUFFile.open(first)


def test_a_part_that_is_damaged_is_named(tmp_path: Path) -> None:
    first, second, _ = write(tmp_path, PARTS["all"].files)
    second.write_bytes(second.read_bytes()[:-40])
    with pytest.raises(GGUFError, match=r"00002-of-00003.gguf: tensor 'b' ends at byte"):
        GGUFFile.open(first)


def test_a_part_is_not_requantised_alone(tmp_path: Path) -> None:
    first, *_ = write(tmp_path, PARTS["all"].files)
    done = subprocess.run(
        [sys.executable, "examples/requantise.py", first, tmp_path / "out.gguf"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "one of 3 parts; `llama-gguf-split --merge` makes one file of them" in done.stderr
    assert not (tmp_path / "out.gguf").exists()
