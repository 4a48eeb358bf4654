"""What any command line may end with, and say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.fuzz.target import expect

_DOUBT = re.compile(r"(noisy machine|cannot tell apart|no ratio is sure|left out|n = \d+ does not fit)\b.*")
"""What `bench` says of a result beside it."""


def check_words(words: Sequence[str], status: int, out: str, err: str) -> None:
    """Exit statuses, one line where a call is refused, and no word too many."""
    what = f"{words}\nstatus {status}\n{err[:1000]}"
    expect(status in (0, 1, 2), "exit status", what)
    expect(not (status == 1 and words[:1] == ("run",)), "wrong result", what)
    if status == 2:
        expect(not out, "output of a refused call", what)
        one_line = err.startswith("codegen: ") and err.endswith("\n") and err[:-1].isprintable()
        expect(one_line, "message", what)
    if status == 0:
        doubts = words[:1] == ("bench",) and all(map(_DOUBT.fullmatch, err.splitlines()))
        expect(not err or doubts, "words on standard error", what)
    if words[:1] == ("run",) and all(word.isprintable() for word in words):
        expect(out.replace("\n", "").isprintable(), "control characters", f"{words}\n{out!r}")
