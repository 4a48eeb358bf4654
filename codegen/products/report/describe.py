"""Words for what was measured, computed from it: engines, problems, levels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from codegen.speed.bench.machine import LEVELS
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Measurement, Result

_COMPILERS = {"node": "V8", "deno": "V8", "bun": "JavaScriptCore", "wasmtime": "Cranelift"}


def engines(result: Result) -> list[str]:
    """The engines that something right was measured in, in the run's order."""
    return list(dict.fromkeys(one.engine for one in result.right))


def engine(result: Result, name: str) -> tuple[str, str]:
    """An engine's name and version, and what compiles in it, each short; for native code, what it is."""
    version = next((limits.version for limits in result.limits if limits.engine == name), name)
    if name == "native":
        return "native", version.partition("(")[2].partition(")")[0]
    return " ".join(version.split()[:2]), _COMPILERS.get(name, "")


def level(name: str) -> str:
    """A level as people write it."""
    return name.upper() if name.startswith("l") else name


def levels(measurements: Iterable[Measurement]) -> dict[str, int]:
    """The levels that were measured, nearest first, and the bytes of weights that lived there."""
    size = {one.level: Problem(one.n, one.rows, one.level).bytes for one in measurements}
    return {name: size[name] for name in LEVELS if name in size}


def size(count: int) -> str:
    """Bytes in a unit that makes the number short."""
    return f"{count / 1024:.0f} KiB" if count < 1000 << 10 else f"{count / (1 << 20):.0f} MiB"


def work(measurements: Iterable[Measurement]) -> str:
    """The problem, as far as all measurements share it."""
    found = list(measurements)
    lengths, places = {one.n for one in found}, {one.level for one in found}
    of = f" of {min(lengths):,}" if len(lengths) == 1 else ""
    where = f", weights in {level(min(places))}" if len(places) == 1 else ""
    return f"Q4_0 x Q8_0 dot products{of}{where}"


def processor(result: Result) -> str:
    """The processor's name without what every name has."""
    short = re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b|\d+-Core|@ [\d.]+GHz", "", result.processor)
    return re.sub(r"\s+(?=,|$)", "", re.sub(r"\s+", " ", short))


def markdown(names: Sequence[str], rows: Iterable[Sequence[str]], text: int) -> str:
    """A table, its first `text` columns of words and the others of numbers."""
    rule = ["---"] * text + ["---:"] * (len(names) - text)
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, rule, *rows))
