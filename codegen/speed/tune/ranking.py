"""A sweep as people read it: the fastest, the best of each ISA, and where what was used before stands now."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from codegen.base.output import Table
from codegen.kernels.spec import KernelSpec
from codegen.kernels.tuning import Candidate, ContractTuning
from codegen.speed.tune.sweep import Outcome

_SHOWN = 10
_NOISY = 0.1

COLUMNS = ("kernel", "", "rank", "ns", "x scalar", "95%", "stage")


def ranking(title: str, swept: ContractTuning, before: Collection[KernelSpec]) -> Table:
    """The first of all candidates, and of the others those that are or were used."""
    rows = [
        _row(rank, one, _notes(one, swept, before))
        for rank, one in enumerate(swept.candidates, 1)
        if rank <= _SHOWN or one.spec in before or one.spec in swept.best.values()
    ]
    columns = f", {swept.columns} columns" if swept.columns > 1 else ""
    counts = f"{len(swept.candidates)} kernels, n = {swept.n:,}, weights in {swept.level}{columns}"
    return Table(f"{title}: {counts}", COLUMNS, rows, text=2, extra=("stage",))


def noise(swept: ContractTuning) -> str:
    """That the machine was too noisy for the choice to mean much, if it was; else nothing."""
    last = max((one.stage for one in swept.candidates), default=0)
    spreads = [
        (one.high - one.low) / one.x_scalar
        for one in swept.candidates
        if one.stage == last and one.x_scalar and one.low and one.high
    ]
    worst = max(spreads, default=0.0)
    if worst <= _NOISY:
        return ""
    return f"noisy machine: a finalist's 95% interval is {worst:.0%} wide; quiet it, or ask for more --rounds"


def complaints(outcome: Outcome) -> Iterator[str]:
    """What the caller should know besides, one line each."""
    yield from outcome.remarks
    for swept in outcome.swept.values():
        yield from (
            f"{one.spec.name} can never be best: {one.failed}" for one in swept.candidates if one.failed
        )
    if not outcome.complete:
        yield f"codegen: interrupted; {outcome.path} has what was measured, run it again to finish"
    else:
        yield from (f"codegen: {each}: no kernel passed verification" for each in outcome.unsettled)


def _row(rank: int, one: Candidate, notes: str) -> tuple[str, ...]:
    if one.median_ns is None:
        return (one.spec.name, notes, str(rank), *[""] * 3, str(one.stage))
    interval = f"{one.low:.2f} to {one.high:.2f}" if one.low and one.high else ""
    return (
        one.spec.name,
        notes,
        str(rank),
        f"{one.median_ns:.1f}",
        f"{one.x_scalar:.2f}",
        interval,
        str(one.stage),
    )


def _notes(one: Candidate, swept: ContractTuning, before: Collection[KernelSpec]) -> str:
    notes = []
    if one.spec in swept.best.values():
        notes.append(f"best of {one.spec.isa}")
    if one.spec in before:
        notes.append("used before")
    if one.failed:
        notes.append("FAILED")
    return ", ".join(notes)
