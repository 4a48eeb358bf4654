"""Verbs about speed: bench."""

from __future__ import annotations

import argparse

from codegen import arguments, show
from codegen.arguments import AddVerb
from codegen.bench import article, hosts, session
from codegen.bench.machine import LEVELS
from codegen.bench.problem import Problem
from codegen.bench.result import Result
from codegen.bench.table import BASELINE
from codegen.commands import DONE, FAILED
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
        default=[4096],
        metavar="LIST",
        help="elements of a row, multiples of 32: 4096, or 256,1024, or 256..16384 in doublings; default 4096",
    )
    bench.add_argument(
        "--size",
        type=arguments.words(LEVELS),
        default=["l1"],
        metavar="LIST",
        help=f"where the weights live, of {', '.join(LEVELS)}; default l1",
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
    chosen, missing = hosts.select(options.engine)
    for reason in missing.values():
        show.complaint(f"left out: {reason}")
    if options.article:
        problems, specs = [Problem.at(article.N, "l1")], article.specs()
    else:
        problems = [Problem.at(n, level) for n in options.n for level in options.size]
        specs = tuple(dict.fromkeys((KernelSpec.parse(BASELINE), *arguments.selected(options))))
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
    return DONE if all(one.samples for one in result.measurements) else FAILED
