"""The page as a folder of static files: web/ bundled by esbuild, the data, and the JavaScript package."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from codegen.base.errors import InputError
from codegen.base.output import write_file
from codegen.engines.npm import install_from_npm
from codegen.engines.process import DOWNLOAD_S, run_command
from codegen.engines.report import EngineError
from codegen.products.javascript import package
from codegen.products.page import data

SOURCES = Path(__file__).resolve().parents[3] / "web"
PACKAGES = Path("build/page")
"""Where npm's packages go, in the current project."""

STEPS = ("packages", "bundle", "data", "write")

_ENTRIES = ("app.js", "verify-worker.js", "bench-worker.js", "model-worker.js")
_STATIC = ("index.html", "style.css", "icon.svg")
_GGML = "ggml"
"""The folder of the JavaScript package, which is not bundled: only the model's worker loads it."""

_LIST = "files.txt"
"""What a build wrote: the next one removes what it does not write again, and nothing else."""


def build(folder: Path, step: Callable[[str], None] = lambda _: None) -> dict[str, int]:
    """Builds the page.

    Args:
        folder: where to.
        step: called with the name of each of STEPS when it begins.

    Returns:
        The bytes of each file by its name.

    Raises:
        InputError: the sources or what builds them is not here.
    """
    made_before(folder)  # refuses what is no page before the long steps
    if not SOURCES.is_dir():
        raise InputError(f"{SOURCES}: the page's sources are not here; build it in a checkout of the project")
    files = {name: (SOURCES / name).read_bytes() for name in _STATIC}
    try:
        step("packages")
        packages = install_packages()
        step("bundle")
        files |= _bundled(packages)
    except EngineError as error:
        raise InputError(f"page: {error}") from None
    step("data")
    files |= {f"data/{name}": content for name, content in data.files()}
    files |= {f"{_GGML}/{name}": content for name, content in package.files() if name.endswith(".js")}
    step("write")
    files[_LIST] = ("\n".join(sorted(files)) + "\n").encode()
    for name in made_before(folder) - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        write_file(folder / name, content)
    return {name: len(content) for name, content in files.items()}


def install_packages() -> Path:
    """The packages that web/package.json asks for, fetched where they are not here yet; their folder.

    They are fetched into another folder, which is then renamed: one that is there is whole, whoever else fetches.

    Raises:
        EngineError: there is no npm, or it fails.
    """
    wanted = (SOURCES / "package.json").read_bytes()
    folder = PACKAGES.absolute() / hashlib.sha256(wanted).hexdigest()[:16]
    if not folder.is_dir():
        PACKAGES.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=PACKAGES.absolute(), prefix=".npm-") as temporary:
            made = Path(temporary, "packages")
            write_file(made / "package.json", wanted)
            install_from_npm(made)
            with suppress(OSError):  # somebody else's is there by now, and is as good
                made.rename(folder)
    return folder / "node_modules"


def _bundled(packages: Path) -> dict[str, bytes]:
    """The scripts, each with all that it imports but the JavaScript package."""
    options = [
        *("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=error"),
        *("--external:node:*", f"--external:./{_GGML}/*"),
    ]
    with tempfile.TemporaryDirectory(prefix="codegen-") as folder:
        scripts = [SOURCES / name for name in _ENTRIES]
        command: list[str | Path] = [_esbuild(packages), *scripts, *options, f"--outdir={folder}"]
        run_command(command, DOWNLOAD_S, {"NODE_PATH": str(packages)})
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _esbuild(packages: Path) -> Path:
    """The program itself, out of its package for this platform: no script of a package has to run for it."""
    programs = sorted((packages / "@esbuild").glob("*/bin/esbuild")) or sorted(
        (packages / "@esbuild").glob("*/esbuild.exe")
    )
    if not programs:
        raise EngineError("npm has no esbuild for this platform: remove build/page and try again")
    return programs[0]


def made_before(folder: Path) -> set[str]:
    """The files of an earlier build, by the list that it left; none in a new folder.

    Raises:
        InputError: there are files, and no list: they are somebody's.
    """
    listed = folder / _LIST
    if listed.is_file():
        return {name for name in listed.read_text().split() if not {"..", ""} & set(name.split("/"))}
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder}: has files that are no page's; choose an empty folder, or remove them")
    return set()
