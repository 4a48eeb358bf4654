"""A run: matrices into memory, products checked, rounds timed, batch after batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median

from codegen.base.errors import InputError
from codegen.kernels import registry
from codegen.kernels.operations import contracts_of
from codegen.kernels.spec import KernelSpec
from codegen.models.gguf_file import GGUFFile, Matrix
from codegen.models.run import native_paths
from codegen.models.run.batches import Group, batches, counted
from codegen.models.run.check import Verdict, check
from codegen.models.run.paths import Columns, MulMatPath, Path, VecDotPath, path_of
from codegen.models.run.result import MatrixResult, PathResult, Result, ShapeResult
from codegen.models.run.timing import rounds


@dataclass
class _Found:
    """What batches add up to.

    Attributes:
        verdicts: by matrix and path.
        totals: seconds of all counted matrices, by path and round.
        shapes: seconds of the counted matrices of a shape, by path: medians, and batches add up; 0
            where they cannot be told from nothing.
        sizes: how many matrices those are.
        seconds: the kernel's time of a counted matrix, by name; 0 as above.
    """

    verdicts: dict[str, dict[str, Verdict]] = field(default_factory=lambda: defaultdict(dict))
    totals: dict[str, list[float]] = field(default_factory=dict)
    shapes: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)
    sizes: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def run(
    file: GGUFFile,
    matrices: Sequence[Matrix],
    spec: KernelSpec,
    values: Columns,
    count: int,
    each: Callable[[], None] = lambda: None,
) -> Result:
    """Multiplies matrices of a file with activations by a kernel, and by what it is compared with.

    Args:
        file: open.
        matrices: its, all or some.
        spec: a kernel of mul_mat or vec_dot.
        values: activations by the number of elements.
        count: rounds to time, at least 1.
        each: called when a matrix has been checked.

    Raises:
        SpecError: the kernel is of another operation.
        KernelCallError: a row, its activations and its results are more than a memory of 32 bits holds.
    """
    every = len(matrices) == len(file.matrices)
    whole = every and file.parts.complete
    known = [(matrix, not whole or counted(matrix, file)) for matrix in matrices]
    found = _Found()
    columns = len(next(iter(values.values())))
    with _paths(spec) as (paths, absent):
        for matrix, _ in known:
            found.verdicts[matrix.name] = {path.name: Verdict() for path in paths}
        for groups in batches(known, columns):
            _batch(groups, paths, values, count, found, each)
    first = paths[0]
    return Result(
        model=str(file.path),
        kernel=spec.name,
        activations=columns,
        matrices=tuple(
            _matrix(matrix, is_counted, found.verdicts[matrix.name][first.name], found.seconds[matrix.name])
            for matrix, is_counted in known
        ),
        shapes=tuple(
            ShapeResult(*shape, found.sizes[shape], {path: time or None for path, time in seconds.items()})
            for shape, seconds in found.shapes.items()
        ),
        paths=tuple(_path(path, found) for path in paths),
        repack_seconds=first.repack_seconds if isinstance(first, MulMatPath) else 0.0,
        absent=absent,
        left_out=file.left_out if every else (),
        parts=file.parts,
        whole=whole,
    )


@contextmanager
def _paths(spec: KernelSpec) -> Iterator[tuple[list[Path], str]]:
    """The kernel's, dot products row by row, native ones; and why there are none of the last."""
    paths: list[Path] = [path_of(spec)]
    if spec.op == "mul_mat":
        paths.append(VecDotPath(registry.fastest()[contracts_of(spec.x)["vec_dot"], spec.isa]))
    with ExitStack() as stack:
        try:
            paths += stack.enter_context(native_paths.paths())
            absent = ""
        except InputError as error:
            absent = str(error)
        yield paths, absent


def _batch(
    groups: Sequence[Group],
    paths: Sequence[Path],
    values: Columns,
    count: int,
    found: _Found,
    each: Callable[[], None],
) -> None:
    for path in paths:
        path.place(groups, values)
    for group in groups:
        for part in group.parts:
            check(part, paths, values[part.n], found.verdicts[part.matrix.name])
            if part.first + part.rows == part.matrix.rows:
                each()
    timed = [group for group in groups if group.counted]
    samples = rounds(paths, timed, count)
    for group in timed:
        found.sizes[group.shape] += len(group.parts)
        for path in paths:
            seconds = samples[path.name, group]
            total = found.totals.setdefault(path.name, [0.0] * count)
            found.totals[path.name] = [a + b for a, b in zip(total, seconds, strict=True)]
            shape = found.shapes.setdefault(group.shape, {})
            shape[path.name] = shape.get(path.name, 0.0) + _told(seconds)
        for part in group.parts:
            found.seconds[part.matrix.name] += _told(samples[paths[0].name, group]) / len(group.parts)


def _told(samples: Sequence[float]) -> float:
    """The median where every round could tell the time, else 0."""
    return median(samples) if all(samples) else 0.0


def _matrix(matrix: Matrix, is_counted: bool, verdict: Verdict, seconds: float) -> MatrixResult:
    return MatrixResult(
        matrix.name,
        matrix.rows,
        matrix.columns,
        is_counted,
        verdict.worst_ulp,
        verdict.wrong,
        verdict.first_wrong,
        seconds or None,
    )


def _path(path: Path, found: _Found) -> PathResult:
    verdicts = {matrix: by[path.name] for matrix, by in found.verdicts.items()}
    wrong = [f"{matrix}, {verdict.first_wrong}" for matrix, verdict in verdicts.items() if verdict.wrong]
    return PathResult(
        path.name,
        path.label,
        tuple(found.totals.get(path.name, ())),
        sum(one.wrong for one in verdicts.values()),
        wrong[0] if wrong else "",
    )
