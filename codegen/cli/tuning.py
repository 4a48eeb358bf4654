"""The verb that searches for the fastest kernels of an engine: tune."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.base.output import progress
from codegen.cli import DONE, FAILED, INTERRUPTED, arguments, show
from codegen.cli.arguments import AddVerb
from codegen.kernels import tuning
from codegen.kernels.operations import MAX_UNROLL, OPERATIONS
from codegen.spec.strategies import Isa
from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.statistics import LEAST_ROUNDS
from codegen.speed.tune import heatmap
from codegen.speed.tune.search import FINAL_ROUNDS, Watch
from codegen.speed.tune.space import UNROLLS
from codegen.speed.tune.sweep import Order, sweep

_LEVELS = LEVELS[:-1]
"""Not from memory, where weights arrive too slowly to tell kernels apart, and dozens of gigabytes do not fit."""


def add(verb: AddVerb) -> None:
    """Adds the verb and its arguments."""
    tuned = verb("tune", _tune, "search for the fastest kernels of an engine", arguments.shown())
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
    tuned.add_argument("--size", choices=_LEVELS, help="where rows live; default l1, and l2 for matrices")
    tuned.add_argument(
        "--op",
        type=arguments.words(tuple(OPERATIONS)),
        default=[],
        metavar="LIST",
        help=f"operations, of {', '.join(OPERATIONS)}; default all",
    )
    tuned.add_argument(
        "--rounds",
        type=arguments.whole(LEAST_ROUNDS, 10_000),
        default=FINAL_ROUNDS,
        help=f"how often finalists are timed; default {FINAL_ROUNDS}",
    )
    tuned.add_argument(
        "-o", "--out", type=arguments.folder, default="tuning", metavar="DIR", help="default tuning/"
    )
    tuned.add_argument("--heatmap", type=Path, metavar="FILE.svg", help="draws what was found, too")


def _tune(options: argparse.Namespace) -> int:
    picture: Path | None = options.heatmap
    if picture:
        heatmap.require(picture)
    choice = options.kernel, options.isa, options.unroll, options.op
    order = Order(options.engine, Path(options.out), *choice, options.n, options.size, options.rounds)
    with progress("tune", 1) as bar:
        task = bar.task_ids[0]
        watch = Watch(
            lambda what, steps: bar.reset(task, total=steps, description=what), lambda: bar.advance(task)
        )
        outcome = sweep(order, watch)
    if picture and outcome.tuning:
        for contract, found in outcome.swept.items():
            path = picture if len(outcome.swept) == 1 else picture.with_stem(f"{picture.stem}-{contract}")
            heatmap.heatmap(found, path, f"{outcome.tuning.engine_version}, {outcome.tuning.processor}")
    show.tuned(outcome, options.json, options.wide)
    if not outcome.complete:
        return INTERRUPTED
    return FAILED if outcome.unsettled else DONE
