"""What a report is drawn from: runs of bench, each kept as a file, so that drawing needs no measuring."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path

from codegen.base.errors import InputError
from codegen.base.output import write_file
from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.result import Measurement, Result


@dataclass(frozen=True)
class Data:
    """The runs of a report.

    Attributes:
        kernels: every kernel in every engine, one problem.
        lengths: a few kernels, rows of several lengths.
        levels: a few kernels, weights in each cache and in memory; one engine after the other.
        matrix: products of matrices, one column and many, and the dot products that they replace.
        elements, rows, columns: the fastest of those over rows of many lengths, numbers of rows, and of columns.
        operands: quantisers and repackers.
    """

    kernels: Result
    lengths: Result
    levels: Result
    matrix: Result
    elements: Result
    rows: Result
    columns: Result
    operands: Result

    def runs(self) -> dict[str, Result]:
        """The runs by name."""
        return {name: getattr(self, name) for name in NAMES}

    def save(self, folder: Path) -> list[Path]:
        """Writes `<name>.json` for each run; those that are new or different.

        Raises:
            InputError: the folder cannot be written to.
        """
        paths = {folder / f"{name}.json": run for name, run in self.runs().items()}
        return [path for path, run in paths.items() if write_file(path, f"{run.to_json()}\n".encode())]

    @classmethod
    def load(cls, folder: Path) -> Data:
        """What `save` wrote.

        Raises:
            InputError: a file is not there, or is not a run of bench.
        """
        return cls(**{name: _load(folder / f"{name}.json") for name in NAMES})


NAMES = tuple(field.name for field in fields(Data))


def _load(path: Path) -> Result:
    again = "`codegen report` measures and writes it"
    try:
        run = Result.from_json(path.read_text(encoding="utf-8"))
        if not all(_sound(one, run.rounds) for one in run.measurements):
            raise ValueError
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); {again}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path}: not a run of bench; {again} again") from None
    return run


def _sound(one: Measurement, rounds: int) -> bool:
    """Whether all that pictures compute with is there: a file may have been made by hand."""
    numbers = (*one.samples, *one.floors.values())
    return (
        len(one.samples) in (0, rounds)
        and all(isinstance(ns, int | float) and 0 < ns < math.inf for ns in numbers)
        and isinstance(one.n, int)
        and isinstance(one.rows, int)
        and isinstance(one.columns, int)
        and min(one.n, one.rows, one.columns) > 0
        and one.level in LEVELS
    )
