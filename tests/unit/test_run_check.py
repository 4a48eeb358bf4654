"""The check of a model's products notices what is wrong, and only that; GGML's own results pass it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from codegen.base.errors import InputError
from codegen.kernels.registry import fastest
from codegen.models.gguf_file import GGUFFile
from codegen.models.run import check as checking
from codegen.models.run import native_paths
from codegen.models.run.activations import activations
from codegen.models.run.batches import Group, Part
from codegen.models.run.check import Verdict, check
from codegen.models.run.paths import F32, MulMatPath, VecDotPath, WasmPath
from codegen.spec.strategies import Isa
from tests.gguf_files import write_model

ROWS, N, COLUMNS = 21, 64, 5
VALUES = activations(N, COLUMNS, 0, None)


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Part]:
    path = tmp_path_factory.mktemp("check") / "model.gguf"
    write_model(path, {"a": (ROWS, N)})
    with GGUFFile.open(path) as file:
        yield Part(file.matrices[0], 0, ROWS, True)


def placed(kind: type[WasmPath], part: Part) -> WasmPath:
    path = kind(fastest()["mul_mat_q4_0" if kind is MulMatPath else "vec_dot_q4_0_q8_0", Isa.RELAXED])
    path.place([Group((part,))], {N: VALUES})
    return path


def verdict_of(path: WasmPath, part: Part) -> Verdict:
    verdict = Verdict()
    check(part, [path], VALUES, {path.name: verdict})
    return verdict


def one_ulp(results: F32) -> None:
    results[2, 7] = np.nextafter(results[2, 7], np.float32(np.inf))  # row 7's own column is 2


def another_column(results: F32) -> None:
    results[4, 7] = np.nextafter(results[4, 7], np.float32(np.inf))


def swapped_rows(results: F32) -> None:
    results[:, [3, 4]] = results[:, [4, 3]]


def last_row(results: F32) -> None:
    results[ROWS % COLUMNS - 1, ROWS - 1] *= 1.01


def no_number(results: F32) -> None:
    results[0, 0] = np.nan


def nothing(results: F32) -> None:
    pass


@pytest.mark.parametrize("at_once", [1 << 21, 5 * N])
@pytest.mark.parametrize(
    ("kind", "fault", "wrong", "first"),
    [
        (MulMatPath, nothing, 0, ""),
        (VecDotPath, nothing, 0, ""),
        (MulMatPath, one_ulp, 1, "row 7: column 2: "),
        (MulMatPath, another_column, 1, "row 7: column 4: "),
        (VecDotPath, another_column, 0, ""),
        (MulMatPath, swapped_rows, 2, "row 3: "),
        (VecDotPath, swapped_rows, 2, "row 3: "),
        (MulMatPath, last_row, 1, "row 20: "),
        (VecDotPath, last_row, 1, "row 20: "),
        (MulMatPath, no_number, 1, "row 0: nan, expected "),
    ],
)
def test_faults_are_found(
    kind: type[WasmPath],
    fault: Callable[[F32], None],
    wrong: int,
    first: str,
    at_once: int,
    part: Part,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "_WEIGHTS_AT_ONCE", at_once)
    path = placed(kind, part)
    results = path.products(part)
    fault(results)
    monkeypatch.setattr(path, "products", lambda _: results)
    verdict = verdict_of(path, part)
    assert verdict.wrong == wrong
    assert verdict.first_wrong.startswith(first)
    assert bool(verdict.first_wrong) == bool(wrong)


@pytest.mark.parametrize("rows", [3, 16, 21])
@pytest.mark.parametrize("columns", [1, 4, 6])
def test_ggml_computes_the_same_whole_groups_or_not(rows: int, columns: int, part: Part) -> None:
    values = activations(N, columns, 1, None)
    some = Part(part.matrix, 0, rows, True)
    try:
        with native_paths.paths() as paths:
            verdicts = {path.name: Verdict() for path in paths}
            for path in paths:
                path.place([Group((some,))], {N: values})
                assert path.products(some).shape == (columns, rows)
            check(some, paths, values, verdicts)
            assert {name: verdict.wrong for name, verdict in verdicts.items()} == dict.fromkeys(verdicts, 0)
    except InputError as error:
        pytest.skip(str(error))
