"""generated/ against what the generator says now: the golden files that people review.

The folder has the text of the kernels that `registry.shown` names, and two tables, costs.md and manifest.json, that
have all registered kernels. Of a kernel that is not shown, the manifest's hash and cost say whether it changed.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codegen.base.errors import CodegenError, GoldenError, MachineCodeError
from codegen.base.output import write_file
from codegen.formats.document import document
from codegen.kernels import registry
from codegen.kernels.plans import make_plan
from codegen.kernels.spec import KernelSpec
from codegen.products.cost_table import MachineColumn, cost_table
from codegen.products.manifest import MANIFEST, Entry, entry_of, manifest_text, read_manifest
from codegen.render.text import long_line, render_kernel
from codegen.wasm.assemble import assemble
from codegen.wasm.code import function as function_of
from codegen.wasm.cost import Cost, cost

_SHORTEN = "break the line in templates/"

COSTS = "costs.md"
FORMATS = "formats.md"
BLESS = "make bless"


@dataclass(frozen=True)
class Difference:
    """One golden that is not what the generator says, or that may not be what it says.

    Attributes:
        golden: the name of a file, or of a kernel that is not shown.
        what: what is wrong with it.
        diff: between the file and what the generator says; "" for a kernel that is not shown.
        mend: what mends it; "" where blessing it does, if it is meant.
    """

    golden: str
    what: str
    diff: str = ""
    mend: str = ""


@dataclass(frozen=True)
class Blessed:
    """What `bless` did.

    Attributes:
        changed: the files that it wrote.
        removed: the files that it removed.
        kept: why it could not count machine instructions and kept the numbers there were; "" where it could.
    """

    changed: list[Path]
    removed: list[Path]
    kept: str


@dataclass(frozen=True)
class _Golden:
    spec: KernelSpec
    wat: str
    wasm: bytes
    cost: Cost

    @property
    def entry(self) -> Entry:
        """What the manifest says of it."""
        return entry_of(self.wasm, self.cost)


def check(folder: Path, docs: Path | None = None) -> list[Difference]:
    """Compares a folder of goldens with the generator; empty where they agree.

    Args:
        folder: the goldens.
        docs: the folder of the generated document of formats; None leaves it out.
    """
    if not folder.is_dir():
        raise GoldenError(f"{folder}: no such folder; `codegen bless` writes it")
    goldens = _goldens()
    wanted = _files(goldens, _committed_column(folder))
    found = [_unreadable(golden) for golden in goldens]
    found += [_compare(folder / name, text) for name, text in wanted.items()]
    found += _changed(goldens, read_manifest(folder))
    found += [_orphan(path) for path in sorted(folder.iterdir()) if path.name not in wanted]
    if docs:
        found.append(_compare(docs / FORMATS, document()))
    return [difference for difference in found if difference]


def bless(folder: Path, docs: Path | None = None) -> Blessed:
    """Writes the goldens, and removes kernels of ours that are not shown.

    Args:
        folder: the goldens.
        docs: the folder of the generated document of formats; None leaves it out.

    Raises:
        GoldenError: in CI, where nobody would read the diff; a kernel has a line that is too long to read.
    """
    if os.environ.get("CI"):
        raise GoldenError("bless: refused where CI is set; bless on your machine and commit the diff")
    goldens = _goldens()
    for refused in filter(None, map(_unreadable, goldens)):
        raise GoldenError(f"bless: {refused.golden} {refused.what}; {refused.mend}")
    column, kept = _compiled_column(goldens), ""
    if isinstance(column, MachineCodeError):
        column, kept = _still_valid_column(goldens, folder), str(column)
    wanted = _files(goldens, column)
    files = {folder / name: text for name, text in wanted.items()}
    if docs:
        files[docs / FORMATS] = document()
    changed = [path for path, text in files.items() if write_file(path, text.encode())]
    removed = [path for path in sorted(folder.iterdir()) if path.name not in wanted and _ours(path)]
    for path in removed:
        path.unlink()
    return Blessed(changed, removed, kept)


def _goldens() -> list[_Golden]:
    made = []
    for spec in registry.registered():
        wat = render_kernel(spec)
        wasm = assemble(wat)
        made.append(_Golden(spec, wat, wasm, cost(wasm, make_plan(spec).main_loop)))
    return made


def _unreadable(golden: _Golden) -> Difference | None:
    told = long_line(golden.wat)
    return Difference(f"{golden.spec.name}.wat", f"is hard to read: {told}", mend=_SHORTEN) if told else None


def _files(goldens: Sequence[_Golden], column: MachineColumn) -> dict[str, str]:
    shown = registry.shown()
    files = {f"{golden.spec.name}.wat": golden.wat for golden in goldens if golden.spec in shown}
    costs = cost_table([(golden.spec.name, golden.cost) for golden in goldens], column)
    return files | {COSTS: costs, MANIFEST: manifest_text({golden.spec: golden.entry for golden in goldens})}


def _compiled_column(goldens: Sequence[_Golden]) -> MachineColumn | MachineCodeError:
    """What wasmtime makes of the kernels, or why that cannot be told here."""
    from codegen.products.machine_code import wasmtime_code
    from codegen.products.machine_code.listing import machine_loop, turn

    counts = {}
    for golden in goldens:
        main = make_plan(golden.spec).main_loop
        function = function_of(golden.wasm, main.function)
        try:
            code = wasmtime_code.compile_function(golden.wasm, function, wasmtime_code.AVX2)
            loop = machine_loop(golden.spec.name, golden.wasm, function, code)
        except MachineCodeError as error:
            return error
        counts[golden.spec.name] = f"{len(turn(golden.spec.name, function, main, loop)) / main.blocks:.2f}"
    return MachineColumn(wasmtime_code.wasmtime_version(), counts)


def _committed_column(folder: Path) -> MachineColumn:
    try:
        return MachineColumn.read((folder / COSTS).read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError):
        return MachineColumn()


def _still_valid_column(goldens: Sequence[_Golden], folder: Path) -> MachineColumn:
    """The committed numbers of kernels that have not changed since."""
    column = _committed_column(folder)
    manifest = read_manifest(folder)
    same = {g.spec.name for g in goldens if manifest.get(g.spec.name) == g.entry}
    return replace(column, instructions={k: v for k, v in column.instructions.items() if k in same})


def _changed(goldens: Sequence[_Golden], manifest: Mapping[str, Entry]) -> list[Difference]:
    """Kernels that are not shown, and whose bytes are not those of the manifest."""
    shown = registry.shown()
    hidden = {g.spec.name: g.entry for g in goldens if g.spec not in shown and g.spec.name in manifest}
    return [
        Difference(name, f"has another hash: {manifest[name].change_to(entry)}")
        for name, entry in hidden.items()
        if manifest[name].sha256 != entry.sha256
    ]


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
        old, new = (
            entry_of(wasm, cost(wasm, make_plan(spec).main_loop)) for wasm in map(assemble, (have, text))
        )
    except CodegenError:
        return ", and the committed text does not assemble"
    return f": {old.change_to(new)}"


def _orphan(path: Path) -> Difference:
    return Difference(
        path.name, "is an orphan: no shown kernel makes it", mend="" if _ours(path) else "remove it"
    )


def _ours(path: Path) -> bool:
    """Whether a file is a kernel that some version of this generator wrote: its header says so."""
    try:
        return path.suffix == ".wat" and b";; Generated: edit templates/" in path.read_bytes()
    except OSError:
        return False
