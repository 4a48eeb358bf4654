"""What `run` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.table import Table

from codegen.output import table
from codegen.run.result import MatrixResult, PathResult, Result

_NOTHING = "-"


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
    if result.repack_seconds:
        yield f"repacked once, {result.repack_seconds:.2f} s with copies, which is no part of a token's time"
    if any(result.tokens_per_second(path) for path in result.paths):
        yield (
            "tokens/s: an estimate, from the products of these matrices with"
            f" {result.activations} column{'s' if result.activations > 1 else ''} only"
        )
    if result.absent:
        yield f"no comparison with {result.absent}"
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
            f"FAIL {one.first_wrong}" if one.wrong else "pass",
            f"{one.rows} x {one.columns}",
            f"{one.worst_ulp:.2f}",
            *_speed(one, result.activations, total),
        )
        for one in result.matrices
    ]
    columns = ("tensor", "", "shape", "worst error, ulp", "us", "Gweights/s", "share")
    return table(f"{result.model}: {result.kernel}", columns, rows, text=2)


def _speed(matrix: MatrixResult, columns: int, total: float) -> tuple[str, str, str]:
    if matrix.seconds is None:
        return _NOTHING, _NOTHING, _NOTHING
    rate = matrix.rows * matrix.columns * columns / matrix.seconds
    return f"{matrix.seconds * 1e6:.1f}", f"{rate / 1e9:.2f}", f"{matrix.seconds / total:.1%}"


def _shapes(result: Result) -> Table:
    right = [path for path in result.paths if not path.wrong]
    rows = [
        (
            f"{one.rows} x {one.columns}",
            str(one.matrices),
            *(f"{one.seconds[path.name] / one.matrices * 1e6:.1f}" for path in right),
        )
        for one in result.shapes
    ]
    return table("microseconds a matrix", ("shape", "matrices", *(path.label for path in right)), rows)


def _paths(result: Result) -> Table:
    rows = [_path(result, path) for path in result.paths if not path.wrong]
    title = "all counted matrices"
    return table(title, ("", "ms", "Gweights/s", "tokens/s", "times as fast", "95%"), rows)


def _path(result: Result, path: PathResult) -> tuple[str, ...]:
    seconds, tokens, ratio = result.seconds(path), result.tokens_per_second(path), result.ratio(path)
    return (
        path.name,
        f"{seconds * 1e3:.2f}",
        f"{result.weights * result.activations / seconds / 1e9:.2f}",
        f"{tokens:.1f}" if tokens else _NOTHING,
        f"{ratio.value:.2f}" if ratio else "1.00" if path is result.paths[0] else _NOTHING,
        ratio.interval if ratio else "",
    )
