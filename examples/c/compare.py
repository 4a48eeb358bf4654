"""What a program gains by linking our dot product: the table of docs/linking.md, measured here.

    python examples/c/compare.py [ROUNDS]

Builds dot_products.c with its own function, as a compiler makes it, and with the libraries, and runs them by turns in
wasmtime: 64 rows of 4,096. Needs clang, wasm-ld and a C library for wasm32-wasi.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import wasmtime

from codegen import Isa
from codegen.products.linking.library import write_library
from codegen.spec.options import Memory

HERE = Path(__file__).parent
N, ROWS, REPEAT = 4096, 64, 20
RENAMED = "-Dggml_vec_dot_q4_0_q8_0=own_vec_dot"


def main() -> None:
    """Prints the shortest times, and how many times as fast each is as the compiler's code.

    Programs read the wall clock, which goes on while others have the core: only the shortest time is the program's own.
    """
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        operands(folder / "in")
        programs = dict(built(folder))
        times: dict[str, list[float]] = {label: [] for label in programs}
        for _ in range(rounds):
            for label, program in programs.items():
                times[label].append(ns(program, folder))
    base = min(next(iter(times.values())))
    for label, found in times.items():
        print(f"{label:24}{min(found):8.0f} ns  {base / min(found):5.1f}")


def operands(path: Path) -> None:
    """Random quants, and scales of 2^-7."""
    random = np.random.default_rng(1)
    blocks = [
        random.integers(0, 256, (count, size), np.uint8)
        for count, size in ((ROWS * N // 32, 18), (N // 32, 34))
    ]
    for some in blocks:
        some[:, :2] = np.frombuffer(np.float16(2**-7).tobytes(), np.uint8)
    path.write_bytes(struct.pack("<2i", N, ROWS) + b"".join(some.tobytes() for some in blocks))


def built(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each program, by what its dot product is."""
    main_object = compiled(["-c", HERE / "dot_products.c"], folder / "main.o")
    for flag in ("", "-msimd128"):
        label = f"own_dot.c {flag}".strip()
        words: list[str | Path] = ["-c", HERE / "own_dot.c"]
        own = compiled([*words, flag] if flag else words, folder / "own.o")
        yield label, compiled([main_object, own], folder / f"{label}.wasm")
    renamed = compiled([RENAMED, "-c", HERE / "own_dot.c"], folder / "renamed.o")
    for isa in Isa:
        library = folder / isa
        list(write_library(library, isa, Memory.EXPORT, "wasmtime"))
        words = [main_object, renamed, f"-L{library}", "-lggmlwat"]
        yield f"library, {isa}", compiled(words, library / "program.wasm")


def compiled(words: Sequence[str | Path], output: Path) -> Path:
    """What clang makes; without `-O` where it links, so that a wasm-opt of any age is left alone."""
    optimised = ["-O3"] if "-c" in words else []
    command = ["clang", "--target=wasm32-wasi", *optimised, *map(str, words), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


def ns(program: Path, folder: Path) -> float:
    """Nanoseconds a product, as the program says."""
    config = wasmtime.WasiConfig()
    config.argv = [program.name, str(REPEAT)]
    config.stdin_file, config.stdout_file, config.stderr_file = (
        str(folder / name) for name in ("in", "out", "err")
    )
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    store.set_wasi(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(program)))
    start = instance.exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    try:
        start(store)
    except wasmtime.ExitTrap as left:
        assert left.code == 0
    told = re.match(r"([\d.]+) ns a product", (folder / "err").read_text())
    assert told
    return float(told[1])


if __name__ == "__main__":
    main()
