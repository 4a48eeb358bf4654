"""Which measurements a report needs, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from codegen.bench import native, session
from codegen.bench.contestant import Host
from codegen.bench.machine import LEVELS
from codegen.bench.problem import Problem
from codegen.bench.result import Limits, Measurement, Result
from codegen.bench.table import BASELINE
from codegen.options import Memory
from codegen.registry import FASTEST, REGISTERED
from codegen.report.data import Data
from codegen.spec import KernelSpec
from codegen.strategies import Isa

ENGINES = ("wasmtime", "node", "bun", "native")
"""Those that a report has, as far as they are here."""

N = 4096
LENGTHS = tuple(256 << doubling for doubling in range(7))

_NATIVE_FROM = 4096
"""Native GGML is timed as what a row of twice the length takes more: below this, the call's noise is more than that."""

_BASELINE = KernelSpec.parse(BASELINE)

ALL = (
    _BASELINE,
    *(
        spec
        for spec in REGISTERED
        # Where the memory comes from does not change the loop, and other contracts are no rivals.
        if spec.memory is Memory.EXPORT and spec.contract == _BASELINE.contract and spec != _BASELINE
    ),
)
"""The kernels that are compared at N."""

FEW = (
    _BASELINE,
    KernelSpec(Isa.SIMD128, strategy="article"),
    FASTEST["vec_dot", Isa.SIMD128],
    FASTEST["vec_dot", Isa.RELAXED],
)
"""The kernels that are compared over lengths and levels."""


@dataclass(frozen=True)
class Series:
    """The measurements of one run.

    Attributes:
        name: of Data's attributes.
        specs: the kernels.
        engines: names of the engines; those that are not here are left out.
        problems: element counts and levels.
        apart: one engine after the other, since the operands of all would take too much memory.
    """

    name: str
    specs: tuple[KernelSpec, ...]
    engines: tuple[str, ...]
    problems: tuple[tuple[int, str], ...]
    apart: bool = False

    def sessions(self, hosts: Sequence[Host]) -> Iterator[tuple[int, str, list[Host]]]:
        """Element count, level, and the engines that are timed together."""
        for n, level in self.problems:
            here = [host for host in hosts if host.name in self.engines]
            if n < _NATIVE_FROM:
                here = [host for host in here if host.name != native.HOST]
            for group in [[host] for host in here] if self.apart else [here]:
                yield n, level, group


SERIES = (
    Series("kernels", ALL, ENGINES, ((N, "l1"),)),
    Series("lengths", FEW, ("wasmtime", "node", "native"), tuple((n, "l1") for n in LENGTHS)),
    # No native GGML: what a row of twice the length takes more is not what a row takes where it comes from memory.
    Series("levels", FEW, ("wasmtime", "node"), tuple((N, level) for level in LEVELS), apart=True),
)


def total(hosts: Sequence[Host], rounds: int) -> int:
    """How many rounds `collect` takes in all, for a progress bar."""
    return rounds * sum(1 for series in SERIES for _ in series.sessions(hosts))


def collect(hosts: Sequence[Host], rounds: int, each_round: Callable[[], None] = lambda: None) -> Data:
    """Measures all that a report needs.

    Args:
        hosts: engines that are here.
        rounds: how often each contestant is timed, at least 1.
        each_round: called after each round.

    Raises:
        EngineError: an engine does not start, or ends early.
    """
    return Data(**{series.name: _measure(series, hosts, rounds, each_round) for series in SERIES})


def _measure(series: Series, hosts: Sequence[Host], rounds: int, each_round: Callable[[], None]) -> Result:
    measurements: list[Measurement] = []
    limits: list[Limits] = []
    for n, level, group in series.sessions(hosts):
        measured, found = session.run(series.specs, group, Problem.at(n, level), rounds, each_round)
        measurements += measured
        limits += found
    return Result.of(rounds, measurements, limits)
