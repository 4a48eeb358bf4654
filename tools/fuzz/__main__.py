"""Hostile input for as long as one likes: GGUF files, command lines, calls from Python.

    python -m tools.fuzz --seconds 600             # figures; exit status 1 if there is a fault
    python -m tools.fuzz --replay gguf/7/0/123     # one input again, by the source that a fault names

Each input is drawn from its source, which is target/seed/worker/number. The first fault of each kind is written to
build/fuzz/. Needs POSIX's timers and limits.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from codegen.base.output import Table, print_tables, progress, write_file
from tools.fuzz.api_target import APITarget
from tools.fuzz.cli_target import CLITarget
from tools.fuzz.gguf_target import GGUFTarget
from tools.fuzz.target import Found, Target, attempt
from tools.fuzz.workers import FAULTY, INPUTS, WORKERS, Kinds, Run, make_target, run

TARGETS: dict[str, type[Target[Any]]] = {kind.name: kind for kind in (GGUFTarget, CLITarget, APITarget)}
FAULTS = Path("build/fuzz")


def main(argv: Sequence[str] | None = None) -> int:
    """Fuzzes, or replays an input; an exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.fuzz", description="Mutated and random input, until the time is over."
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, help="of all inputs (default: a random one, which is printed)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be repeated")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--replay", metavar="SOURCE", help="run this input again, here")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_memory_folder()) as folder:
        if options.replay:
            return replay(options.replay, Path(folder))
        seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
        kinds = [TARGETS[name] for name in dict.fromkeys(options.target or TARGETS)]
        found = fuzz(seed, kinds, options.seconds, Path(folder))
    show(found, options.json)
    return 1 if found.faults else 0


def fuzz(seed: int, kinds: Kinds, seconds: float, folder: Path) -> Run:
    """Runs workers until the time is over; writes faults down as they come."""
    with progress("fuzz", round(seconds)) as bar:

        def told(found: Run, new: list[Found]) -> None:
            for fault in new:
                write_down(fault, folder)
            text = f"{found.inputs:,} inputs, {len(found.faults)} faults, seconds"
            bar.update(bar.task_ids[0], completed=int(found.seconds), description=text)

        return run(seed, kinds, seconds, folder, told)


def replay(source: str, folder: Path) -> int:
    """Runs one input again and tells what became of it; an exit status."""
    outcome = attempt(make_target(TARGETS[source.split("/")[0]], folder), source)
    if isinstance(outcome, Found):
        print(f"{source}: {outcome.kind}\n{outcome.detail}", end="")
        return 1
    print(f"{source}: {', '.join(outcome)}")
    return 0


def write_down(fault: Found, folder: Path) -> None:
    """Writes the input of a fault, and what it did, to build/fuzz/."""
    target = make_target(TARGETS[fault.target], folder / "faults")
    suffix, content = target.save(target.draw(Random(fault.source)))
    write_file(_path(fault).with_suffix(suffix), content)
    text = f"{fault.kind}\nagain: python -m tools.fuzz --replay {fault.source}\n\n{fault.detail}"
    write_file(_path(fault), text.encode(errors="backslashreplace"))


def show(found: Run, as_json: bool) -> None:
    """Figures on standard output, faults on standard error."""
    if as_json:
        print(json.dumps(dataclasses.asdict(found), indent=2))
        return
    rows = [
        (
            name,
            ", ".join(f"{n:,} {what}" for what, n in counts.most_common() if what not in (INPUTS, FAULTY)),
            *(f"{n:,}" for n in (counts[INPUTS], round(counts[INPUTS] / found.seconds), counts[FAULTY])),
        )
        for name, counts in found.tally.items()
    ]
    columns = ("target", "outcomes", INPUTS, "per second", FAULTY)
    title = f"seed {found.seed}, {WORKERS} workers, {found.seconds:.0f} s"
    print_tables(Table(title, columns, rows, text=2))
    for fault in found.faults:
        print(f"fuzz: {fault.source}: {fault.kind}; see {_path(fault)}", file=sys.stderr)
    print(f"{found.inputs:,} inputs, {len(found.faults) or 'no'} fault{'s' * (len(found.faults) > 1)}")


def _path(fault: Found) -> Path:
    return FAULTS / f"{fault.source.replace('/', '-')}.fault"


def _memory_folder() -> Path | None:
    """Where files are kept in memory; None, the usual folder, where there is no such thing."""
    folder = Path("/dev/shm")
    return folder if folder.is_dir() else None


if __name__ == "__main__":
    sys.exit(main())
