"""What `run` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from codegen.base.output import Table
from codegen.models.run.result import MatrixResult, PathResult, Result

_NOTHING, _TOO_SHORT = "-", "too short"


def tables(result: Result) -> list[Table]:
    """A table of matrices; of their shapes and of ways to multiply them where any are counted."""
    made = [_matrices(result)]
    if result.shapes:
        made += [_shapes(result), _paths(result)]
    return made


def facts(result: Result) -> Iterator[str]:
    """What there is to say of them, line by line."""
    yield (
        f"{len(result.matrices)} matrices, {sum(one.counted for one in result.matrices)} of them counted"
        f" with {result.weights:,} weights; {_all_right(result)}"
    )
    if not result.parts.complete:
        yield f"{result.parts}: no tokens/s of a whole model; {result.parts.mend}"
    elif result.parts.count > 1:
        yield f"all {result.parts.count} parts of the model"
    if result.repack_seconds:
        yield f"repacked once, {result.repack_seconds:.2f} s with copies, which is no part of a token's time"
    if any(result.tokens_per_second(path) for path in result.paths):
        yield (
            "tokens/s: an estimate, from the products of these matrices with"
            f" {result.activations} column{'s' if result.activations > 1 else ''} only"
        )
    times = [(one.seconds, one.counted) for one in result.matrices]
    times += [(result.seconds(path), bool(path.rounds)) for path in result.paths if not path.wrong]
    times += [
        (one.seconds[path.name], True) for one in result.shapes for path in result.paths if not path.wrong
    ]
    if (None, True) in times:
        yield f"{_TOO_SHORT}: a time that this clock cannot tell from nothing, and so no speed"
    if result.absent:
        yield f"no comparison with {result.absent}"
    for matrix in result.matrices:
        if matrix.wrong:
            yield f"{printable_name(matrix.name)}: {matrix.first_wrong}"
    for path in result.paths[1:]:
        if path.wrong:
            yield f"{path.name}: {path.wrong} rows wrong: {printable_name(path.first_wrong)}"
    for (kind, reason), count in Counter((one.type, one.reason) for one in result.left_out).items():
        yield f"left out {count} of type {printable_name(kind)}: {reason}"


def printable_name(name: str) -> str:
    """A name out of a file, with nothing in it that a terminal would obey."""
    return ascii(name)[1:-1]


def _all_right(result: Result) -> str:
    wrong = sum(one.wrong for one in result.matrices)
    return f"{wrong:,} rows FAIL" if wrong else "every row is right"


def _matrices(result: Result) -> Table:
    total = sum(one.seconds or 0 for one in result.matrices)
    rows = [
        (
            printable_name(one.name),
            "FAIL" if one.wrong else "pass",
            f"{one.rows} x {one.columns}",
            f"{one.worst_ulp:.2f}",
            *_speed(one, result.activations, total),
        )
        for one in result.matrices
    ]
    columns = ("tensor", "", "shape", "worst ulp", "us", "Gweights/s", "share")
    return Table(f"{result.model}: {result.kernel}", columns, rows, text=2, extra=("Gweights/s",))


def _speed(matrix: MatrixResult, columns: int, total: float) -> tuple[str, str, str]:
    if matrix.seconds is None:
        return _TOO_SHORT if matrix.counted else _NOTHING, _NOTHING, _NOTHING
    rate = matrix.rows * matrix.columns * columns / matrix.seconds
    return _figure(matrix.seconds * 1e6, 1), f"{rate / 1e9:.2f}", f"{matrix.seconds / total:.1%}"


def _shapes(result: Result) -> Table:
    right = [path for path in result.paths if not path.wrong]
    rows = [
        (
            f"{one.rows} x {one.columns}",
            str(one.matrices),
            *(_microseconds(one.seconds[path.name], one.matrices) for path in right),
        )
        for one in result.shapes
    ]
    return Table("microseconds a matrix", ("shape", "matrices", *(path.label for path in right)), rows)


def _microseconds(seconds: float | None, matrices: int) -> str:
    return _TOO_SHORT if seconds is None else _figure(seconds / matrices * 1e6, 1)


def _figure(value: float, decimals: int) -> str:
    """With these decimals, or where those would show nothing of it, with two digits."""
    return f"{value:.{decimals}f}" if value >= 10**-decimals else f"{value:.2g}"


def _paths(result: Result) -> Table:
    rows = [_path(result, path) for path in result.paths if not path.wrong]
    title = "all counted matrices"
    columns = ("", "ms", "Gweights/s", "tokens/s", "times as fast", "95%")
    return Table(title, columns, rows, extra=("Gweights/s",))


def _path(result: Result, path: PathResult) -> tuple[str, ...]:
    seconds, tokens, ratio = result.seconds(path), result.tokens_per_second(path), result.ratio(path)
    if seconds is None:
        return (path.name, _TOO_SHORT, *[_NOTHING] * 3, "")
    return (
        path.name,
        _figure(seconds * 1e3, 2),
        f"{result.weights * result.activations / seconds / 1e9:.2f}",
        f"{tokens:.1f}" if tokens else _NOTHING,
        f"{ratio.value:.2f}" if ratio else "1.00" if path is result.paths[0] else _NOTHING,
        ratio.interval if ratio else "",
    )
