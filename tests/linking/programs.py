"""C programs compiled for WebAssembly with Debian's clang, linked with our objects, and run in wasmtime."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import wasmtime

from codegen.engines.install import find_c
from tests.cli.command import ROOT

EXAMPLES = ROOT / "examples" / "c"
SOURCES = Path(__file__).parent

needs_c = pytest.mark.skipif(find_c() is None, reason="no clang: python -m codegen.engines.install c")

STRICT = ("-O2", "-Wall", "-Wextra", "-Werror")


def compile_c(*words: str | Path, output: Path, target: str = "wasm32-wasi") -> Path:
    """Compiles, and links where there is no `-c`; warnings are errors."""
    command = ["clang", f"--target={target}", *STRICT, *map(str, words), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def link_fails(*words: str | Path, output: Path) -> str:
    """What the linker says of a program that cannot be linked."""
    command = ["clang", "--target=wasm32-wasi", *STRICT, *map(str, words), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return done.stderr


def run_wasi(program: Path, data: bytes, *words: str) -> tuple[bytes, str]:
    """Runs a program of WASI on standard input; what it wrote to standard output and error."""
    files = {name: program.with_suffix(f".{name}") for name in ("in", "out", "err")}
    files["in"].write_bytes(data)
    config = wasmtime.WasiConfig()
    config.argv = [program.name, *words]
    config.stdin_file, config.stdout_file, config.stderr_file = (str(files[n]) for n in ("in", "out", "err"))
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    store.set_wasi(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(program)))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as trap:
        assert trap.code == 0, files["err"].read_text()
    return files["out"].read_bytes(), files["err"].read_text()
