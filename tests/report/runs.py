"""Runs made by hand, and what can be read back from a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from codegen.bench import native
from codegen.bench.limits import Unit
from codegen.bench.result import Limits, Measurement, Result
from codegen.report.data import Data

PREFIX = "vec_dot_q4_0_q8_0__"
SCALAR, ARTICLE, SIMD, RELAXED = (
    PREFIX + name for name in ("scalar_u1", "simd128-article_u1", "simd128_u4", "relaxed_u4")
)

NS: dict[str, float] = {SCALAR: 2000, ARTICLE: 1000, SIMD: 400, RELAXED: 250}
"""Nanoseconds of a row of 4,096 weights."""

VERSIONS = {
    "wasmtime": "wasmtime 50.0.1",
    "node": "node 24.19.0 (V8 13.6, x64)",
    "native": "libggml-python 0.20 (AVX2)",
}
ROUNDS = 6


def measurement(
    kernel: str, engine: str, ns: float, n: int = 4096, level: str = "l1", wrong: str | None = None
) -> Measurement:
    """Six samples about `ns`, and a floor of 200 ns; none where it is wrong."""
    samples = () if wrong else (ns * 0.99, ns, ns * 1.02) * 2
    floors = {} if engine == "native" else {Unit.VECTOR: 200.0, Unit.SCALAR: 20.0}
    return Measurement(kernel, engine, None, n, 10, level, samples, floors, wrong)


def run(measurements: Sequence[Measurement], memory: float = 20.0) -> Result:
    """A run of these, in which every engine read `memory` bytes a nanosecond."""
    places = dict.fromkeys((one.engine, one.level) for one in measurements)
    limits = tuple(
        Limits(
            engine, VERSIONS.get(engine, engine), level, {} if engine == "native" else {Unit.MEMORY: memory}
        )
        for engine, level in places
    )
    name = "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz, x86_64"
    return Result(name, "2026-01-02T03:04:05+00:00", ROUNDS, tuple(measurements), limits)


def data(
    engines: Sequence[str] = ("wasmtime", "node", "native"),
    lengths: Sequence[int] = (256, 1024, 4096),
    levels: Sequence[str] = ("l1", "memory"),
    wrong: Mapping[tuple[str, str], str] = {},
) -> Data:
    """The three runs; a row takes what NS says in proportion to its length, and twice that outside L1."""

    def each(n: int, level: str) -> list[Measurement]:
        slower = n / 4096 * (1 if level == "l1" else 2)
        found = [
            measurement(kernel, engine, ns * slower, n, level, wrong.get((kernel, engine)))
            for engine in engines
            if engine != "native"
            for kernel, ns in NS.items()
        ]
        if "native" in engines:
            found.append(measurement(native.NAME, "native", 200 * slower, n, level))
        return found

    return Data(
        kernels=run(each(4096, "l1")),
        lengths=run([one for n in lengths for one in each(n, "l1")]),
        levels=run([one for level in levels for one in each(4096, level) if one.engine != "native"]),
    )


def texts(svg: bytes) -> list[str]:
    """Every text of a picture."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in found]
