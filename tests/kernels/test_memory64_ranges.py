"""Ranges in 64-bit memory against integers of Python: no size, stride or address makes anything wrap around."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import KernelSpec, Memory
from codegen.base.errors import KernelTrapError
from codegen.formats.layouts import GROUP_BYTES
from codegen.kernels.plan import PAGE
from codegen.kernels.tile.plan import PANEL, record_of
from codegen.runtime.instance import Instance

PAGES = 3
END = PAGES * PAGE
TOP = 1 << 64

Arguments = Mapping[str, int]
Ranges = dict[str, tuple[int, int]]
"""Where each range starts, and its bytes."""


def span(count: int, stride: int, length: int) -> int:
    """Of rows, some way apart; empty ones are nowhere."""
    return (count - 1) * stride + length if length else 0


def quantize_row(spec: KernelSpec, a: Arguments) -> Ranges | None:
    if a["k"] % 32:
        return None
    k = a["k"] % TOP
    return {"x": (a["x"], 4 * k), "y": (a["y"], k // 32 * 34)}


def pack_activations(spec: KernelSpec, a: Arguments) -> Ranges | None:
    assert spec.record is not None
    if a["n"] % 32 or min(a["n"], a["nr"]) < 0:
        return None
    if not a["n"] or not a["nr"]:
        return {}
    records = a["nr"] * (a["n"] // 32)
    return {"vx": (a["vx"], span(a["nr"], a["bx"], 4 * a["n"])), "s": (a["s"], records * spec.record.bytes)}


def repack(spec: KernelSpec, a: Arguments) -> Ranges | None:
    if a["n"] % 32 or min(a["n"], a["nc"]) < 0:
        return None
    if not a["n"] or not a["nc"]:
        return {}
    blocks, groups = a["n"] // 32, -(-a["nc"] // 4)
    return {
        "vx": (a["vx"], span(a["nc"], a["bx"], 18 * blocks)),
        "s": (a["s"], groups * blocks * GROUP_BYTES),
    }


def gemm(spec: KernelSpec, a: Arguments) -> Ranges | None:
    if a["n"] % 32 or a["n"] < 0:
        return None
    if not a["nr"] or not a["nc"]:
        return {}
    if min(a["nr"], a["nc"]) < 0 or (a["nr"] > 1 and a["bs"] < a["nc"]):
        return None
    blocks, groups = a["n"] // 32, -(-a["nc"] // 4)
    found = {
        "s": (a["s"], 4 * span(a["nr"], a["bs"], a["nc"])),
        "vx": (a["vx"], groups * blocks * GROUP_BYTES),
    }
    if spec.op == "mul_mat":
        found["vy"] = (a["vy"], span(a["nr"], a["by"], 4 * a["n"]))
        found["work"] = (a["work"], min(a["nr"], PANEL) * blocks * record_of(spec).bytes)
    else:
        found["vy"] = (a["vy"], a["nr"] * blocks * record_of(spec).bytes)
    return found


RANGES: dict[str, Callable[[KernelSpec, Arguments], Ranges | None]] = {
    "quantize_row_q8_0__simd128_u1": quantize_row,
    "pack_activations_q8_0__scalar_u1": pack_activations,
    "repack_q4_0__simd128_u1": repack,
    "gemv_q4_0_q8_0_4x1__scalar_u1": gemm,
    "gemm_q4_0_q8_0_8x4__relaxed_u1": gemm,
    "mul_mat_q4_0_8x4__relaxed_u1": gemm,
}
WRITTEN = {"quantize_row": {"y"}, "pack_activations": {"s"}, "repack": {"s"}, "mul_mat": {"s", "work"}}


def lies_in_memory(spec: KernelSpec, found: Ranges) -> bool:
    """Whether nothing ends past memory, and nothing that is written overlaps anything."""
    some = {name: (at, at + size) for name, (at, size) in found.items() if size}
    written = WRITTEN.get(spec.op, {"s"})
    apart = all(
        some[a][1] <= some[b][0] or some[b][1] <= some[a][0]
        for a, b in combinations(some, 2)
        if {a, b} & written
    )
    return apart and all(end <= END for _, end in some.values())


POWERS = st.builds(lambda power, more: ((1 << power) + more) % TOP, st.integers(28, 64), st.integers(-40, 40))
WRAPPING = st.builds(
    lambda times, more: (TOP // times + more) % TOP,
    st.integers(1, 9) | st.just((1 << 31) - 2),
    st.integers(-1, 2),
)
"""Strides that a few rows, or as many as there can be, bring around 2^64."""

ADDRESS = (
    st.integers(0, END)
    | st.builds(lambda back: END - back, st.integers(0, 2000))
    | st.builds(lambda back: TOP - back, st.integers(1, 2000))
    | POWERS
)
STRIDE = st.integers(0, 4000) | st.integers(0, END) | POWERS | WRAPPING
COUNT = st.integers(0, 6) | st.sampled_from([-1, -(1 << 31), (1 << 31) - 1, 1 << 30, 1 << 16, 40])
ELEMENTS = st.integers(0, 6).map(lambda blocks: 32 * blocks) | st.sampled_from(
    [33, -32, (1 << 31) - 32, 1 << 30, 1 << 20]
)
LENGTH = ELEMENTS | POWERS.map(lambda k: k - TOP if k >> 63 else k)
OF_PARAMETER = {"n": ELEMENTS, "k": LENGTH, "nr": COUNT, "nc": COUNT} | dict.fromkeys(
    ("bs", "bx", "by"), STRIDE
)


@cache
def loaded(name: str) -> Instance:
    kernel = Instance.load(replace(KernelSpec.parse(name), memory=Memory.MEMORY64))
    kernel.arena.reach(END)
    return kernel


@st.composite
def calls(draw: st.DrawFn, name: str) -> dict[str, int]:
    spec = loaded(name).spec
    found = {one: draw(OF_PARAMETER.get(one, ADDRESS)) for one, _ in spec.parameters}
    if draw(st.booleans()):  # most buffers apart, so that strides and counts decide
        for place, one in enumerate(("s", "y", "vx", "x", "vy", "work")):
            if one in found and draw(st.integers(0, 3)):
                found[one] = place * (END // 6)
    return found


@pytest.mark.parametrize("name", RANGES)
@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_a_call_traps_if_python_says_that_it_leaves_memory(name: str, data: st.DataObject) -> None:
    check(name, data.draw(calls(name)))


def check(name: str, arguments: Arguments) -> None:
    """Runs a call, and looks whether it trapped as it should, and then wrote nothing."""
    kernel = loaded(name)
    assert kernel.arena.end == END
    memory = kernel.arena.view(0, END)
    memory[:] = 0
    found = RANGES[name](kernel.spec, arguments)
    try:
        kernel.invoke(*arguments.values())
        trapped = False
    except KernelTrapError as error:
        assert error.contract, error
        trapped = True
    assert trapped == (found is None or not lies_in_memory(kernel.spec, found))
    assert not trapped or not memory.any()


@pytest.mark.parametrize("by", [TOP - 1, (1 << 63) + 5, TOP // 3 + 1])
def test_columns_of_nothing_are_nowhere_at_any_stride(by: int) -> None:
    nothing = {
        "n": 0,
        "s": 0,
        "bs": 4,
        "vx": TOP - 1,
        "vy": TOP - 1,
        "by": by,
        "nr": 5,
        "nc": 4,
        "work": TOP - 1,
    }
    check("mul_mat_q4_0_8x4__relaxed_u1", nothing)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 9, 33, 100])
@pytest.mark.parametrize("more", [0, 1, 128, 640])
def test_strides_that_bring_the_last_row_round_to_the_first_are_refused(count: int, more: int) -> None:
    """(count - 1) * stride is little more than 2^64: what is left of it in 64 bits lies in memory."""
    stride = (TOP + (count - 1) * more) // (count - 1) % TOP
    check("pack_activations_q8_0__scalar_u1", {"n": 32, "s": END // 2, "vx": 0, "bx": stride, "nr": count})
    check("repack_q4_0__simd128_u1", {"n": 32, "s": END // 2, "vx": 0, "bx": stride, "nc": count})
    values = {
        "n": 32,
        "s": 0,
        "bs": 1,
        "vx": 8192,
        "vy": 16384,
        "by": stride,
        "nr": count,
        "nc": 1,
        "work": 99_999,
    }
    check("mul_mat_q4_0_8x4__relaxed_u1", values)


@pytest.mark.parametrize("bs", [1 << 62, (1 << 62) + 1, 3 << 62, (1 << 61) + 2])
@pytest.mark.parametrize("columns", [2, 3, 5])
def test_floats_whose_bytes_wrap_around_are_refused(bs: int, columns: int) -> None:
    """As many fit in 64 bits, and four times as many do not."""
    check(
        "gemv_q4_0_q8_0_4x1__scalar_u1",
        {"n": 0, "s": 64, "bs": bs, "vx": 0, "vy": 0, "nr": columns, "nc": 1},
    )
