"""The verb that writes the npm package: js."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.base.output import write_file
from codegen.cli import DONE, arguments
from codegen.cli.arguments import AddVerb

DIST = Path("dist/js")


def add(verb: AddVerb) -> None:
    """Adds the verb and its arguments."""
    verb("js", _js, f"write the npm package, an ES module and its kernels, to {DIST}/").add_argument(
        "-o", "--out", type=arguments.folder, metavar="DIR", help="instead of that"
    )


def _js(options: argparse.Namespace) -> int:
    from codegen.products.javascript import package

    folder = Path(options.out or DIST)
    written = [(name, write_file(folder / name, data)) for name, data in package.files()]
    changed = [name for name, new in written if new]
    for name in changed:
        print(f"wrote {folder / name}")
    print(f"{len(written)} files: {len(changed)} written, {len(written) - len(changed)} up to date")
    return DONE
