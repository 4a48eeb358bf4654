"""The order of the rooms: a module imports only its own room and rooms before it, and no two modules each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import codegen

ROOT = Path(codegen.__file__).parent
ROOMS = (
    "base",
    "wasm",
    "formats",
    "oracle",
    "spec",
    "kernels",
    "render",
    "runtime",
    "verify",
    "engines",
    "speed",
    "models",
    "products",
    "cli",
)
"""From the lowest up; the package's own __init__ and __main__ stand above them all."""

MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def imports(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Each import of a module of ours in a file, wherever in the file it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names if alias.name.split(".")[0] == "codegen")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "codegen":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield node, full if full in MODULES else str(node.module)


def room(module: str) -> int:
    """The number of a module's room; that of none for the package's own modules, which no room may import."""
    parts = module.split(".")
    return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else len(ROOMS)


def test_every_module_is_in_a_room() -> None:
    outside = {name for name in MODULES if room(name) == len(ROOMS)}
    assert outside == {"codegen", "codegen.__main__"}


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_imports_only_rooms_before_it(name: str) -> None:
    wrong = [
        f"{module} imports {imported}"
        for module, path in MODULES.items()
        if module.split(".")[1:2] == [name]
        for _, imported in imports(path)
        if room(imported) > room(module)
    ]
    assert not wrong


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports inside functions count, and those for the type checker alone: a circle is no better for being hidden."""
    graph = {
        module: {imported for _, imported in imports(path) if MODULES[imported].name != "__init__.py"}
        for module, path in MODULES.items()
        if path.name != "__init__.py"
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_no_module_is_shadowed_by_what_its_package_has() -> None:
    for module, path in MODULES.items():
        if path.name == "__init__.py":
            names = {name.rpartition(".")[2] for name in MODULES if name.rpartition(".")[0] == module}
            defined = {
                alias.asname or alias.name
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
                if f"{node.module}.{alias.name}" not in MODULES
            }
            assert not names & defined, module


def test_no_module_makes_names_as_they_are_asked_for() -> None:
    """A module-level __getattr__, or import_module of ours, would hide what depends on what."""
    for path in MODULES.values():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [
            node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
        ]
