"""What a sweep found, as a file: tuning/<engine>-<arch>.json. The kernels that are shipped as tuned come from these."""

from __future__ import annotations

import json
import math
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from codegen.base.errors import CodegenError, InputError
from codegen.base.output import write_file
from codegen.kernels.spec import KernelSpec
from codegen.spec.strategies import Isa

FORMAT, VERSION = "ggml-wasm-tuning", 1

FILES = {"wasmtime": "wasmtime", "node": "v8", "deno": "v8", "bun": "jsc"}
"""The engines that can be tuned, and by what name of its compiler an engine's file is called."""

_CANDIDATE, _BREAK = re.compile(r'\{\n +"kernel".*?\n +\}', re.DOTALL), re.compile(r"\n *")


def rivals_of(spec: KernelSpec) -> str:
    """What kernels have in common of which one is best: their contract, and where they make records, which.

    What reads records can have any: then its callers have the quantiser that makes such.
    """
    return spec.interface if spec.record and not spec.tile else spec.contract


@dataclass(frozen=True)
class Candidate:
    """One kernel of a sweep.

    Attributes:
        spec: the kernel.
        stage: the last stage of the search that timed it, from 1.
        median_ns: nanoseconds a product or row there; None where it has no right value.
        x_scalar: times as fast as the scalar baseline of the same batch.
        low, high: its 95% interval; None where rounds were too few for one.
        failed: why it can never be best, if it cannot.
    """

    spec: KernelSpec
    stage: int
    median_ns: float | None = None
    x_scalar: float | None = None
    low: float | None = None
    high: float | None = None
    failed: str | None = None

    def to_json(self) -> dict[str, Any]:
        """With the spec's fields, for readers that do not parse names."""
        s, numbers = self.spec, asdict(self)
        del numbers["spec"]
        shape = {"isa": s.isa, "strategy": s.strategy, "unroll": s.unroll, "accumulators": s.accumulators}
        tile = {"tile": s.tile} if s.tile else {}
        return {
            "kernel": s.name,
            **shape,
            **tile,
            **{o: getattr(s, o) for o in s.operation.options},
            **numbers,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Candidate:
        """What `to_json` wrote."""
        numbers = {name: _number(data[name]) for name in ("median_ns", "x_scalar", "low", "high")}
        failed = None if data["failed"] is None else str(data["failed"])
        return cls(KernelSpec.parse(data["kernel"]), int(data["stage"]), failed=failed, **numbers)


@dataclass(frozen=True)
class ContractTuning:
    """A sweep of one contract.

    Attributes:
        time: when it ended, UTC.
        n, level: the problem's: elements of a row, and where the weights lived.
        rounds: how often finalists were timed.
        complete: whether it was not interrupted.
        candidates: fastest first, by the low end of the interval; those that failed last.
        best: the kernel to use, by ISA; none for an ISA without a verified candidate.
        columns: the problem's columns of activations.
    """

    time: str
    n: int
    level: str
    rounds: int
    complete: bool
    candidates: tuple[Candidate, ...]
    best: Mapping[Isa, KernelSpec]
    columns: int = 1

    def over(self, old: ContractTuning | None) -> ContractTuning:
        """This sweep, and what an older one knows of ISAs that this one has no best of."""
        kept = {isa: spec for isa, spec in old.best.items() if isa not in self.best} if old else {}
        if not old or not kept:
            return self
        ours = [one for one in self.candidates if one.spec.isa not in kept]
        theirs = [one for one in old.candidates if one.spec.isa in kept]
        both = {**self.best, **kept}
        best = {isa: both[isa] for isa in Isa if isa in both}
        return replace(self, candidates=ranked((*ours, *theirs)), best=best)

    def to_json(self) -> dict[str, Any]:
        """As the file has it."""
        best = {isa: spec.name for isa, spec in self.best.items()}
        candidates = [one.to_json() for one in self.candidates]
        return {**vars(self), "candidates": candidates, "best": best}

    @classmethod
    def from_json(cls, contract: str, data: Mapping[str, Any]) -> ContractTuning:
        """What `to_json` wrote; ValueError where the best are not among those that passed."""
        candidates = tuple(Candidate.from_json(one) for one in data["candidates"])
        best = {Isa(isa): KernelSpec.parse(name) for isa, name in data["best"].items()}
        right = {one.spec for one in candidates if one.failed is None}
        for isa, spec in best.items():
            if spec not in right or (spec.isa, rivals_of(spec)) != (isa, contract):
                raise ValueError(f"{spec.name} cannot be the best of {contract}, {isa}")
        head = str(data["time"]), int(data["n"]), str(data["level"]), int(data["rounds"])
        columns = int(data.get("columns", 1))  # which files of dot products alone do not have
        return cls(*head, bool(data["complete"]), candidates, best, columns)


@dataclass(frozen=True)
class Tuning:
    """One file: an engine on an architecture, and what the last sweep of each contract found there."""

    engine: str
    engine_version: str
    arch: str
    processor: str
    contracts: Mapping[str, ContractTuning]

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.engine}-{self.arch}.json"

    @property
    def best(self) -> tuple[KernelSpec, ...]:
        """The kernels to use, of every contract and ISA."""
        return tuple(spec for contract in self.contracts.values() for spec in contract.best.values())

    def text(self) -> str:
        """The file's content, a line a candidate."""
        contracts = {name: one.to_json() for name, one in self.contracts.items()}
        whole = {"format": FORMAT, "version": VERSION, **vars(self), "contracts": contracts}
        return _CANDIDATE.sub(lambda one: _BREAK.sub(" ", one[0]), json.dumps(whole, indent=1)) + "\n"

    def save(self, folder: Path) -> Path:
        """Writes the file, whole or not at all; its path."""
        path = folder / self.file
        write_file(path, self.text().encode())
        return path


def ranked(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Fastest first, those that failed last.

    By the low end of the interval, where there is one: of hundreds that were timed a few times, some were lucky.
    """
    return tuple(
        sorted(candidates, key=lambda one: (one.failed is not None, -(one.low or one.x_scalar or 0)))
    )


def architecture() -> str:
    """The machine's, by one name on every system."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def load(path: Path) -> Tuning:
    """Reads a file that `save` wrote.

    Raises:
        InputError: it cannot be read, or is not such a file.
    """
    mend = "`codegen tune` writes it again"
    try:
        return _parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}); {mend}") from None
    except KeyError as missing:
        raise InputError(f"{path}: no tuning file, {missing} is missing; {mend}") from None
    except (ValueError, TypeError, AttributeError, RecursionError, CodegenError) as error:
        raise InputError(f"{path}: no tuning file ({error}); {mend}") from None


def _parse(text: str) -> Tuning:
    data = json.loads(text)
    if (data["format"], data["version"]) != (FORMAT, VERSION):
        raise ValueError(f"its format is not {FORMAT}, version {VERSION}")
    contracts = {name: ContractTuning.from_json(name, one) for name, one in data["contracts"].items()}
    head = {name: str(data[name]) for name in ("engine", "engine_version", "arch", "processor")}
    return Tuning(contracts=contracts, **head)


def _number(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)
