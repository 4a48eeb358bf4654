"""manifest.json: every registered kernel, with the hash of its bytes and what it costs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codegen.kernels.spec import KernelSpec
from codegen.wasm.cost import Cost

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Entry:
    """What the manifest says of one kernel beside the fields of its spec.

    Attributes:
        sha256: the hash of its assembled bytes.
        opcodes: opcodes of the main loop per 32 weights or values, to two decimals.
        bytes: the number of its assembled bytes.
    """

    sha256: str
    opcodes: float
    bytes: int

    def change_to(self, new: Entry) -> str:
        """The change of cost from this entry to another one, for people."""
        return f"{self.opcodes:.2f} -> {new.opcodes:.2f} opcodes per 32, {self.bytes} -> {new.bytes} bytes"


def entry_of(wasm: bytes, cost: Cost) -> Entry:
    """The entry of an assembled kernel."""
    return Entry(hashlib.sha256(wasm).hexdigest(), round(cost.opcodes, 2), cost.bytes)


def manifest_text(entries: Mapping[KernelSpec, Entry]) -> str:
    """The content of the file."""
    return json.dumps([_fields(spec) | asdict(entry) for spec, entry in entries.items()], indent=2) + "\n"


def read_manifest(folder: Path) -> dict[str, Entry]:
    """The entries of a folder's manifest by name; empty where it is not a file that `manifest_text` could have made."""
    try:
        entries = json.loads((folder / MANIFEST).read_text(encoding="ascii"))
        return {
            one["name"]: Entry(str(one["sha256"]), float(one["opcodes"]), int(one["bytes"]))
            for one in entries
        }
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return {}


def _fields(spec: KernelSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "export": spec.export,
        "op": spec.op,
        "x": spec.x,
        **({"y": spec.y} if spec.y else {}),
        **({"tile": spec.tile} if spec.tile else {}),
        "isa": spec.isa,
        "strategy": spec.strategy,
        "unroll": spec.unroll,
        "accumulators": spec.accumulators,
        "scales": spec.scales,
        "fold": spec.fold,
        "memory": spec.memory,
    }
