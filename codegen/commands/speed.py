"""Verbs about speed: bench."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from codegen import arguments, show
from codegen.arguments import AddVerb
from codegen.bench import article, hosts, native, session
from codegen.bench.machine import LEVELS
from codegen.bench.problem import Problem
from codegen.bench.result import Result
from codegen.bench.table import BASELINE
from codegen.commands import DONE, FAILED
from codegen.errors import InputError
from codegen.output import progress
from codegen.spec import KernelSpec


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    bench = verb(
        "bench",
        _bench,
        "time kernels against scalar, native GGML and the machine's limits",
        arguments.choice(),
        arguments.as_json(),
    )
    bench.add_argument(
        "--n",
        type=arguments.elements,
        metavar="LIST",
        help="elements of a row, multiples of 32: 4096, or 256,1024, or 256..16384 in doublings; default 4096",
    )
    bench.add_argument(
        "--size",
        type=arguments.words(LEVELS),
        metavar="LIST",
        help=f"where weights and activations live, of {', '.join(LEVELS)}; default l1",
    )
    bench.add_argument(
        "--engine",
        type=lambda text: text.split(","),
        default=list(hosts.DEFAULT),
        metavar="LIST",
        help=f"of wasmtime, node, deno, bun, native; default {','.join(hosts.DEFAULT)}",
    )
    bench.add_argument(
        "--rounds", type=arguments.whole(1, 10_000), default=15, help="how often each is timed; default 15"
    )
    bench.add_argument("-o", "--format", choices=("table", "md", "csv", "json"), default="table")
    bench.add_argument(
        "--article", action="store_true", help="the published table, measured again with our kernels added"
    )


def _bench(options: argparse.Namespace) -> int:
    specs, problems, notes = _article(options) if options.article else _asked(options)
    chosen, missing = hosts.select(options.engine)
    for problem in problems:  # all, before the first takes its time
        session.check_room(len(specs), chosen, problem)
    for note in (*notes, *(f"left out: {reason}" for reason in missing.values())):
        show.complaint(note)
    measurements, limits = [], []
    with progress("bench", options.rounds * len(problems)) as bar:
        for problem in problems:
            measured, found = session.run(
                specs, chosen, problem, options.rounds, lambda: bar.advance(bar.task_ids[0])
            )
            measurements += measured
            limits += found
    result = Result.of(options.rounds, measurements, limits)
    show.bench(result, "json" if options.json else options.format, as_article=options.article)
    for reason in _lacking(specs, result):
        show.complaint(f"left out: {reason}")
    return DONE if all(one.samples for one in result.measurements) else FAILED


_Wanted = tuple[tuple[KernelSpec, ...], list[Problem], list[str]]
"""Kernels, problems, and what of the call could not be carried out as it stands."""


def _article(options: argparse.Namespace) -> _Wanted:
    for name in ("kernel", "isa", "unroll", "tuned", "n", "size"):
        if getattr(options, name):
            raise InputError(
                f"--{name}: --article has kernels, n and size of its own; leave one of the two out"
            )
    return article.specs(), [Problem.at(article.N, "l1")], []


def _asked(options: argparse.Namespace) -> _Wanted:
    problems, notes = [], []
    for n in options.n or [4096]:
        for level in options.size or ["l1"]:
            problem = Problem.at(n, level)
            if problem.level != level:
                notes.append(f"n = {n} does not fit in {level}: measured in {problem.level}")
            problems.append(problem)
    specs = (KernelSpec.parse(BASELINE), *arguments.selected(options, op="vec_dot"))
    return tuple(dict.fromkeys(specs)), list(dict.fromkeys(problems)), notes


def _lacking(specs: Sequence[KernelSpec], result: Result) -> Iterator[str]:
    """Kernels that an engine could not load, by the feature it lacks."""
    done = {(one.kernel, one.engine) for one in result.measurements}
    for engine in dict.fromkeys(limits.engine for limits in result.limits if limits.engine != native.HOST):
        for isa in dict.fromkeys(spec.isa for spec in specs if (spec.name, engine) not in done):
            yield f"{isa} kernels in {engine}, which lacks the feature"
