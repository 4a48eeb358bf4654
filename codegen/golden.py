"""generated/ against what the generator says now: the golden files that people review."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen.assemble import assemble
from codegen.cost import Cost, cost
from codegen.errors import CodegenError, GoldenError
from codegen.output import write_file
from codegen.registry import REGISTERED
from codegen.render import render
from codegen.spec import KernelSpec

COSTS, MANIFEST = "costs.md", "manifest.json"
BLESS = "make bless"


@dataclass(frozen=True)
class Difference:
    """One golden file that is not what the generator says."""

    file: str
    what: str
    diff: str = ""
    blessable: bool = True


@dataclass(frozen=True)
class _Golden:
    spec: KernelSpec
    wat: str
    wasm: bytes
    cost: Cost


def check(folder: Path) -> list[Difference]:
    """Compares a folder of goldens with the generator; empty where they agree.

    A kernel that is not registered may lie there (`make kernels UNROLL=7` leaves some) as long as it is what
    the generator says of its name; but not in CI, which sees what was committed.
    """
    if not folder.is_dir():
        raise GoldenError(f"{folder}: no such folder; run `codegen check` in the project, or give --out")
    goldens = _goldens()
    wanted = _files(goldens)
    found = [_compare(folder / name, text) for name, text in wanted.items()]
    found += [_stranger(path) for path in sorted(folder.iterdir()) if path.name not in wanted]
    return [difference for difference in found if difference]


def bless(folder: Path) -> tuple[list[Path], list[Path]]:
    """Writes the goldens, and removes kernels of ours that are not registered; the files written and removed.

    Raises:
        GoldenError: in CI, where nobody would read the diff.
    """
    if os.environ.get("CI"):
        raise GoldenError("bless: refused where CI is set; bless on your machine and commit the diff")
    wanted = _files(_goldens())
    changed = [folder / name for name, text in wanted.items() if write_file(folder / name, text.encode())]
    removed = [path for path in sorted(folder.iterdir()) if path.name not in wanted and _ours(path)]
    for path in removed:
        path.unlink()
    return changed, removed


def _goldens() -> list[_Golden]:
    made = []
    for spec in REGISTERED:
        wat = render(spec)
        wasm = assemble(wat)
        made.append(_Golden(spec, wat, wasm, cost(wasm, spec.export, spec.unroll)))
    return made


def _files(goldens: Sequence[_Golden]) -> dict[str, str]:
    files = {f"{golden.spec.name}.wat": golden.wat for golden in goldens}
    return files | {COSTS: _costs(goldens), MANIFEST: _manifest(goldens)}


def _costs(goldens: Sequence[_Golden]) -> str:
    lines = [
        "# Costs",
        "",
        "Counted in the assembled bytes: opcodes, loads and multiplies of the main loop per 32 weights; locals and",
        "bytes of the whole kernel. Generated: `make bless`.",
        "",
        "| kernel | opcodes | loads | multiplies | locals | bytes |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for golden in goldens:
        c = golden.cost
        numbers = f"{c.opcodes:.2f} | {c.loads:.2f} | {c.multiplies:.2f} | {c.locals} | {c.bytes}"
        lines.append(f"| {golden.spec.name} | {numbers} |")
    return "\n".join(lines) + "\n"


def _manifest(goldens: Sequence[_Golden]) -> str:
    entries = [
        {
            "name": golden.spec.name,
            "export": golden.spec.export,
            "op": golden.spec.op,
            "x": golden.spec.x,
            "y": golden.spec.y,
            "isa": golden.spec.isa,
            "strategy": golden.spec.strategy,
            "unroll": golden.spec.unroll,
            "accumulators": golden.spec.accumulators,
            "scales": golden.spec.scales,
            "memory": golden.spec.memory,
            "sha256": hashlib.sha256(golden.wasm).hexdigest(),
        }
        for golden in goldens
    ]
    return json.dumps(entries, indent=2) + "\n"


def _compare(path: Path, text: str) -> Difference | None:
    if not path.is_file():
        return Difference(path.name, "is missing")
    try:
        have = path.read_bytes().decode("ascii")
    except UnicodeDecodeError:
        return Difference(path.name, "is not ASCII")
    if have == text:
        return None
    diff = difflib.unified_diff(
        have.splitlines(keepends=True),
        text.splitlines(keepends=True),
        f"{path} (committed)",
        f"{path} (generator)",
    )
    lines = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)
    return Difference(path.name, f"differs{_cost_delta(path, have, text)}", "".join(lines))


def _cost_delta(path: Path, have: str, text: str) -> str:
    """How the change moves the cost, where both texts assemble."""
    if path.suffix != ".wat":
        return ""
    spec = KernelSpec.parse(path.stem)
    try:
        old, new = (cost(assemble(wat), spec.export, spec.unroll) for wat in (have, text))
    except CodegenError:
        return ", and the committed text does not assemble"
    return (
        f": {old.opcodes:.2f} -> {new.opcodes:.2f} opcodes per 32 weights, {old.bytes} -> {new.bytes} bytes"
    )


def _stranger(path: Path) -> Difference | None:
    try:
        spec = KernelSpec.parse(path.stem)
        if path.suffix == ".wat" and path.read_bytes() == render(spec).encode() and not os.environ.get("CI"):
            return None
    except (CodegenError, OSError):
        pass
    what = "is an orphan: no registered kernel makes it"
    return Difference(path.name, what, blessable=_ours(path))


def _ours(path: Path) -> bool:
    """Whether a file is a kernel that some version of this generator wrote: its header says so."""
    try:
        return path.suffix == ".wat" and b";; Generated: edit templates/" in path.read_bytes()
    except OSError:
        return False
