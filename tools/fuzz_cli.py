"""Command lines nobody would type: each is carried out, or refused in one line, and leaves no file but its output.

No word has a slash but a few fixed ones that stay in the sandbox. What takes long is cut short: `verify` counts
but does not run, `bench` times one round, engines are not started, and a text is assembled once.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

import codegen.__main__ as command_line
from codegen import engines, vectors
from codegen.bench import timing
from codegen.cost import cost
from codegen.emit import Emit, content
from codegen.judge import Report
from codegen.registry import REGISTERED
from codegen.spec import KernelSpec
from tests.gguf_files import F32, write_model
from tools.fuzz_mutations import NUMBERS, mutate
from tools.fuzz_target import Target, expect

_NAMES = tuple(spec.name for spec in REGISTERED)
_VERBS = ("emit", "--emit", "list", "verify", "check", "bless", "vectors", "bench", "run", "run", "run")
_FLAGS = ("--json", "--help", "-h", "--version", "--", "-", "--verbose", "-x")
_NUMBERS = ("0", "1", "2", "7", "16", "17", "32", "48", "4096", "-1", "02", "+2", "1_0", " 2", "2.5", "1e3",
            "\N{ARABIC-INDIC DIGIT TWO}", "\N{SUPERSCRIPT TWO}", "9" * 5000, "nan", "0x10", str(1 << 20))  # fmt: skip
_PATHS = ("model.gguf", "x.npy", "missing", "folder", "file", "file/below", "loop", "generated", "build", ".",
          "..", "new/a/b", "./new/", "new\nline", "n" * 300, "\udcff", "\N{SNOWMAN}", "-", "")  # fmt: skip
_JUNK = ("", " ", "\n", "*", "[", "[!a", "%s", "{}", "$HOME", "~", "'\"", "\x1b[31m", "\udcff", "\u202e", "a" * 3000)
_ALPHABET = "abz019._-=+*?[]{}(),:;!@#$%^&|<>'\" \t\n\x07\x1b\x7f\u00e9\u00a0\u2028\U0001f600\udc80"
_ROUNDS = 1


@dataclass(frozen=True)
class Call:
    """A command line, and the files that it finds in its folder."""

    words: tuple[str, ...]
    model: bytes
    numbers: bytes


class CLITarget(Target[Call]):
    """`codegen.__main__.main` with any words, in a folder of its own."""

    name, share, limit_s = "cli", 1, 30

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "sandbox"
        self.cwd = self.root / "home" / "here"
        path = folder / "sound.gguf"
        write_model(path, {"a": (3, 64), "norm": (32,), "\x1b[2Jb": (2, 2, 32)}, {"norm": F32})
        self.model = path.read_bytes()
        buffer = io.BytesIO()
        np.save(buffer, np.linspace(-1, 1, 64, dtype=np.float32))
        self.numbers = buffer.getvalue()
        self.fresh: dict[Path, tuple[int, int]] = {}

    def draw(self, random: Random) -> Call:
        words = tuple(_words(random))
        model = mutate(random, self.model, self.numbers) if random.random() < 0.3 else self.model
        donor = random.choice((b"PK\x03\x04", b"(1,2)", b"'<f8'", b"|O", self.model))
        numbers = mutate(random, self.numbers, donor) if random.random() < 0.5 else self.numbers
        return Call(words, model, numbers)

    def check(self, case: Call) -> Sequence[str]:
        if self._listing() != self.fresh or not self.fresh:
            self._make_sandbox()
        (self.cwd / "model.gguf").write_bytes(case.model)
        (self.cwd / "x.npy").write_bytes(case.numbers)
        before = self._listing()
        status, out, err = _call(case.words, self.cwd)
        after = self._listing()
        self.fresh = before if after == before else {}
        changed = [path for path in before | after if before.get(path) != after.get(path)]
        _check_words(case.words, status, out, err)
        self._check_files(case.words, status, changed)
        return (f"status {status}",)

    def save(self, case: Call) -> tuple[str, bytes]:
        files = {"model.gguf": case.model.hex(), "x.npy": case.numbers.hex()}
        return ".json", json.dumps({"words": case.words, **files}, indent=2).encode()

    def _make_sandbox(self) -> None:
        if self.root.exists():
            shutil.rmtree(self.root)
        for name in ("folder", "generated"):
            (self.cwd / name).mkdir(parents=True)
        (self.cwd / "file").write_text("a file, where a folder may be wanted")
        (self.cwd / "loop").symlink_to("loop")
        (self.cwd / "generated" / f"{_NAMES[0]}.wat").write_bytes(content(REGISTERED[0], Emit.WAT))
        (self.cwd / "generated" / f"{_NAMES[1]}.wat").write_bytes(b"(module)\n")
        (self.cwd / "generated" / f"{_NAMES[2]}.wat").write_bytes(b"\xff")

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
        allowed = {self.cwd / name for name in ("generated", "build", "tests")} | named
        for path in changed:
            known = any(path == folder or folder in path.parents or path in folder.parents for folder in allowed)
            expect(known and path.suffix != ".tmp", "stray file", f"{words} {path}")


def _check_words(words: Sequence[str], status: int, out: str, err: str) -> None:
    what = f"{words}\nstatus {status}\n{err[:1000]}"
    expect(status in (0, 1, 2), "exit status", what)
    expect(not (status == 1 and words[0] == "run"), "wrong result", what)
    if status == 2:
        expect(not out, "output of a refused call", what)
        one_line = err.startswith("codegen: ") and err.endswith("\n") and err[:-1].isprintable()
        expect(one_line, "message", what)
    if status == 0:
        expect(not err, "words on standard error", what)
    if words[:1] == ("run",) and all(word.isprintable() for word in words):
        expect(out.replace("\n", "").isprintable(), "control characters", f"{words}\n{out!r}")


def _call(words: Sequence[str], cwd: Path) -> tuple[int, str, str]:
    """Status, standard output and standard error of a call, encoded as a terminal in UTF-8 has them."""
    out, err = io.BytesIO(), io.BytesIO()
    terminate = signal.getsignal(signal.SIGTERM)
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(io.TextIOWrapper(out, "utf-8")),
        contextlib.redirect_stderr(io.TextIOWrapper(err, "utf-8", "backslashreplace")),
        _cut_short(),
    ):
        try:
            status = command_line.main(words)
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else -1
        finally:
            signal.signal(signal.SIGTERM, terminate)
        sys.stdout.flush()
        sys.stderr.flush()
        return status, out.getvalue().decode(errors="replace"), err.getvalue().decode()


@contextlib.contextmanager
def _cut_short() -> Iterator[None]:
    """What takes long takes no time."""
    assembler = importlib.import_module("codegen.assemble")  # the package has a function of this name
    with (
        mock.patch.object(assembler, "_with_wabt", _assembled),
        mock.patch.object(command_line, "verify", _counted),
        mock.patch.object(command_line, "time_kernels", _timed),
        mock.patch.object(timing, "_SLICE_S", 0.0),
        mock.patch.object(engines, "discover", _engines),
        mock.patch.object(engines, "run_matrix", lambda *_: engines.Matrix([], [])),
        mock.patch.object(vectors, "job", lambda _: {}),
        mock.patch.object(vectors, "files", _vectors),
        mock.patch.dict(os.environ),
    ):
        os.environ.pop("CI", None)  # there `bless` does nothing
        yield


_assembled = functools.cache(importlib.import_module("codegen.assemble")._with_wabt)
_engines, _vectors = functools.cache(engines.discover), functools.cache(vectors.files)


def _counted(spec: KernelSpec) -> Report:
    return Report(spec.name, cost(content(spec, Emit.WASM), f"ggml_{spec.contract}", spec.unroll))


def _timed(specs: Sequence[KernelSpec], n: int, rounds: int, each: Callable[[], None]) -> list[timing.Timing]:
    return timing.time_kernels(specs[:2], n, min(rounds, _ROUNDS), each)


# --- words


def _words(random: Random) -> Iterator[str]:
    if random.random() < 0.95:
        yield random.choice(_VERBS) if random.random() < 0.9 else _junk(random)
        if random.random() < 0.6:
            yield random.choice(_PATHS[:2]) if random.random() < 0.7 else random.choice(_PATHS)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3, 5, 12))):
        yield from _option(random)


def _option(random: Random) -> list[str]:
    kind = random.randrange(12)
    if kind == 0:
        return [_junk(random)]
    if kind == 1:
        return [random.choice(_FLAGS)]
    name, draw = random.choice(tuple(_VALUES.items()))
    value = draw(random) if random.random() < 0.8 else _junk(random)
    if kind == 2:  # argparse takes the start of a name for the name
        name = name[: random.randint(2, len(name))]
    if kind == 3:
        return [name]
    joined = "" if len(name) == 2 else "="
    return [f"{name}{joined}{value}"] if random.random() < 0.4 else [name, value]


def _junk(random: Random) -> str:
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(_JUNK)
    if kind == 1:
        return str(random.choice(NUMBERS) * random.choice((1, 1, -1, 10**40)))
    return "".join(random.choices(_ALPHABET, k=random.randint(1, 12)))


def _kernel(random: Random) -> str:
    name = random.choice(_NAMES)
    if random.random() < 0.5:
        return name
    at = random.randrange(len(name))
    return name[:at] + random.choice(("", "*", "?", "[", "9", "_a2", "\n", name)) + name[at + random.randint(0, 3) :]


_VALUES: dict[str, Callable[[Random], str]] = {
    "--kernel": _kernel,
    "--isa": lambda random: random.choice(("scalar", "simd128", "relaxed", "avx2", "SCALAR", "")),
    "--unroll": lambda random: random.choice(_NUMBERS),
    "--emit": lambda random: random.choice(("wat", "wasm", "wat,wasm", "wasm,wat,wat", "wat,", ",", "elf")),
    "--out": lambda random: random.choice(_PATHS),
    "-o": lambda random: random.choice(_PATHS),
    "--engine": lambda random: random.choice(("all", "node", "wasmtime", "none", "")),
    "--n": lambda random: random.choice(_NUMBERS),
    "--rounds": lambda random: random.choice(_NUMBERS),
    "--tensor": lambda random: random.choice(("a", "\x1b[2Jb", "norm", "z", "")),
    "--input": lambda random: random.choice(("x.npy", "x.npy", random.choice(_PATHS))),
    "--seed": lambda random: random.choice(_NUMBERS),
}
