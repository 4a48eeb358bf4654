"""Which measurements a report needs: runs of kernels, engines and problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from codegen.kernels import registry, shipped
from codegen.kernels.operations import OPERATIONS, contracts_of
from codegen.kernels.spec import KernelSpec
from codegen.products.report.products import MANY, fastest
from codegen.spec.options import Memory
from codegen.spec.strategies import Isa
from codegen.speed.bench import native
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.frozen import ARTICLE, Timed
from codegen.speed.bench.limits import LIMITS, Limit, Unit
from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Result
from codegen.speed.bench.table import BASELINE
from codegen.speed.bench.usual import products, usual

ENGINES = ("wasmtime", "node", "bun", "native")
"""Those that compare every kernel, and what makes operands, as far as they are here."""

EVERYWHERE = ("wasmtime", "node", "deno", "bun", "native")
"""Those that compare products of matrices."""

FEW_ENGINES = ("wasmtime", "node", "native")
"""Those that repeat it over many problems."""

N = 4096
LENGTHS = tuple(256 << doubling for doubling in range(7))
ROWS = (4, 16, 64, 256, 1024, 4096, 16384, 32000)
COLUMNS = (1, 2, 4, 8, 15, 16, 31, 32, 33, 64, 128, 256, 512)

ROWS_OF_COLUMNS = 256
"""Rows where columns are what grows: weights that live in most machines' second cache."""

_NATIVE_FROM = 4096
"""Native vec_dot is timed as what a row of twice the length takes more; below this, the call's noise is more."""

_GROWTH_ROUNDS = 5
"""Of each of many problems: a line over all of them shows what one of them alone would not."""

_MEMORY = tuple(limit for limit in LIMITS if limit.unit is Unit.MEMORY)
"""What growth is held against; measuring more would take longer than the kernels do."""

_BASELINE = KernelSpec.parse(BASELINE)

_FASTEST_DOTS = tuple(registry.fastest()[_BASELINE.contract, isa] for isa in (Isa.SIMD128, Isa.RELAXED))

ALL: tuple[Timed, ...] = (
    _BASELINE,
    ARTICLE,
    *(
        spec
        for spec in registry.registered()
        # Where the memory comes from does not change the loop, and other contracts are no rivals.
        if spec.memory is Memory.EXPORT and spec.contract == _BASELINE.contract and spec != _BASELINE
    ),
)
"""The kernels that are compared at N."""

FEW: tuple[Timed, ...] = (
    _BASELINE,
    ARTICLE,
    *_FASTEST_DOTS,
)
"""The kernels that are compared over lengths and levels."""

_BEST_DOTS = tuple(
    spec for file in shipped.files() for spec in file.best if spec.contract == _BASELINE.contract
)

MATRIX = tuple(
    dict.fromkeys(
        (
            _BASELINE,
            *(spec for spec in (*_FASTEST_DOTS, *_BEST_DOTS) if spec.isa is not Isa.SCALAR),
            *(
                spec
                for spec in registry.registered()
                if spec.op in products() and spec.op != "vec_dot" and spec.memory is Memory.EXPORT
            ),
        )
    )
)
"""Every kernel that multiplies matrices, and the dot products that they replace: the best of each engine."""

Choice = Callable[[Problem, Mapping[str, Result]], tuple[Timed, ...]]
"""The kernels of a problem, after the runs before."""


@dataclass(frozen=True)
class Series:
    """The measurements of one run.

    Attributes:
        name: of Data's attributes.
        choose: the kernels.
        engines: names of the engines; those that are not here are left out.
        problems: what they do.
        apart: one engine after the other, since the operands of all would take too much memory.
        native_from: elements of the shortest row that native code is timed on.
        most_rounds: that it takes.
        limits: what is measured of what the engines can do.
    """

    name: str
    choose: Choice
    engines: tuple[str, ...]
    problems: tuple[Problem, ...]
    apart: bool = False
    native_from: int = 0
    most_rounds: int = 10_000
    limits: tuple[Limit, ...] = LIMITS

    def sessions(self, hosts: Sequence[Host]) -> Iterator[tuple[Problem, list[Host]]]:
        """A problem, and the engines that are timed together on it."""
        for problem in self.problems:
            here = [host for host in hosts if host.name in self.engines]
            if problem.n < self.native_from:
                here = [host for host in here if host.name != native.HOST]
            for group in [[host] for host in here] if self.apart else [here]:
                if group:
                    yield problem, group


def _always(specs: tuple[Timed, ...]) -> Choice:
    return lambda _problem, _runs: specs


def winners(ops: Sequence[str], _problem: Problem, runs: Mapping[str, Result]) -> tuple[KernelSpec, ...]:
    """Of each operation the relaxed kernel that was fastest in each engine that growth is measured in."""
    found = {}
    for op in ops:
        for engine in FEW_ENGINES:
            one = fastest(runs["matrix"], engine, op, Isa.RELAXED, 1 if op == "gemv" else MANY)
            if one:
                found[one.kernel] = KernelSpec.parse(one.kernel)
        if not any(spec.op == op for spec in found.values()):
            spec = registry.fastest()[contracts_of(_BASELINE.x)[op], Isa.RELAXED]
            found[spec.name] = spec
    return tuple(found.values())


def _by_columns(problem: Problem, runs: Mapping[str, Result]) -> tuple[KernelSpec, ...]:
    return winners(("gemv" if problem.columns == 1 else "gemm", "mul_mat"), problem, runs)


def _operands(problem: Problem, _runs: Mapping[str, Result]) -> tuple[KernelSpec, ...]:
    """What makes operands by this work, scalar kernels first."""
    mine = [op for op in OPERATIONS if usual(op).work is problem.work]
    found = [spec for spec in registry.registered() if spec.op in mine]
    return tuple(sorted(found, key=lambda spec: (mine.index(spec.op), spec.isa is not Isa.SCALAR)))


def _of_matrices(columns: int, n: int = N) -> Problem:
    """Whole tiles of rows, in L2 beside their activations."""
    return Problem.at(n, usual("gemm").level, columns, multiple=usual("gemm").multiple)


SERIES = (
    Series("kernels", _always(ALL), ENGINES, (Problem.at(N, "l1"),), native_from=_NATIVE_FROM),
    Series(
        "lengths", _always(FEW), FEW_ENGINES, tuple(Problem.at(n, "l1") for n in LENGTHS),
        native_from=_NATIVE_FROM,
    ),
    # No native GGML: what a row of twice the length takes more is not what a row takes where it comes from memory.
    Series(
        "levels", _always(FEW), ("wasmtime", "node"), tuple(Problem.at(N, level) for level in LEVELS),
        apart=True,
    ),
    Series("matrix", _always(MATRIX), EVERYWHERE, (_of_matrices(1), _of_matrices(MANY))),
    Series(
        "elements", _by_columns, FEW_ENGINES,
        tuple(_of_matrices(columns, n) for n in LENGTHS for columns in (1, MANY)),
        most_rounds=_GROWTH_ROUNDS, limits=_MEMORY,
    ),
    Series(
        "rows", _by_columns, FEW_ENGINES,
        tuple(Problem.of(N, rows, columns) for rows in ROWS for columns in (1, MANY)),
        most_rounds=_GROWTH_ROUNDS, limits=_MEMORY,
    ),
    Series(
        "columns", partial(winners, ("gemv", "gemm", "mul_mat")), FEW_ENGINES,
        tuple(Problem.of(N, ROWS_OF_COLUMNS, columns) for columns in COLUMNS),
        most_rounds=_GROWTH_ROUNDS, limits=_MEMORY,
    ),
    Series(
        "operands", _operands, ENGINES,
        (usual("quantize_row").at(N), usual("repack").at(N)),
    ),
)  # fmt: skip
"""In the order in which they are measured: growth is that of the kernels which were fastest before."""
