"""Verbs that hold kernels against exact results: verify, run."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen import engines
from codegen.base.output import progress, tracked
from codegen.cli import DONE, FAILED, arguments, show
from codegen.cli.arguments import AddVerb
from codegen.kernels import registry
from codegen.models.gguf_file import GGUFFile
from codegen.models.run import session
from codegen.models.run.activations import activations
from codegen.spec.strategies import Isa
from codegen.verify import vectors
from codegen.verify.kernel import verify_kernel

_ROUNDS, _MOST_ROUNDS = 9, 1000
"""Of timing a model's matrices: enough for an interval, and soon done."""

_MOST_COLUMNS = 1024


def add(verb: AddVerb) -> None:
    """Adds the verbs and their arguments."""
    verified = verb(
        "verify",
        _verify,
        "run kernels against the oracle and scalar",
        arguments.choice(),
        arguments.shown(),
    )
    verified.add_argument(
        "--engine",
        action="append",
        metavar="NAME",
        help=f"run the conformance vectors in this engine instead, of {', '.join(engines.NAMES)}, or in all that are"
        " found; may be repeated",
    )
    model = verb(
        "run",
        _run,
        "multiply the Q4_0 matrices of a GGUF file, each row checked, and estimate tokens per second",
        arguments.shown(),
    )
    model.add_argument("model", type=Path, metavar="MODEL.gguf")
    model.add_argument("--tensor", metavar="NAME", help="only this one")
    model.add_argument(
        "--isa", type=arguments.isa, default=Isa.RELAXED, help="uses its fastest mul_mat (default: relaxed)"
    )
    model.add_argument("--kernel", metavar="NAME", help="this mul_mat or vec_dot kernel instead")
    model.add_argument(
        "--columns",
        type=arguments.whole(1, _MOST_COLUMNS),
        default=1,
        metavar="N",
        help="of activations, as of a prompt of N tokens; default 1",
    )
    model.add_argument("--input", type=Path, metavar="X.npy", help="activations; default: random, seeded")
    model.add_argument(
        "--seed", type=arguments.whole(0, 2**63), default=0, help="of random activations; default 0"
    )
    model.add_argument(
        "--rounds",
        type=arguments.whole(1, _MOST_ROUNDS),
        default=_ROUNDS,
        metavar="N",
        help=f"in which ways to multiply are timed by turns; default {_ROUNDS}",
    )


def _verify(options: argparse.Namespace) -> int:
    if options.engine:
        return _verify_in_engines(options)
    reports = [verify_kernel(spec) for spec in tracked(arguments.selected(options), "verify")]
    show.reports(reports, options.json, options.wide)
    return DONE if all(report.passed for report in reports) else FAILED


def _verify_in_engines(options: argparse.Namespace) -> int:
    chosen = engines.select(options.engine)
    with progress("engines", len(chosen)) as bar:
        matrix = engines.run_matrix(
            vectors.job(arguments.selected(options)), chosen, lambda _: bar.advance(bar.task_ids[0])
        )
    # Who names an engine wants it run; who says "all" means all that are here.
    missing = [r for r in matrix.reports if r.skipped and "all" not in options.engine]
    if len(missing) < len(matrix.reports):
        show.matrix(matrix, options.json, options.wide)
    for report in missing:
        show.complaint(f"codegen: engine {report.name}: {report.skipped}")
    return DONE if matrix.passed and not missing else FAILED


def _run(options: argparse.Namespace) -> int:
    usual = registry.fastest()["mul_mat_q4_0", options.isa]
    spec = registry.named(options.kernel) if options.kernel else usual
    with GGUFFile.open(options.model) as file:
        matrices = [file.matrix(options.tensor)] if options.tensor else list(file.matrices)
        values = {
            n: activations(n, options.columns, options.seed, options.input)
            for n in {matrix.columns for matrix in matrices}
        }
        with progress("run", len(matrices)) as bar:
            result = session.run(
                file, matrices, spec, values, options.rounds, lambda: bar.advance(bar.task_ids[0])
            )
    show.model(result, options.json, options.wide)
    return DONE if result.passed else FAILED
