"""Verbs about speed: bench."""

from __future__ import annotations

import argparse

from codegen import arguments, show
from codegen.arguments import AddVerb
from codegen.bench.timing import time_kernels
from codegen.commands import DONE
from codegen.output import progress
from codegen.spec import KernelSpec
from codegen.strategies import Isa


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    bench = verb(
        "bench",
        _bench,
        "time kernels against scalar, interleaved, in wasmtime",
        arguments.choice(),
        arguments.as_json(),
    )
    bench.add_argument(
        "--n", type=arguments.whole(32, 1 << 20), default=4096, help="elements, a multiple of 32"
    )
    bench.add_argument(
        "--rounds", type=arguments.whole(1, 10_000), default=15, help="how often each is timed; default 15"
    )


def _bench(options: argparse.Namespace) -> int:
    specs = arguments.selected(options)
    baseline = KernelSpec(Isa.SCALAR)
    specs = (baseline, *(spec for spec in specs if spec != baseline))
    with progress("bench", options.rounds) as bar:
        timings = time_kernels(specs, options.n, options.rounds, lambda: bar.advance(bar.task_ids[0]))
    show.timings(timings, options.rounds, options.json)
    return DONE
