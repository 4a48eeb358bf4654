"""Processes that run inputs until the time is over, and the watch on them.

A worker ends an input that takes too much CPU time by itself. One that dies, or is stuck in a call, is noticed by
the process that started it: the input it was at is a fault like any other.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import resource
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from tools.fuzz.target import Found, Target, attempt

WORKERS = 2
Kinds = Sequence[type[Target[Any]]]

MEMORY_BYTES = 1 << 30
"""What a worker may allocate; engine, kernels and the largest call that is right take a quarter of it."""
STUCK_S = 120
"""Time on the clock after which an input counts as stuck; a busy machine is slow, so this is generous."""
TOLD_EVERY_S = 0.5

INPUTS, FAULTY = "inputs", "faulty"
Tally = dict[str, Counter[str]]
"""For each target, how many inputs it had, how many were faulty, and how many had each outcome."""


class Worker:
    """A process that runs inputs, as seen from outside."""

    def __init__(self, number: int, seed: int, kinds: Kinds, seconds: float, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.ear, mouth = context.Pipe(duplex=False)
        self._at = context.RawArray(ctypes.c_char, 100)
        arguments = (number, seed, kinds, seconds, folder / str(number), mouth, self._at)
        self._process: SpawnProcess = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        mouth.close()  # the process has the only other one: its end is the end of the pipe
        self._source, self._since = "", time.monotonic()
        self.tally: Tally = {}

    @property
    def source(self) -> str:
        """The input that it is at, or was at when it ended."""
        return str(self._at.value.decode())

    def listen(self) -> list[Found]:
        """The faults it has found since, or is one."""
        found = []
        try:
            while self.ear.poll():
                heard = self.ear.recv()
                if isinstance(heard, Found):
                    found.append(heard)
                else:
                    self.tally = heard
        except EOFError:
            self._process.join()
            if self._process.exitcode:
                found.append(Found(self.source, f"death by exit status {self._process.exitcode}", ""))
            self.stop()
            return found
        if self.source != self._source:
            self._source, self._since = self.source, time.monotonic()
        elif self.source and time.monotonic() - self._since > STUCK_S:  # it has none while it starts
            found.append(Found(self.source, f"stuck for {STUCK_S} s", ""))
            self.stop()
        return found

    def stop(self) -> None:
        """Ends it, if it has not ended; nothing is heard from it any more."""
        self._process.kill()
        self._process.join()
        self.ear.close()


@dataclass
class Run:
    """What a run has found so far.

    Attributes:
        seed: of all inputs.
        seconds: time on the clock.
        tally: over all workers.
        faults: the first of each kind.
    """

    seed: int
    seconds: float = 0
    tally: Tally = field(default_factory=dict)
    faults: list[Found] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """Over all targets."""
        return sum(counts[INPUTS] for counts in self.tally.values())


def run(
    seed: int, kinds: Kinds, seconds: float, folder: Path, told: Callable[[Run, list[Found]], None]
) -> Run:
    """Fuzzes until the time is over, or an interruption.

    Args:
        seed: of all inputs.
        kinds: the targets.
        seconds: the time.
        folder: for the workers' files.
        told: called often, with what was found so far and the faults that are new.
    """
    start = time.monotonic()
    found = Run(seed)
    workers = [Worker(number, seed, kinds, seconds, folder) for number in range(WORKERS)]
    try:
        while listening := [worker for worker in workers if not worker.ear.closed]:
            wait([worker.ear for worker in listening], timeout=TOLD_EVERY_S)
            known = {(fault.target, fault.kind) for fault in found.faults}
            heard = {(f.target, f.kind): f for worker in listening for f in worker.listen()}
            new = [fault for key, fault in heard.items() if key not in known]
            found.faults += new
            found.seconds = time.monotonic() - start
            found.tally = {
                kind.name: sum((worker.tally.get(kind.name, Counter()) for worker in workers), Counter())
                for kind in kinds
            }
            told(found, new)
    except KeyboardInterrupt:
        pass  # what was found so far is worth telling
    finally:
        for worker in workers:
            worker.stop()
    return found


def make_target(kind: type[Target[Any]], folder: Path) -> Target[Any]:
    """A target with a folder of its own in `folder`."""
    own = folder / kind.name
    own.mkdir(parents=True, exist_ok=True)
    return kind(own)


def _work(
    number: int, seed: int, kinds: Kinds, seconds: float, folder: Path, mouth: Connection, at: Any
) -> None:
    """Inputs for all targets, each in its share of the time; tells of new faults and, often, its tally."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that is asked to stop stops this one
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    targets = [make_target(kind, folder) for kind in kinds]
    spent: dict[str, float] = defaultdict(float)
    tally: Tally = {target.name: Counter() for target in targets}
    known = set()
    now = told = time.monotonic()
    end = now + seconds
    while now < end:
        target = min(targets, key=lambda target: spent[target.name] / target.share)
        counts = tally[target.name]
        source = f"{target.name}/{seed}/{number}/{counts[INPUTS]}"
        at.value = source.encode()
        outcome = attempt(target, source)
        counts[INPUTS] += 1
        if isinstance(outcome, Found):
            counts[FAULTY] += 1
            if (outcome.target, outcome.kind) not in known:
                known.add((outcome.target, outcome.kind))
                mouth.send(outcome)
        else:
            counts.update(outcome)
        before, now = now, time.monotonic()
        spent[target.name] += now - before
        if now - told > TOLD_EVERY_S:
            mouth.send(tally)
            told = now
    mouth.send(tally)
