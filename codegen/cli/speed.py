"""Verbs about speed: bench."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from itertools import product

from codegen.base.errors import InputError
from codegen.base.output import progress
from codegen.cli import DONE, FAILED, arguments, show
from codegen.cli.arguments import AddVerb
from codegen.formats import Q4_0
from codegen.kernels.operations import OPERATIONS
from codegen.kernels.spec import KernelSpec
from codegen.spec.options import Memory
from codegen.speed.bench import article, hosts, native, session
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.frozen import Timed
from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.problem import Problem, Work
from codegen.speed.bench.result import Result
from codegen.speed.bench.usual import baseline_of, products, together, usual, weights_of

MATMUL = "matmul"
"""What --op calls all operations that multiply."""

_WEIGHTS, _ALL = tuple(x for x, _ in OPERATIONS["vec_dot"].operands), "all"
"""The formats of weights that some kernel multiplies, and what --weights calls all of them."""

_MEMORIES = {memory: (memory,) for memory in (Memory.SHARED, Memory.MEMORY64)}
"""Those that not every engine has, as they stand in a list of what kernels need."""

MOST_ROWS, MOST_COLUMNS = 1 << 24, 1 << 12


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    bench = verb(
        "bench",
        _bench,
        "time kernels against scalar, native GGML and the machine's limits",
        arguments.choice(),
        arguments.shown(),
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
        help=f"where rows live, of {', '.join(LEVELS)}; default l1, and l2 for matrices",
    )
    bench.add_argument(
        "--op",
        choices=(*OPERATIONS, MATMUL),
        help=f"the operation, or {MATMUL}: all that multiply; default that of the kernels named, or vec_dot",
    )
    bench.add_argument(
        "--weights",
        type=arguments.words((*_WEIGHTS, _ALL)),
        metavar="LIST",
        help=f"formats of weights, of {', '.join(_WEIGHTS)}, or {_ALL}; default those of the kernels named, or q4_0",
    )
    bench.add_argument(
        "--rows",
        type=arguments.wholes(1, MOST_ROWS),
        metavar="LIST",
        help="rows, as 64 or 64,4096, wherever they live then; default as many as --size holds",
    )
    bench.add_argument(
        "--columns",
        type=arguments.wholes(1, MOST_COLUMNS),
        metavar="LIST",
        help="columns of activations, as 1 or 1,4,32; default 1, and 32 for gemm and mul_mat",
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
    runs, notes = _article(options) if options.article else _asked(options)
    chosen, missing = hosts.select(options.engine)
    for specs, problem in runs:  # all, before the first takes its time
        session.check_room(len(specs), chosen, problem)
    for note in (*notes, *(f"left out: {reason}" for reason in missing.values())):
        show.complaint(note)
    measurements, limits = [], []
    with progress("bench", options.rounds * len(runs)) as bar:
        for specs, problem in runs:
            measured, found = session.run(
                specs, chosen, problem, options.rounds, lambda: bar.advance(bar.task_ids[0])
            )
            measurements += measured
            limits += found
    result = Result.of(options.rounds, measurements, limits)
    show.bench(
        result, "json" if options.json else options.format, as_article=options.article, wide=options.wide
    )
    timed = dict.fromkeys(spec for specs, _ in runs for spec in specs)
    for reason in _lacking(timed, chosen, result):
        show.complaint(f"left out: {reason}")
    return DONE if all(one.samples for one in result.measurements) else FAILED


_Runs = list[tuple[tuple[Timed, ...], Problem]]
"""Kernels that are timed together, and on what."""

_Wanted = tuple[_Runs, list[str]]
"""Runs, and what of the call could not be carried out as it stands."""


def _article(options: argparse.Namespace) -> _Wanted:
    for name in ("kernel", "isa", "unroll", "tuned", "memory", "n", "size", "op", "weights", "rows",
                 "columns"):  # fmt: skip
        if getattr(options, name):
            raise InputError(
                f"--{name}: --article has kernels and a problem of its own; leave one of the two out"
            )
    return [(article.specs(), Problem.at(article.N, "l1"))], []


def _asked(options: argparse.Namespace) -> _Wanted:
    if options.rows and options.size:
        raise InputError("--rows: --size says how many there are; leave one of the two out")
    operations = _operations(options)
    if options.weights and usual(operations[0]).work is Work.QUANTISE:
        raise InputError(f"--weights: {operations[0]} has none; leave it out")
    runs: _Runs = []
    notes: list[str] = []
    for weights, specs in _by_weights(options, operations).items():
        problems, found = _problems(options, operations, weights)
        timed = tuple(dict.fromkeys((baseline_of(specs[0]), *specs)))
        runs += [(timed, problem) for problem in problems]
        notes += found
    return runs, list(dict.fromkeys(notes))


def _by_weights(options: argparse.Namespace, operations: Sequence[str]) -> dict[str, list[KernelSpec]]:
    """The kernels by the format of their weights, since those of different formats have different problems."""
    wanted = options.weights or ([_ALL] if options.kernel else [Q4_0.name])
    found: dict[str, list[KernelSpec]] = {}
    for spec in arguments.selected(options, operations):
        if _ALL in wanted or weights_of(spec) in wanted:
            found.setdefault(weights_of(spec), []).append(spec)
    if not found:
        raise InputError(
            f"--weights {','.join(wanted)}: none of the kernels has such weights; see `codegen list`"
        )
    return found


def _problems(
    options: argparse.Namespace, operations: Sequence[str], weights: str
) -> tuple[list[Problem], list[str]]:
    """What kernels of some weights are timed on, and what of it is not as the call has it."""
    problems, notes = [], []
    for n, columns in product(options.n or [4096], options.columns or [None]):
        shared = together(operations, columns, weights)
        for rows in options.rows or []:
            problems.append(shared.of_rows(n, rows))
        for level in [] if options.rows else options.size or [shared.level]:
            problem = shared.at(n, level)
            if problem.level != level:
                notes.append(f"n = {n} does not fit in {level}: measured in {problem.level}")
            problems.append(problem)
    return list(dict.fromkeys(problems)), notes


def _operations(options: argparse.Namespace) -> tuple[str, ...]:
    """What the call is about: kernels that are named say it, where --op does not."""
    if options.op == MATMUL:
        return products()
    if options.op:
        return (options.op,)
    if options.kernel:
        return tuple(dict.fromkeys(spec.op for spec in arguments.selected(options)))
    return ("vec_dot",)


def _lacking(specs: Collection[Timed], hosts: Sequence[Host], result: Result) -> Iterator[str]:
    """Kernels that an engine could not load, by the feature it lacks, and functions that this build of GGML lacks."""
    done = {(one.kernel, one.engine) for one in result.measurements}
    for engine in (host.name for host in hosts):
        if engine == native.HOST:
            peers = dict.fromkeys(one.peer for one in result.measurements if one.peer)
            yield from (f"{peer} in native, whose library lacks it" for peer in peers if not native.has(peer))
            continue
        lacking = (spec for spec in specs if (spec.name, engine) not in done)
        for needs in dict.fromkeys(" ".join((spec.isa, *_MEMORIES.get(spec.memory, ()))) for spec in lacking):
            yield f"{needs} kernels in {engine}, which lacks the feature"
