"""Command lines made of real words, of words next to those, and of junk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from codegen.kernels.registry import registered
from tools.fuzz.mutations import NUMBERS

NAMES = tuple(spec.name for spec in registered())
_FLAGS = ("--json", "--help", "-h", "--version", "--", "-", "--verbose", "-x")
_NUMBERS = ("0", "1", "2", "7", "16", "17", "32", "48", "4096", "-1", "02", "+2", "1_0", " 2", "2.5", "1e3",
            "\N{ARABIC-INDIC DIGIT TWO}", "\N{SUPERSCRIPT TWO}", "9" * 5000, "nan", "0x10", str(1 << 20))  # fmt: skip
_PATHS = ("model.gguf", "x.npy", "missing", "folder", "file", "file/below", "loop", "generated", "build", ".",
          "..", "new/a/b", "./new/", "new\nline", "n" * 300, "\udcff", "\N{SNOWMAN}", "-", "")  # fmt: skip
_JUNK = ("", " ", "\n", "*", "[", "[!a", "%s", "{}", "$HOME", "~", "'\"", "\x1b[31m", "\udcff", "\u202e",
         "a" * 3000)  # fmt: skip
_ALPHABET = "abz019._-=+*?[]{}(),:;!@#$%^&|<>'\" \t\n\x07\x1b\x7f\u00e9\u00a0\u2028\U0001f600\udc80"


def command(random: Random) -> Iterator[str]:
    """The words of one; no word but a few fixed ones has a slash."""
    verb = random.choice((*_VERBS, "run", "run", "run"))
    if random.random() < 0.95:
        yield verb if random.random() < 0.97 else _junk(random)
    known = _VERBS[verb].split()
    if verb == "run" and random.random() < 0.9:
        yield "model.gguf" if random.random() < 0.9 else random.choice(_PATHS)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3, 5, 12))):
        name = random.choice(known if random.random() < 0.93 else tuple(_VALUES))
        yield from _option(random, verb, name)


def _option(random: Random, verb: str, name: str) -> list[str]:
    kind = random.randrange(40)
    if kind == 0:
        return [_junk(random)]
    if kind == 1:
        return [random.choice(_FLAGS)]
    if kind == 2:
        return [name]
    if kind < 6:  # argparse takes the start of a name for the name
        name = name[: random.randint(2, len(name))]
    if name in ("--json", "--article"):
        return [name]
    values = _BENCH_VALUES if verb == "bench" and name in _BENCH_VALUES else _VALUES
    value = values.get(name, _junk)(random) if random.random() < 0.9 else _junk(random)
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
    name = random.choice(NAMES)
    if random.random() < 0.6:
        return name
    if random.random() < 0.3:
        return random.choice(("*", "*relaxed*", "vec_dot_*_u[12]", "*_u9", "*scalar*"))
    at, part = random.randrange(len(name)), random.choice(("", "*", "?", "[", "9", "_a2", "\n", name))
    return name[:at] + part + name[at + random.randint(0, 3) :]


def _number(random: Random) -> str:
    return random.choice(("1", "2", "4", "7", "32", "64") if random.random() < 0.7 else _NUMBERS)


def _list(random: Random, one: Callable[[Random], str]) -> str:
    return random.choice((",", ",", ",", ",,", " ")).join(
        one(random) for _ in range(random.choice((1, 1, 1, 2, 3)))
    )


def _lengths(random: Random) -> str:
    if random.random() < 0.6:
        return random.choice(("32", "64", "96", "256", "4096", _number(random)))
    return random.choice(("..", "..", "..", "...", "-")).join((_number(random), _number(random)))


def _size(random: Random) -> str:
    return random.choice(("l1", "l1", "l2", "l3", "memory", "L1", "l4", ""))


def _path(random: Random) -> str:
    return random.choice(_PATHS)


_VERBS = {
    "emit": "--kernel --isa --unroll --tuned --memory --emit --out -o --engine",
    "--emit": "--kernel --isa --unroll --tuned --memory --emit --out -o --engine",
    "list": "--kernel --isa --unroll --tuned --memory --json",
    "library": "--isa --memory --tuned --out -o",
    "verify": "--kernel --isa --unroll --tuned --memory --json --engine",
    "check": "--out -o",
    "bless": "--out -o",
    "vectors": "--out -o",
    "bench": "--kernel --isa --unroll --tuned --memory --op --columns --rows --json --n --rounds --size --engine"
    " --format -o --article",
    "tune": "--op --kernel --isa --unroll --json --n --rounds --size --engine --out -o --heatmap",
    "run": "--json --tensor --isa --kernel --columns --input --seed --rounds",
}
_VALUES: dict[str, Callable[[Random], str]] = {
    "--kernel": _kernel,
    "--isa": lambda random: random.choice(("scalar", "simd128", "relaxed", "relaxed", "avx2", "SCALAR", "")),
    "--unroll": _number,
    "--emit": lambda random: random.choice(
        ("wat", "wasm", "wat,wasm", "obj", "header,obj", "asm", "wasm,wat,wat", "wat,", ",", "elf")
    ),
    "--memory": lambda random: random.choice(("export", "import", "shared", "memory64", "memory32", "")),
    "--op": lambda random: random.choice(("gemv", "gemm", "vec_dot,repack", "matmul", "x", "")),
    "--rows": _number,
    "--out": _path,
    "-o": _path,
    "--engine": lambda random: random.choice(("all", "node", "wasmtime", "none", "")),
    "--n": lambda random: _list(random, _lengths),
    "--tuned": lambda random: random.choice(
        ("wasmtime", "v8", "jsc", "V8", "tuning.json", "x.npy", "folder.json")
    ),
    "--heatmap": lambda random: random.choice(("map.svg", "new/map.svg", "file/map.svg", "folder", "")),
    "--rounds": _number,
    "--size": lambda random: _list(random, _size),
    "--format": lambda random: random.choice(("table", "md", "csv", "json", "html", "JSON", "")),
    "--tensor": lambda random: random.choice(("a", "\x1b[2Jb", "norm", "z", "")),
    "--input": lambda random: "x.npy" if random.random() < 0.7 else _path(random),
    "--seed": _number,
    "--columns": _number,
}
_BENCH_VALUES: dict[str, Callable[[Random], str]] = {
    "-o": _VALUES["--format"],  # a folder elsewhere
    "--engine": lambda random: _list(
        random, lambda random: random.choice(("wasmtime", "native", "node", "deno", "bun", "all", "v8"))
    ),
}
