"""Results of a model's matrices against the exact ones, and against the additions that matrix kernels share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codegen.formats import Q4_0, Q8_0
from codegen.formats.quantise import quantize_q8_0
from codegen.models.run.batches import Part
from codegen.models.run.paths import F32, Path
from codegen.oracle.dot import Expected, dot_rows
from codegen.verify.dot.judge import differs, mismatch, ulps
from codegen.verify.tile.model import products

_WEIGHTS_AT_ONCE = 1 << 21
"""That the oracle decodes: bounds its memory."""


@dataclass
class Verdict:
    """What was found of a path's rows so far.

    Attributes:
        worst_ulp: the largest error, in ulps of the sum of |S * dx * dy|.
        wrong: rows that have a wrong result.
        first_wrong: what the first of them is, empty where there is none.
    """

    worst_ulp: float = 0.0
    wrong: int = 0
    first_wrong: str = ""

    def fault(self, row: int, reason: str) -> None:
        """Counts a wrong row."""
        self.wrong += 1
        self.first_wrong = self.first_wrong or f"row {row}: {reason}"


def check(part: Part, paths: Sequence[Path], values: F32, verdicts: Mapping[str, Verdict]) -> None:
    """Adds a part's rows to the verdicts, by paths' names.

    Row r of a matrix is held against its exact product with column r modulo the number of columns; where a path adds
    in the shared order, its results with all columns must have the bits of that.

    Args:
        part: placed in all paths.
        paths: that multiply it.
        values: its activations, shape (columns, n).
        verdicts: what is known of the matrix.
    """
    y, columns, blocks = quantize_q8_0(values), len(values), Q4_0.blocks(part.n)
    got = {path.name: path.products(part) for path in paths}
    for first, rows in _ranges(part):
        exact = _exact(part, first, rows, y, columns)
        bits = products(part.range(first, rows), y, rows, columns, part.n)
        for path in paths:
            results, verdict = got[path.name][:, first : first + rows], verdicts[path.name]
            same = _same_bits(results, bits) if path.ordered else None
            own = (part.first + np.arange(first, first + results.shape[1])) % columns
            values_of_own = results[own, np.arange(results.shape[1])].tolist()
            for row, (value, expected) in enumerate(zip(values_of_own, exact, strict=False)):
                verdict.worst_ulp = max(verdict.worst_ulp, ulps(value, expected))
                wrong = mismatch(value, expected, path.bound(expected, blocks))
                if not wrong and same is not None and not same[:, row].all():
                    wrong = _other_bits(results[:, row], bits[:, row], same[:, row])
                if wrong:
                    verdict.fault(part.first + first + row, wrong)


def _ranges(part: Part) -> Iterator[tuple[int, int]]:
    step = max(1, _WEIGHTS_AT_ONCE // max(part.n, 1))
    for first in range(0, part.rows, step):
        yield first, min(step, part.rows - first)


def _exact(part: Part, first: int, rows: int, y: bytes, columns: int) -> list[Expected]:
    """A row's exact product with the column that is its own."""
    data = part.range(first, rows)
    if columns == 1:
        return dot_rows(data, y, rows, part.n)
    each = np.frombuffer(y, np.uint8).reshape(columns, Q8_0.blocks(part.n) * Q8_0.bytes)
    own = each[(part.first + np.arange(first, first + rows)) % columns]
    return dot_rows(data, own.reshape(-1), rows, part.n)


def _same_bits(got: F32, wanted: F32) -> npt.NDArray[np.bool_]:
    """Where a NaN is one NaN or another, that is no matter."""
    same: npt.NDArray[np.bool_] = got.view(np.uint32) == wanted.view(np.uint32)
    return same | (np.isnan(got) & np.isnan(wanted))


def _other_bits(got: F32, wanted: F32, same: npt.NDArray[np.bool_]) -> str:
    column = int(np.flatnonzero(~same)[0])
    return f"column {column}: {differs(float(got[column]), wanted[column])}"
