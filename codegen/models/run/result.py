"""What a run found: of each matrix, of each way to multiply, and of a token."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from statistics import median

from codegen.models.gguf_file import LeftOut
from codegen.models.gguf_split import Parts
from codegen.speed.bench.statistics import Ratio, speedup


@dataclass(frozen=True)
class MatrixResult:
    """One matrix times the activations.

    Attributes:
        name: the tensor's name.
        rows: of weights.
        columns: elements in each.
        counted: whether a token's time has it in it.
        worst_ulp: the largest error, in ulps of the sum of |S * dx * dy|.
        wrong: rows with a wrong result.
        first_wrong: what the first of them is, empty where there is none.
        seconds: what it takes, the mean of the matrices of its shape; None where it is not counted,
            or where the clock cannot tell it from nothing.
    """

    name: str
    rows: int
    columns: int
    counted: bool
    worst_ulp: float
    wrong: int
    first_wrong: str
    seconds: float | None


@dataclass(frozen=True)
class ShapeResult:
    """The counted matrices of one shape, or ranges of rows where a matrix was too large for one call.

    Attributes:
        rows: of weights.
        columns: elements in each.
        matrices: how many there are.
        seconds: median time of all of them together, by path; None where the clock cannot tell it
            from nothing.
    """

    rows: int
    columns: int
    matrices: int
    seconds: dict[str, float | None]


@dataclass(frozen=True)
class PathResult:
    """One way to multiply all counted matrices.

    Attributes:
        name: a kernel's, or `native` and a function of GGML's.
        label: shorter.
        rounds: seconds of all products, in each round; 0 where they cannot be told from nothing.
        wrong: rows that it has wrong.
        first_wrong: what the first of them is.
    """

    name: str
    label: str
    rounds: tuple[float, ...]
    wrong: int
    first_wrong: str


@dataclass(frozen=True)
class Result:
    """A whole run.

    Attributes:
        model: the file.
        kernel: the one that was asked for, whose figures matrices have.
        activations: columns of them.
        matrices: in the file's order.
        shapes: of the counted ones.
        paths: the kernel's first.
        repack_seconds: CPU time of interleaving all weights, once for all tokens; 0 where the kernel needs none.
        absent: why there is no native GGML to compare with, empty where there is.
        left_out: tensors that are no Q4_0 matrices.
        parts: of the model, which have been read.
        whole: whether the matrices are all that the model has, so that a token's time can be told.
    """

    model: str
    kernel: str
    activations: int
    matrices: tuple[MatrixResult, ...]
    shapes: tuple[ShapeResult, ...]
    paths: tuple[PathResult, ...]
    repack_seconds: float
    absent: str
    left_out: tuple[LeftOut, ...]
    parts: Parts
    whole: bool

    @property
    def passed(self) -> bool:
        """Whether all that kernels computed is right."""
        return not any(path.wrong for path in self.paths if not path.name.startswith("native "))

    @property
    def weights(self) -> int:
        """Of the counted matrices."""
        return sum(one.rows * one.columns for one in self.matrices if one.counted)

    def seconds(self, path: PathResult) -> float | None:
        """Median time of all products; None where none are counted, or a round cannot tell it."""
        return median(path.rounds) if path.rounds and all(path.rounds) else None

    def tokens_per_second(self, path: PathResult) -> float | None:
        """An estimate, from matrix products only.

        None where they are not a whole model's, are wrong, or take too short to be told.
        """
        seconds = self.seconds(path)
        if not self.whole or path.wrong or seconds is None:
            return None
        return self.activations / seconds

    def ratio(self, path: PathResult) -> Ratio | None:
        """How many times as fast as this path the kernel is."""
        ours = self.paths[0]
        times = self.seconds(path), self.seconds(ours)
        if path is ours or path.wrong or ours.wrong or None in times:
            return None
        return speedup(path.rounds, ours.rounds)

    def to_json(self) -> str:
        """All of it."""
        document = {
            "model": self.model,
            "parts": dataclasses.asdict(self.parts),
            "kernel": self.kernel,
            "columns": self.activations,
            "repack_seconds": self.repack_seconds,
            "native_absent": self.absent,
            "matrices": [
                dataclasses.asdict(one) | _weights_per_second(one, self.activations) for one in self.matrices
            ],
            "shapes": [dataclasses.asdict(one) for one in self.shapes],
            "paths": [
                dataclasses.asdict(one)
                | {
                    "seconds": self.seconds(one),
                    "tokens_per_second": self.tokens_per_second(one),
                    "speedup": _ratio(self.ratio(one)),
                }
                for one in self.paths
            ],
            "left_out": [dataclasses.asdict(one) for one in self.left_out],
        }
        return json.dumps(document, indent=2)


def _weights_per_second(matrix: MatrixResult, columns: int) -> dict[str, float | None]:
    products = matrix.rows * matrix.columns * columns
    return {"weights_per_second": products / matrix.seconds if matrix.seconds else None}


def _ratio(found: Ratio | None) -> dict[str, float] | None:
    """With the interval that is known: JSON has no infinity."""
    return {"value": found.value, "low": found.drawn[0], "high": found.drawn[1]} if found else None
