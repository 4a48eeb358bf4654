"""Kernels that go together: there always are some, whatever a tuning file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen import Isa, KernelSpec
from codegen.kernels import shipped
from codegen.kernels.registry import registered
from codegen.kernels.tuning import Candidate, ContractTuning, Tuning
from codegen.products.linking.kernel_set import kernel_set
from codegen.spec.options import Memory

OPERATIONS = ["vec_dot", "quantize_row", "pack_activations", "repack", "gemv", "gemm", "mul_mat"]


@pytest.mark.parametrize("engine", [one.engine for one in shipped.files()])
@pytest.mark.parametrize("isa", Isa)
def test_they_read_what_one_of_them_makes(isa: Isa, engine: str) -> None:
    specs = kernel_set(isa, Memory.IMPORT, engine)
    assert [spec.op for spec in specs] == OPERATIONS
    assert len({spec.record for spec in specs if spec.op in ("pack_activations", "gemv", "gemm")}) == 1
    assert {spec.memory for spec in specs} == {Memory.IMPORT}


@pytest.mark.parametrize(
    "best",
    [spec for spec in registered() if spec.op in ("gemv", "gemm")],
    ids=lambda spec: spec.name,
)
def test_a_tuning_of_one_kernel_is_enough(best: KernelSpec, tmp_path: Path) -> None:
    candidate = Candidate(best, 3, 100.0, 9.0, 8.0, 10.0)
    sweep = ContractTuning("2026-11-30T00:00:00+00:00", 4096, "l2", 31, True, (candidate,), {best.isa: best})
    path = Tuning("wasmtime", "50", "x86_64", "a processor", {best.contract: sweep}).save(tmp_path)
    specs = kernel_set(best.isa, Memory.EXPORT, str(path))
    assert [spec.op for spec in specs] == OPERATIONS
    assert len({spec.record for spec in specs if spec.op in ("pack_activations", "gemv", "gemm")}) == 1
