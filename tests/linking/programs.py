"""C programs compiled for WebAssembly with Debian's clang, linked with our objects, and run in wasmtime."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import wasmtime

from tests.cli.command import ROOT

EXAMPLES = ROOT / "examples" / "c"
SOURCES = Path(__file__).parent

STRICT = ("-O2", "-Wall", "-Wextra", "-Werror")


def compile_c(*words: str | Path, output: Path, target: str = "wasm32-wasi") -> Path:
    """Compiles sources to objects, one after the other, and links where there is no `-c`; warnings are errors."""
    done = _clang(words, output, target)
    assert done.returncode == 0, done.stderr
    return output


def link_fails(*words: str | Path, output: Path) -> str:
    """What the linker says of a program that cannot be linked."""
    done = _clang(words, output, "wasm32-wasi")
    assert done.returncode != 0
    return done.stderr


def _clang(words: Sequence[str | Path], output: Path, target: str) -> subprocess.CompletedProcess[str]:
    """Links without `-O`: with it, clang calls a wasm-opt that it finds, whose age is that of the machine."""
    if "-c" in words:
        return _run("clang", f"--target={target}", *STRICT, *words, "-o", output)
    sources = [word for word in words if str(word).endswith(".c")]
    others = [word for word in words if word not in sources]
    flags = [word for word in others if not str(word).startswith(("-Wl,", "-l", "-L", "/"))]
    objects = [output.with_suffix(f".{Path(source).stem}.o") for source in sources]
    for source, made in zip(sources, objects, strict=True):
        done = _run("clang", f"--target={target}", *STRICT, *flags, "-c", source, "-o", made)
        if done.returncode:
            return done
    return _run("clang", f"--target={target}", *objects, *others, "-o", output)


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


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
