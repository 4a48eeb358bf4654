"""A run: every contestant of every engine once a round, so that what slows a round down slows them all."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from codegen.base.errors import InputError
from codegen.render.text import render_kernel
from codegen.speed.bench import native
from codegen.speed.bench.contestant import Contestant, Host, WrongResultError
from codegen.speed.bench.entries import kernel_entry
from codegen.speed.bench.entry import Entry
from codegen.speed.bench.frozen import Frozen, Timed
from codegen.speed.bench.limits import LIMITS, Limit, Unit, floors
from codegen.speed.bench.machine import free_memory
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Limits, Measurement
from codegen.speed.bench.statistics import summarize
from codegen.speed.bench.work import work
from codegen.wasm.assemble import assemble

_FILLED = 0.8
"""Fraction of free memory that contestants may use."""

_NATIVE = 2
"""Native functions that do one problem: dot products, and repacked ones."""


@dataclass
class _Seat:
    """A contestant, and what it has done so far."""

    host: Host
    contestant: Contestant
    samples: list[float] = field(default_factory=list)
    wrong: str | None = None


def check_room(kernels: int, hosts: Sequence[Host], problem: Problem, limits: int = len(LIMITS)) -> None:
    """Refuses what would have to be swapped out: each contestant has rows and results of its own.

    Raises:
        InputError: they need more memory than is free.
    """
    copies = sum(_NATIVE if host.name == native.HOST else kernels + limits for host in hosts)
    need, free = copies * problem.footprint, free_memory()
    if need > _FILLED * free:
        raise InputError(
            f"{problem.rows} rows in {problem.level}: {copies} copies of {problem.footprint >> 20} MiB, and only "
            f"{free >> 20} MiB of memory are free; choose fewer rows, kernels or engines"
        )


def run(
    specs: Sequence[Timed],
    hosts: Sequence[Host],
    problem: Problem,
    rounds: int,
    each_round: Callable[[], None] = lambda: None,
    limits: Sequence[Limit] = LIMITS,
) -> tuple[list[Measurement], list[Limits]]:
    """Times kernels in all engines, and what each engine can do at most, in turn, `rounds` times over.

    Args:
        specs: kernels; an engine that lacks a feature for one leaves it out.
        hosts: engines.
        problem: what they do.
        rounds: how often each is timed, at least 1.
        each_round: called after each round, for a progress bar.
        limits: what is measured of what each engine can do; kernels have no floor of other units.

    Raises:
        EngineError: an engine does not start, or ends early.
        InputError: as `check_room`.
    """
    check_room(len(specs), hosts, problem, len(limits))
    entries = [kernel_entry(spec, problem) for spec in specs]
    timed = [*entries, *(limit.entry(problem) for limit in limits)]
    with ExitStack() as stack:
        seats = []
        for host in hosts:
            contestants = stack.enter_context(host.open(timed, problem))
            seats += [_Seat(host, contestant) for contestant in contestants]
        order = random.Random(rounds)
        for _ in range(rounds):
            for seat in order.sample(seats, len(seats)):
                _time(seat)
            each_round()
    return _results(seats, {spec.name: spec for spec in specs}, {e.name: e for e in entries}, problem)


def _time(seat: _Seat) -> None:
    if seat.wrong:
        return
    try:
        seat.samples.append(seat.contestant.sample())
    except WrongResultError as error:
        seat.wrong, seat.samples = str(error), []


def _results(
    seats: Sequence[_Seat], specs: dict[str, Timed], entries: dict[str, Entry], problem: Problem
) -> tuple[list[Measurement], list[Limits]]:
    limits = {}
    for host in dict.fromkeys(seat.host for seat in seats):
        rates = _rates([seat for seat in seats if seat.host is host], problem)
        limits[host.name] = Limits(host.name, host.version, problem.level, rates)
    measured = []
    names = {limit.name for limit in LIMITS}
    for seat in seats:
        name = seat.contestant.name
        if name in names:
            continue
        spec = specs.get(name)
        rates = limits[seat.host.name].rates
        floor = floors(work(spec, entries[name], problem), rates) if spec else {}
        measured.append(
            Measurement(
                kernel=name,
                engine=seat.host.name,
                sha256=hashlib.sha256(_module(spec)).hexdigest() if spec else None,
                n=problem.n,
                rows=problem.rows,
                level=problem.level,
                samples=tuple(seat.samples),
                floors=floor,
                wrong=seat.wrong,
                columns=problem.columns,
                work=problem.work,
                peer=entries[name].peer if spec else None,
                weights=problem.weights,
            )
        )
    return measured, list(limits.values())


def _module(spec: Timed) -> bytes:
    return spec.wasm if isinstance(spec, Frozen) else assemble(render_kernel(spec))


def _rates(seats: Sequence[_Seat], problem: Problem) -> dict[Unit, float]:
    """What an engine did per nanosecond, of its best rounds: a limit is not a typical time."""
    samples = {seat.contestant.name: seat.samples for seat in seats}
    return {
        limit.unit: limit.per_ns(summarize(tuple(samples[limit.name])).low, problem.x_step)
        for limit in LIMITS
        if samples.get(limit.name)
    }
