"""The kinds of products that are compared: row by row, and as matrices, with one column and with many."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.kernels.spec import KernelSpec
from codegen.products.report import variants
from codegen.products.report.variants import Variant
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from codegen.speed.bench.frozen import ARTICLE
from codegen.speed.bench.native_functions import GEMM, GEMV
from codegen.speed.bench.result import Measurement, Result
from codegen.speed.bench.table import BASELINE

MANY = 32
"""Columns of activations of a gemm."""


@dataclass(frozen=True)
class Kind:
    """A way to multiply.

    Attributes:
        op: the operation, or the native function.
        columns: of activations.
        isa: what the kernel may use; None for native code.
    """

    op: str
    columns: int
    isa: Isa | None = None

    @property
    def variant(self) -> Variant:
        """Whose colour it has."""
        return variants.OF_ISA[self.isa] if self.isa else variants.NATIVE

    @property
    def label(self) -> str:
        """In words."""
        name = self.op if self.isa else f"native {_NATIVE[self.op]}"
        words = {Isa.SCALAR: ", scalar", Isa.SIMD128: ", SIMD", Isa.RELAXED: ", relaxed"}
        many = f" x {self.columns}" if self.columns > 1 else ""
        return f"{name}{many}{words[self.isa] if self.isa else ''}"

    def find(self, result: Result, engine: str) -> Measurement | None:
        """The fastest of this kind in an engine, or the native function; None where there is none."""
        if self.isa:
            return fastest(result, engine, self.op, self.isa, self.columns)
        return next(
            (one for one in result.right if (one.kernel, one.columns) == (self.op, self.columns)), None
        )


_NATIVE = {native.NAME: "vec_dot", GEMV: "gemv", GEMM: "gemm"}

KINDS = (
    Kind("vec_dot", 1, Isa.SCALAR),
    *(Kind(op, 1, isa) for op in ("vec_dot", "gemv") for isa in (Isa.SIMD128, Isa.RELAXED)),
    Kind("mul_mat", 1, Isa.RELAXED),
    *(Kind(op, MANY, isa) for op in ("gemm", "mul_mat") for isa in (Isa.SIMD128, Isa.RELAXED)),
    Kind(native.NAME, 1),
    Kind(GEMV, 1),
    Kind(GEMM, MANY),
)
"""In the order of pictures."""


def fastest(result: Result, engine: str, op: str, isa: Isa, columns: int) -> Measurement | None:
    """The fastest right kernel of an operation and ISA in an engine; of scalar dot products, the baseline."""
    found = []
    for one in result.right:
        if (
            one.engine != engine
            or one.columns != columns
            or one.kernel in (native.NAME, GEMV, GEMM, ARTICLE.name)
        ):
            continue
        spec = KernelSpec.parse(one.kernel)
        plain = spec.name == BASELINE or not (op == "vec_dot" and isa is Isa.SCALAR)
        if (spec.op, spec.isa) == (op, isa) and plain:
            found.append(one)
    return min(found, key=lambda one: one.summary.median, default=None)


def baseline(result: Result, one: Measurement, engine: str) -> Measurement | None:
    """Scalar code in an engine, on the same problem."""
    return result.beside(one, BASELINE, engine)


def engines(result: Result) -> list[str]:
    """The engines in which the baseline was measured, in the run's order."""
    return list(dict.fromkeys(one.engine for one in result.right if one.kernel == BASELINE))


def found(result: Result, engine: str) -> dict[Kind, Measurement]:
    """What an engine and native code did of each kind."""
    each = {kind: kind.find(result, engine) for kind in KINDS}
    return {kind: one for kind, one in each.items() if one}
