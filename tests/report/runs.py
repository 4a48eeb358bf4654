"""Runs made by hand, and what can be read back from a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from codegen.products.report.data import Data
from codegen.speed.bench import native
from codegen.speed.bench.limits import Unit
from codegen.speed.bench.native_functions import GEMM, GEMV
from codegen.speed.bench.problem import Work
from codegen.speed.bench.result import Limits, Measurement, Result

PREFIX = "vec_dot_q4_0_q8_0__"
SCALAR, ARTICLE, SIMD, RELAXED = (
    PREFIX + name for name in ("scalar_u1", "article", "simd128_u4", "relaxed_u4")
)

NS: dict[str, float] = {SCALAR: 2000, ARTICLE: 1000, SIMD: 400, RELAXED: 250}
"""Nanoseconds of a row of 4,096 weights."""

MATRIX_NS: dict[str, float] = {
    SCALAR: 2000,
    SIMD: 400,
    RELAXED: 250,
    "gemv_q4_0_q8_0_4x1__scalar_u1": 1900,
    "gemv_q4_0_q8_0_16x1__simd128_u1": 280,
    "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast_rolled": 125,
    "gemv_q4_0_q8_0_16x1__relaxed-dot32_u1": 160,
    "gemm_q4_0_q8_0_8x4__simd128_u1": 260,
    "gemm_q4_0_q8_0_16x1__relaxed_u1_broadcast_output": 100,
    "mul_mat_q4_0_8x4__simd128_u1": 270,
    "mul_mat_q4_0_16x1__relaxed_u1_broadcast_output": 110,
}
"""Nanoseconds of a product of 4,096; with 32 columns, gemm and mul_mat take 0.8 of it."""

GROWING = tuple(kernel for kernel in MATRIX_NS if "relaxed" in kernel and kernel != RELAXED)

OPERANDS_NS: dict[str, tuple[Work, float]] = {
    "quantize_row_q8_0__scalar_u1": (Work.QUANTISE, 6000),
    "quantize_row_q8_0__simd128_u4": (Work.QUANTISE, 1200),
    "repack_q4_0__scalar_u1": (Work.REPACK, 900),
    "repack_q4_0__simd128_u1": (Work.REPACK, 300),
}

VERSIONS = {
    "wasmtime": "wasmtime 50.0.1",
    "node": "node 24.19.0 (V8 13.6, x64)",
    "native": "libggml-python 0.20 (AVX2)",
}
ROUNDS = 6


def measurement(
    kernel: str,
    engine: str,
    ns: float,
    n: int = 4096,
    level: str = "l1",
    wrong: str | None = None,
    columns: int = 1,
    rows: int = 10,
    work: Work = Work.PRODUCTS,
) -> Measurement:
    """Six samples about `ns`, and a floor of 200 ns; none where it is wrong."""
    samples = () if wrong else (ns * 0.99, ns, ns * 1.02) * 2
    floors = {} if engine == "native" else {Unit.VECTOR: 200.0, Unit.SCALAR: 20.0}
    native_peer = None
    if kernel[:4] in ("gemv", "gemm", "mul_"):
        floors = {Unit.VECTOR: 80.0} if floors else {}
        native_peer = GEMV if columns % 4 else GEMM
    return Measurement(
        kernel, engine, None, n, rows, level, samples, floors, wrong, columns, work, native_peer
    )


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
    """All runs; a row takes what NS says in proportion to its length, and twice that outside L1."""

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
        matrix=run([one for columns in (1, 32) for one in products(engines, columns=columns)]),
        elements=run(
            [one for n in lengths for columns in (1, 32) for one in growing(engines, n, columns=columns)]
        ),
        rows=run(
            [
                one
                for rows in (4, 4096)
                for columns in (1, 32)
                for one in growing(engines, 4096, rows, columns)
            ]
        ),
        columns=run([one for columns in (1, 15, 512) for one in growing(engines, columns=columns)]),
        operands=run(operands(engines)),
    )


def products(engines: Sequence[str], n: int = 4096, rows: int = 448, columns: int = 1) -> list[Measurement]:
    """Products of matrices in these engines, in the same time a block whatever their size."""
    found = []
    for engine in engines:
        each: Mapping[str, float] = MATRIX_NS
        if engine == "native":
            each = {
                native.NAME: 240.0,
                GEMM if columns % 4 == 0 else GEMV: 130.0 if columns % 4 == 0 else 150.0,
            }
        for kernel, ns in each.items():
            faster = 0.8 if columns > 1 and kernel[:4] in ("gemm", "mul_") else 1
            found.append(
                measurement(kernel, engine, ns * faster * n / 4096, n, "l2", columns=columns, rows=rows)
            )
    return found


def growing(engines: Sequence[str], n: int = 4096, rows: int = 448, columns: int = 1) -> list[Measurement]:
    """Those of them that growth is measured of."""
    return [
        one
        for one in products(engines, n, rows, columns)
        if one.kernel in GROWING or one.kernel in (GEMV, GEMM)
    ]


def operands(engines: Sequence[str]) -> list[Measurement]:
    """Quantisers and repackers."""
    return [
        measurement(kernel, engine, ns, work=work)
        for engine in engines
        if engine != "native"
        for kernel, (work, ns) in OPERANDS_NS.items()
    ]


def texts(svg: bytes) -> list[str]:
    """Every text of a picture."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in found]
