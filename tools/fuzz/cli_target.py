"""Command lines nobody would type: each is carried out, or refused in one line, and leaves no file but its output.

No word has a slash but a few fixed ones that stay in the sandbox. What takes long is cut short: `verify` counts
but does not run, `bench` times two rounds, `tune` tries one kernel, engines are not started, and a kernel is made once.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np
import numpy.typing as npt

import codegen.__main__ as command_line
from codegen import engines
from codegen.cli import verification
from codegen.engines import javascript
from codegen.kernels import shipped
from codegen.kernels.plans import make_plan
from codegen.kernels.registry import registered
from codegen.kernels.spec import KernelSpec
from codegen.models.run import timing
from codegen.products import golden
from codegen.products.emit import Emit, content
from codegen.render import text
from codegen.spec.strategies import Isa
from codegen.speed.bench import contestant, session
from codegen.speed.bench.contestant import Host
from codegen.speed.bench.limits import LIMITS, Limit
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.result import Limits, Measurement
from codegen.speed.bench.wasmtime_host import WasmtimeHost
from codegen.speed.tune import proof, space
from codegen.verify import vectors
from codegen.verify.report import Report
from codegen.wasm import assemble
from codegen.wasm.cost import cost
from tests.gguf_files import F32, write_model
from tools.fuzz.cli_rules import check_words
from tools.fuzz.cli_words import NAMES, command
from tools.fuzz.mutations import mutate
from tools.fuzz.target import Target, expect


@dataclass(frozen=True)
class Call:
    """A command line, and the files that it finds in its folder."""

    words: tuple[str, ...]
    model: bytes
    numbers: bytes


class CLITarget(Target[Call]):
    """`codegen.__main__.main` with any words, in a folder of its own."""

    name, share, limit_s = "cli", 2, 30

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "sandbox"
        self.cwd = self.root / "home" / "here"
        path = folder / "sound.gguf"
        write_model(path, {"a": (3, 64), "norm": (32,), "\x1b[2Jb": (2, 2, 32)}, {"norm": F32})
        self.model = path.read_bytes()
        even = np.linspace(-1, 1, 64)
        self.numbers = [_npy(even.astype(kind)) for kind in ("<f4", "<f8", ">f2", "<i8", "u1", "?", "c8")]
        self.numbers += [_npy((even * scale).astype("<f4")) for scale in (1e38, 1e7, 1e-38, 1e-42, np.inf)]
        self.numbers += [_npy(odd) for odd in (even * 1e300, even.reshape(8, 8), even[:0], even[0])]
        self.golden = content(registered()[0], Emit.WAT)
        self.fresh: dict[Path, tuple[int, int]] = {}

    def draw(self, random: Random) -> Call:
        """Words, and a model and an .npy file that may be damaged."""
        words = tuple(command(random))
        numbers = random.choice(self.numbers)
        model = mutate(random, self.model, numbers) if random.random() < 0.3 else self.model
        if random.random() < 0.5:
            donor = random.choice((b"PK\x03\x04", b"(1,2)", b"'<f8'", b"|O", model))
            numbers = mutate(random, numbers, donor)
        return Call(words, model, numbers)

    def check(self, case: Call) -> Sequence[str]:
        """Calls `main` in a sandbox that nobody has written to."""
        if self._listing() != self.fresh or not self.fresh:
            self._make_sandbox()
        (self.cwd / "model.gguf").write_bytes(case.model)
        (self.cwd / "x.npy").write_bytes(case.numbers)
        before = self._listing()
        status, out, err = _call(case.words, self.cwd, self.folder)
        after = self._listing()
        self.fresh = before if after == before else {}
        changed = [path for path in before | after if before.get(path) != after.get(path)]
        check_words(case.words, status, out, err)
        self._check_files(case.words, status, changed)
        return (f"status {status}",)

    def save(self, case: Call) -> tuple[str, bytes]:
        """The words, and the files in hexadecimal."""
        files = {"model.gguf": case.model.hex(), "x.npy": case.numbers.hex()}
        return ".json", json.dumps({"words": case.words, **files}, indent=2).encode()

    def _make_sandbox(self) -> None:
        if self.root.exists():
            shutil.rmtree(self.root)
        for name in ("folder", "generated"):
            (self.cwd / name).mkdir(parents=True)
        (self.cwd / "folder.json").mkdir()
        shutil.copy(shipped.root() / "wasmtime-x86_64.json", self.cwd / "tuning.json")
        (self.cwd / "file").write_text("a file, where a folder may be wanted")
        (self.cwd / "loop").symlink_to("loop")
        (self.cwd / "generated" / f"{NAMES[0]}.wat").write_bytes(self.golden)
        (self.cwd / "generated" / f"{NAMES[1]}.wat").write_bytes(b"(module)\n")
        (self.cwd / "generated" / f"{NAMES[2]}.wat").write_bytes(b"\xff")

    def _listing(self) -> dict[Path, tuple[int, int]]:
        """Every path in the sandbox, with its size and time of change where it is no folder."""
        found = {}
        for path in self.root.rglob("*"):
            status = path.lstat()
            found[path] = (-1, 0) if path.is_dir() else (status.st_size, status.st_mtime_ns)
        return found

    def _check_files(self, words: Sequence[str], status: int, changed: Sequence[Path]) -> None:
        if status:
            expect(not changed, "files changed by what failed", f"{words} {changed}")
        # What may be named as output: a word, or the end of one that has the option in front.
        ends = {word[at:] for word in words if len(word) < 400 for at in (0, 2, word.find("=") + 1)}
        named = {Path(os.path.normpath(self.cwd / end)) for end in ends if end}
        allowed = {self.cwd / name for name in ("generated", "build", "tests", "tuning")} | named
        for path in changed:
            known = any(
                path.is_relative_to(folder)
                or folder.is_relative_to(path)
                # a heatmap of several contracts is as many files
                or (
                    folder.suffix == path.suffix == ".svg"
                    and path.parent == folder.parent
                    and path.name.startswith(f"{folder.stem}-")
                )
                for folder in allowed
            )
            expect(known and path.suffix != ".tmp", "stray file", f"{words} {path}")


def _npy(array: npt.NDArray[np.generic]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _call(words: Sequence[str], cwd: Path, folder: Path) -> tuple[int, str, str]:
    """Status, standard output and standard error of a call, as a terminal in UTF-8 has them."""
    terminate, unraisable = signal.getsignal(signal.SIGTERM), sys.unraisablehook
    out, err = folder / "out", folder / "err"
    with (
        out.open("w", encoding="utf-8") as stdout,
        err.open("w", encoding="utf-8", errors="backslashreplace") as stderr,
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        _cut_short(),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always", RuntimeWarning)  # numpy's: each one shows, not the first
        try:
            status = command_line.main(words)
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else -1
        finally:
            signal.signal(signal.SIGTERM, terminate)
            sys.unraisablehook = unraisable
    return status, out.read_bytes().decode(errors="replace"), err.read_bytes().decode()


@contextlib.contextmanager
def _cut_short() -> Iterator[None]:
    """What takes long takes no time."""
    with (
        mock.patch.object(text, "render_plan", _rendered),
        mock.patch.object(assemble, "_with_wabt", _assembled),
        mock.patch.object(assemble, "_run_wat2wasm", _linked),
        mock.patch.object(golden, "_goldens", _goldens),
        mock.patch.object(verification, "verify_kernel", _counted),
        mock.patch.object(session, "run", _timed),
        mock.patch.object(space, "candidates", _one_each),
        mock.patch.object(proof, "failures", lambda _: {}),
        mock.patch.object(javascript, "programs", _programs),
        mock.patch.object(contestant, "SLICE_S", 0.0),
        mock.patch.object(timing, "LEAST_S", 0.0),
        mock.patch.object(engines, "discover", _engines),
        mock.patch.object(engines, "run_matrix", lambda *_: engines.Matrix([], [])),
        mock.patch.object(vectors, "job", lambda _: {}),
        mock.patch.object(vectors, "files", _vectors),
        mock.patch.dict(os.environ),
    ):
        os.environ.pop("CI", None)  # there `bless` does nothing
        yield


_rendered, _assembled = functools.cache(text.render_plan), functools.cache(assemble._with_wabt)
_linked = functools.cache(assemble._run_wat2wasm)
_goldens, _vectors = functools.cache(golden._goldens), functools.cache(vectors.files)
_candidates = space.candidates
_engines, _programs, _run = (
    functools.cache(engines.discover),
    functools.cache(javascript.programs),
    session.run,
)


def _counted(spec: KernelSpec) -> Report:
    return Report(spec.name, cost(content(spec, Emit.WASM), make_plan(spec).main_loop))


def _one_each(
    patterns: Sequence[str], isas: Sequence[Isa], unrolls: Sequence[int], ops: Sequence[str]
) -> dict[str, tuple[KernelSpec, ...]]:
    return {contract: specs[:1] for contract, specs in _candidates(patterns, isas, unrolls, ops).items()}


def _timed(
    specs: Sequence[KernelSpec],
    chosen: Sequence[Host],
    problem: Problem,
    rounds: int,
    each: Callable[[], None],
    limits: Sequence[Limit] = LIMITS,
) -> tuple[list[Measurement], list[Limits]]:
    """One row, in wasmtime whatever was chosen: a process a call would take too long."""
    return _run(specs[:2], [WasmtimeHost()], replace(problem, rows=1), min(rounds, 2), each, limits)
