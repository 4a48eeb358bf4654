"""The verb of the report."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.base.errors import InputError
from codegen.base.output import progress
from codegen.cli import DONE, FAILED, arguments, show
from codegen.cli.arguments import AddVerb
from codegen.products.report.data import Data
from codegen.speed.bench import hosts

REPORT = Path("docs/report")
INSTALL = "pip install 'ggml-wat[report]'"


def add(verb: AddVerb) -> None:
    """Adds the verb and its arguments."""
    report = verb("report", _report, "measure, and draw docs/report/: Markdown with SVG pictures")
    report.add_argument(
        "--from",
        dest="source",
        type=arguments.folder,
        metavar="DIR",
        help="draw what an earlier report measured, docs/report/data, without measuring",
    )
    report.add_argument(
        "--rounds", type=arguments.whole(1, 10_000), default=15, help="how often each is timed; default 15"
    )
    report.add_argument(
        "-o", "--out", type=arguments.folder, metavar="DIR", default=str(REPORT), help=f"default {REPORT}"
    )


def _report(options: argparse.Namespace) -> int:
    try:
        from codegen.products.report import write
    except ModuleNotFoundError as error:
        raise InputError(f"{error.name}: not installed, and the report is drawn with it; {INSTALL}") from None
    out = Path(options.out)
    data = Data.load(Path(options.source)) if options.source else _measured(options.rounds)
    written = [*data.save(out / "data"), *write.write(data, out)]
    for path in written:
        print(f"wrote {path}")
    if not written:
        print(f"{out} is what the data draws")
    wrong = [one for run in data.runs().values() for one in run.measurements if one.wrong]
    return FAILED if wrong else DONE


def _measured(rounds: int) -> Data:
    # Here, since it reads which kernels there are, and a file of those may be broken.
    from codegen.products.report import collect, series

    chosen, missing = hosts.select(series.EVERYWHERE)
    for reason in missing.values():
        show.complaint(f"left out: {reason}")
    with progress("report", collect.total(chosen, rounds)) as bar:
        return collect.collect(chosen, rounds, lambda: bar.advance(bar.task_ids[0]))
