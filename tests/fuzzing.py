"""The fuzzers, a few inputs at a time."""

from __future__ import annotations

from typing import Any

from tools.fuzz.api_target import APITarget
from tools.fuzz.cli_target import CLITarget
from tools.fuzz.gguf_target import GGUFTarget
from tools.fuzz.target import Found, Target, attempt

TARGETS = (GGUFTarget, CLITarget, APITarget)


def first_fault(target: Target[Any], inputs: int, limit_s: float | None = None) -> Found | None:
    for number in range(inputs):
        outcome = attempt(target, f"{target.name}/smoke/0/{number}", limit_s)
        if isinstance(outcome, Found):
            return outcome
    return None
