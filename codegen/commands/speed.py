"""Verbs about speed: bench, tune."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen import arguments, show
from codegen.arguments import AddVerb
from codegen.bench import article, hosts, session
from codegen.bench.machine import LEVELS
from codegen.bench.problem import Problem
from codegen.bench.result import Result
from codegen.bench.table import BASELINE
from codegen.commands import DONE, FAILED, INTERRUPTED
from codegen.output import progress
from codegen.spec import MAX_UNROLL, KernelSpec
from codegen.strategies import Isa
from codegen.tune import heatmap, sweep, tuning
from codegen.tune.search import FINAL_ROUNDS, Watch
from codegen.tune.space import UNROLLS

_TUNED_LEVELS = LEVELS[:-1]
"""Not from memory, where weights arrive too slowly to tell kernels apart, and dozens of gigabytes do not fit."""


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
    _add_tune(verb)


def _add_tune(verb: AddVerb) -> None:
    tuned = verb("tune", _tune, "search for the fastest kernels of an engine", arguments.as_json())
    tuned.add_argument(
        "--engine", choices=tuple(tuning.FILES), default="wasmtime", help="where; default wasmtime"
    )
    tuned.add_argument(
        "--kernel", action="append", default=[], metavar="NAME", help="a name or pattern; may be repeated"
    )
    tuned.add_argument(
        "--isa",
        action="append",
        default=[],
        type=arguments.isa,
        help=f"one of {', '.join(Isa)}; may be repeated",
    )
    tuned.add_argument(
        "--unroll",
        type=arguments.wholes(1, MAX_UNROLL),
        default=[],
        metavar="LIST",
        help=f"blocks per loop iteration, default {','.join(map(str, UNROLLS))}",
    )
    tuned.add_argument(
        "--n", type=arguments.one_length, default=4096, metavar="N", help="elements of a row; default 4096"
    )
    tuned.add_argument(
        "--size", choices=_TUNED_LEVELS, default="l1", help="where the weights live; default l1"
    )
    tuned.add_argument(
        "--rounds",
        type=arguments.whole(1, 10_000),
        default=FINAL_ROUNDS,
        help=f"how often finalists are timed; default {FINAL_ROUNDS}",
    )
    tuned.add_argument(
        "-o", "--out", type=arguments.folder, default="tuning", metavar="DIR", help="default tuning/"
    )
    tuned.add_argument("--heatmap", type=Path, metavar="FILE.svg", help="draws what was found, too")


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


def _tune(options: argparse.Namespace) -> int:
    picture: Path | None = options.heatmap
    if picture:
        heatmap.require(picture)
    order = sweep.Order(
        options.engine,
        Path(options.out),
        options.kernel,
        options.isa,
        options.unroll,
        options.n,
        options.size,
        options.rounds,
    )
    with progress("tune", 1) as bar:
        task = bar.task_ids[0]
        watch = Watch(
            lambda what, steps: bar.reset(task, total=steps, description=what), lambda: bar.advance(task)
        )
        outcome = sweep.sweep(order, watch)
    if picture and outcome.tuning:
        for contract, found in outcome.swept.items():
            path = picture if len(outcome.swept) == 1 else picture.with_stem(f"{picture.stem}-{contract}")
            heatmap.heatmap(found, path, f"{outcome.tuning.engine_version}, {outcome.tuning.processor}")
    show.tuned(outcome, options.json)
    if not outcome.complete:
        return INTERRUPTED
    return FAILED if outcome.unsettled else DONE
