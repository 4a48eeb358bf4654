"""A model in batches and row ranges: nothing is lost, nothing is done twice."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from codegen.kernels.registry import fastest
from codegen.models.gguf_file import GGUFFile
from codegen.models.run import batches as batching
from codegen.models.run import session
from codegen.models.run.activations import activations
from codegen.models.run.batches import Group, Part, batches
from codegen.models.run.paths import VecDotPath, path_of
from codegen.spec.strategies import Isa
from tests.gguf_files import write_model

SHAPES = {"a": (40, 64), "b": (3, 32), "c": (40, 64), "d": (17, 96), "e": (40, 64)}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batches") / "model.gguf"
    write_model(path, SHAPES)
    return path


@pytest.mark.parametrize("most", [1, 400, 700, 3000, 1 << 20])
@pytest.mark.parametrize("columns", [1, 50])
def test_every_row_is_in_one_part(
    most: int, columns: int, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "MOST_BYTES", most)
    with GGUFFile.open(model) as file:
        found = list(batches([(matrix, True) for matrix in file.matrices], columns))
        parts = [part for batch in found for group in batch for part in group.parts]
        data = defaultdict(bytes)
        for part in sorted(parts, key=lambda part: part.first):
            assert part.first % 8 == 0
            data[part.matrix.name] += part.data
        assert data == {matrix.name: matrix.read() for matrix in file.matrices}
        for batch in found:
            size = sum(len(p.data) + 4 * columns * p.rows for group in batch for p in group.parts)
            assert size <= max(most, 8 * (54 + 4 * columns))
    assert (len(found) == 1) == (most == 1 << 20)


def test_matrices_of_one_shape_are_a_group_unless_only_some_are_counted(model: Path) -> None:
    with GGUFFile.open(model) as file:
        (batch,) = batches([(matrix, matrix.name != "c") for matrix in file.matrices], 1)
        groups = {"".join(part.matrix.name for part in group.parts): group for group in batch}
        assert {name: group.shape for name, group in groups.items()} == {
            "ae": (40, 64),
            "c": (40, 64),
            "b": (3, 32),
            "d": (17, 96),
        }
        assert not groups["c"].counted and groups["ae"].counted


@pytest.mark.parametrize("contract", ["mul_mat_q4_0", "vec_dot_q4_0_q8_0"])
def test_row_ranges_give_the_same_result(contract: str, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {n: activations(n, 3, 0, None) for n in (32, 64, 96)}

    def result(most: int) -> session.Result:
        monkeypatch.setattr(batching, "MOST_BYTES", most)
        with GGUFFile.open(model) as file:
            return session.run(file, file.matrices, fastest()[contract, Isa.RELAXED], values, 2)

    whole, ranged = result(1 << 20), result(1000)
    for one, other in zip(whole.matrices, ranged.matrices, strict=True):
        assert (one.name, one.rows, one.wrong, one.worst_ulp) == (other.name, other.rows, 0, other.worst_ulp)
        assert other.seconds is not None and other.seconds > 0
    assert whole.passed and ranged.passed
    assert [(one.rows, one.matrices) for one in whole.shapes] == [(3, 1), (40, 3), (17, 1)]
    assert sum(one.rows * one.matrices for one in ranged.shapes) == 140
    for path in ranged.paths:
        if path.name.startswith("native "):  # too short to be told of matrices as small as these
            continue
        total = sum(one.seconds[path.name] or 0 for one in ranged.shapes)
        assert len(path.rounds) == 2
        assert ranged.seconds(path) == pytest.approx(total)  # of two, a median is the mean


@pytest.mark.parametrize("contract", ["mul_mat_q4_0", "vec_dot_q4_0_q8_0"])
def test_what_is_timed_is_every_matrix_of_a_group(contract: str, model: Path) -> None:
    """The driver's last call is for the last matrix, its results are in memory."""
    path = path_of(fastest()[contract, Isa.RELAXED])
    values = {64: activations(64, 2, 0, None)}
    with GGUFFile.open(model) as file:
        parts = [Part(file.matrix(name), 0, 40, True) for name in "ace"]
        group = Group(tuple(parts))
        path.place([group], values)
        path.arena.view(path.s, 4 * 2 * 40)[:] = 0xFF
        assert path.seconds(group, 3) > 0
        got = path.arena.view(path.s, 4 * 2 * 40).copy().view("<f4").reshape(2, 40)
        wanted = [path.products(part) for part in parts]
        assert np.array_equal(got, wanted[2])
        assert not np.array_equal(wanted[1], wanted[2])


def test_a_path_that_is_given_others_forgets_the_first(model: Path) -> None:
    path = VecDotPath(fastest()["vec_dot_q4_0_q8_0", Isa.RELAXED])
    with GGUFFile.open(model) as file:
        one, other = (Part(file.matrix(name), 0, rows, True) for name, rows in (("a", 40), ("b", 3)))
        values = {n: activations(n, 1, 0, None) for n in (32, 64)}
        path.place([Group((one,))], values)
        path.place([Group((other,))], values)
        with pytest.raises(KeyError):
            path.products(one)
