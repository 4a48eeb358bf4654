"""The table of goals: what the matrix kernels were to gain, and what they gained, with how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from codegen.products.report import describe, products
from codegen.products.report.data import Data
from codegen.products.report.products import MANY
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from codegen.speed.bench.result import Measurement, Result
from codegen.speed.bench.statistics import Ratio, speedup

_COLUMNS = ("", "engine", "goal", "measured", "95%", "reached")

Ask = Callable[[Data, str], Ratio | None]
"""A ratio in an engine; None where it was not measured."""


@dataclass(frozen=True)
class Goal:
    """A ratio that is to be at least so much.

    Attributes:
        what: in words.
        ask: the ratio.
        least: what it is to be, by engine; in others it is told without a goal.
    """

    what: str
    ask: Ask
    least: dict[str, float] = field(default_factory=dict)


def _over(fast: Measurement | None, slow: Measurement | None) -> Ratio | None:
    return fast.times_as_fast_as(slow) if fast and slow else None


def _product(result: Result, engine: str, op: str, isa: Isa, columns: int = 1) -> Measurement | None:
    return products.fastest(result, engine, op, isa, columns)


def _of_floor(op: str, columns: int) -> Ask:
    """Its floor over its time. Resampled are the kernel's rounds; the floor is a limit, and has none."""

    def ask(data: Data, engine: str) -> Ratio | None:
        one = _product(data.matrix, engine, op, Isa.RELAXED, columns)
        return speedup((one.limit[1],) * len(one.samples), one.samples) if one and one.limit else None

    return ask


def _over_native(op: str, columns: int) -> Ask:
    def ask(data: Data, engine: str) -> Ratio | None:
        one = _product(data.matrix, engine, op, Isa.RELAXED, columns)
        return _over(one, data.matrix.beside(one, one.peer, native.HOST)) if one and one.peer else None

    return ask


def _over_dot(op: str, isa: Isa, other: Isa) -> Ask:
    return lambda data, engine: _over(
        _product(data.matrix, engine, op, isa), _product(data.matrix, engine, "vec_dot", other)
    )


def _gemm_over_gemv(data: Data, engine: str) -> Ratio | None:
    """In the rounds that have both: of as many columns, which gemv does one by one."""
    return _over(
        _product(data.matrix, engine, "gemm", Isa.RELAXED, MANY),
        _product(data.matrix, engine, "gemv", Isa.RELAXED, MANY),
    )


def _quantise(data: Data, engine: str) -> Ratio | None:
    return _over(
        products.fastest(data.operands, engine, "quantize_row", Isa.SIMD128, 1),
        products.fastest(data.operands, engine, "quantize_row", Isa.SCALAR, 1),
    )


GOALS = (
    Goal(
        "gemv relaxed over vec_dot relaxed",
        _over_dot("gemv", Isa.RELAXED, Isa.RELAXED), {"wasmtime": 1.5, "node": 2.0},
    ),
    Goal("gemv relaxed over scalar", _over_dot("gemv", Isa.RELAXED, Isa.SCALAR)),
    Goal("gemv SIMD over scalar", _over_dot("gemv", Isa.SIMD128, Isa.SCALAR)),
    Goal("gemv SIMD over vec_dot SIMD", _over_dot("gemv", Isa.SIMD128, Isa.SIMD128)),
    Goal(f"gemm relaxed over gemv relaxed, {MANY} columns", _gemm_over_gemv, {"wasmtime": 1.5, "node": 1.5}),
    Goal("gemv relaxed, of its limit", _of_floor("gemv", 1), {"wasmtime": 0.75, "node": 0.9}),
    Goal(f"gemm relaxed, {MANY} columns, of its limit", _of_floor("gemm", MANY)),
    Goal("gemv relaxed over native gemv", _over_native("gemv", 1), {"wasmtime": 1.0, "node": 1.1}),
    Goal(
        f"gemm relaxed over native gemm, {MANY} columns",
        _over_native("gemm", MANY), {"wasmtime": 0.7, "node": 0.8},
    ),
    Goal("quantize_row SIMD over scalar", _quantise, {"wasmtime": 4.0, "node": 4.0}),
)  # fmt: skip
"""Each of the fastest kernels of their kind in an engine."""


def rows(data: Data) -> Iterator[tuple[str, ...]]:
    """Cells, in the order of columns."""
    for goal in GOALS:
        for engine in products.engines(data.matrix):
            if ratio := goal.ask(data, engine):
                least = goal.least.get(engine)
                yield (
                    goal.what,
                    engine,
                    f"{least:g}" if least else "",
                    f"{ratio.value:.2f}",
                    ratio.interval,
                    _reached(ratio, least) if least else "",
                )


def _reached(ratio: Ratio, least: float) -> str:
    """Whether it is so much, and where its interval has the goal inside, that this is not sure."""
    said = "yes" if ratio.value >= least else "no"
    return said if not ratio.interval or not ratio.low < least < ratio.high else f"{said}, not sure"


def parts(data: Data) -> list[str]:
    """The table, and what it is; nothing where nothing of it was measured."""
    cells = list(rows(data))
    if not cells:
        return []
    return [
        "What the products of matrices were to gain, and what they gain: each with the fastest kernels of its kind, "
        "both timed in the same rounds. The limit is the time that a kernel's operations take alone; the interval of "
        "a share of it is of the kernel's rounds only.",
        describe.markdown(_COLUMNS, cells, text=2),
    ]
