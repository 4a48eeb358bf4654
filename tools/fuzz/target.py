"""What can be fuzzed, and one input run against it."""

from __future__ import annotations

import contextlib
import signal
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import ClassVar, Generic, NoReturn, TypeVar

from codegen.base.errors import CodegenError

Case = TypeVar("Case")


class FaultError(Exception):
    """An input did what no input may do; faults of the same `kind` count as one."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


def expect(condition: bool, kind: str, detail: object = "") -> None:
    """Raises a FaultError unless the condition holds."""
    if not condition:
        raise FaultError(kind, str(detail))


def refused(error: CodegenError) -> str:
    """The word for a call that was refused, which takes a message that people can read."""
    expect(str(error) != "" and str(error).isprintable(), "message", repr(str(error)[:1000]))
    return "refused"


class Target(ABC, Generic[Case]):
    """Something that takes input from anywhere.

    Attributes:
        name: first word of an input's source.
        share: of the run's time, against the other targets' shares.
        limit_s: CPU time after which an input counts as a hang.
    """

    name: ClassVar[str]
    share: ClassVar[float]
    limit_s: ClassVar[float]

    @abstractmethod
    def __init__(self, folder: Path) -> None:
        """Prepares what all inputs share; `folder` is the target's own."""

    @abstractmethod
    def draw(self, random: Random) -> Case:
        """An input, a function of `random` and of nothing else."""

    @abstractmethod
    def check(self, case: Case) -> Sequence[str]:
        """Runs an input; the words to count it under.

        Raises:
            FaultError: what no input may do. Any other exception that gets out is a fault as well.
        """

    @abstractmethod
    def save(self, case: Case) -> tuple[str, bytes]:
        """A file for whoever looks into a fault: its suffix and content."""


@dataclass(frozen=True)
class Found:
    """A fault, and the input that showed it."""

    source: str
    kind: str
    detail: str

    @property
    def target(self) -> str:
        """Name of the target."""
        return self.source.split("/")[0]


class TimeRanOut(BaseException):
    """An input hangs; not an Exception, so that no handler on the way takes it for another error."""


def attempt(target: Target[Case], source: str, limit_s: float | None = None) -> Sequence[str] | Found:
    """Draws the input of this source and runs it.

    Args:
        target: what to run it against.
        source: seeds the input.
        limit_s: the target's own limit where it is None.
    """
    case = target.draw(Random(source))
    try:
        with _time_limit(limit_s or target.limit_s):
            return target.check(case)
    except TimeRanOut:
        return Found(source, "hang", traceback.format_exc())
    except FaultError as fault:
        return Found(source, fault.kind, traceback.format_exc())
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        return Found(source, f"{type(error).__name__} at {where}", traceback.format_exc())


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """TimeRanOut after so much CPU time: a clock on the wall would find hangs on a busy machine.

    Python runs the handler between two of its instructions: what hangs or blocks inside a call is noticed by
    whoever watches this process.
    """
    before = signal.signal(signal.SIGPROF, _time_is_out)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _time_is_out(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise TimeRanOut
