"""Machine code is read right: wasmtime's map of it, capstone's instructions, the main loop and what it has."""

from __future__ import annotations

import itertools
import platform
import re
from pathlib import Path

import pytest

from codegen import KernelSpec, assemble, render_kernel
from codegen.base.errors import MachineCodeError
from codegen.kernels.plans import make_plan
from codegen.kernels.registry import registered
from codegen.products.machine_code import needed, wasmtime_code
from codegen.products.machine_code.counts import Counts, count
from codegen.products.machine_code.disassembly import Instruction, disassemble
from codegen.products.machine_code.listing import machine_loop, turn
from codegen.products.machine_code.loops import main_loop
from codegen.products.machine_code.machine import Code, Machine
from codegen.wasm.code import first_loop
from codegen.wasm.code import function as function_of

x86_64 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="wasmtime compiles x86-64 on x86-64 machines only"
)
EXPORT = "ggml_vec_dot_q4_0_q8_0"
ROOT = Path(__file__).resolve().parents[2]


def named(name: str) -> KernelSpec:
    return KernelSpec.parse(name if "__" in name else f"vec_dot_q4_0_q8_0__{name}")


def compiled_loop(spec: KernelSpec) -> list[Instruction]:
    wasm = assemble(render_kernel(spec))
    main = make_plan(spec).main_loop
    function = function_of(wasm, main.function)
    code = wasmtime_code.compile_function(wasm, function, wasmtime_code.AVX2)
    return list(turn(spec.name, function, main, machine_loop(spec.name, wasm, function, code)))


def counts(name: str) -> Counts:
    return count(compiled_loop(named(name)))


def x86(code: str, origins: list[tuple[int, int | None]] | None = None) -> list[Instruction]:
    return disassemble(Code(Machine.X86_64, "by hand", bytes.fromhex(code), origins or [], True))


def arm(code: str) -> list[Instruction]:
    return disassemble(Code(Machine.AARCH64, "by hand", bytes.fromhex(code), [], True))


@x86_64
@pytest.mark.parametrize("name", ["relaxed_u1", "relaxed_u2", "relaxed_u4"])
def test_a_relaxed_dot_is_one_pmaddubsw_and_a_block_has_four(name: str) -> None:
    assert counts(name).multipliers["vpmaddubsw"] == 4 * named(name).unroll


DOCUMENTED = re.findall(
    r"^\| `(\w[\w-]+)` \| ([\d.]+) \| [\d.]+ \|$",
    (ROOT / "docs" / "performance.md").read_text(),
    re.MULTILINE,
)


@x86_64
@pytest.mark.parametrize(("name", "per_block"), DOCUMENTED)
def test_the_vector_instructions_are_those_that_the_documentation_counts(name: str, per_block: str) -> None:
    blocks = make_plan(named(name)).main_loop.blocks
    assert f"{counts(name).vector / blocks:.2f}" == f"{float(per_block):.2f}"


def test_the_documentation_counts_vector_instructions() -> None:
    names = {name for name, _ in DOCUMENTED}
    assert {"simd128_u4", "relaxed_u4", "gemv_q4_0_q8_0_16x1__relaxed_u1_broadcast"} <= names


@x86_64
def test_a_scalar_loop_multiplies_each_weight_and_spills() -> None:
    found = counts("scalar_u1")
    assert found.multipliers["imul"] == 32
    assert found.multiplies == 32 + 4
    assert found.spills > 0
    assert counts("relaxed_u2").spills == 0


@x86_64
@pytest.mark.parametrize("name", ["scalar_u1", "simd128_u4", "relaxed_u1"])
def test_the_main_loop_is_found_and_holds_every_load_of_the_wasm_loop(name: str) -> None:
    wasm = assemble(render_kernel(named(name)))
    function = function_of(wasm, EXPORT)
    wasm_loop = first_loop(function.instructions)
    loop = compiled_loop(named(name))
    assert loop[-1].target == loop[0].at
    inside = range(wasm_loop[0].at, wasm_loop[-1].at + 1)
    assert all(one.origin in inside for one in loop if one.origin is not None)
    loads = {one.at for one in wasm_loop if isinstance(one.opcode, int) and 0x28 <= one.opcode <= 0x35}
    loads |= {one.at for one in wasm_loop if one.opcode in [(0xFD, sub) for sub in range(11)]}
    assert loads
    assert loads <= {one.origin for one in loop if one.loads}


@x86_64
def test_every_shipped_kernel_has_a_main_loop_with_at_least_an_instruction_a_multiply() -> None:
    for spec in registered():
        found = count(compiled_loop(spec))
        assert (
            found.instructions
            > found.multiplies
            >= (spec.op not in ("repack", "quantize_row", "pack_activations"))
        ), spec.name


@pytest.mark.parametrize(
    ("code", "vector", "loads", "spills", "multiplies"),
    [
        ("c5fa6f0b", False, True, False, False),  # vmovdqu xmm1, [rbx]
        ("c5fa7f0b", False, False, False, False),  # vmovdqu [rbx], xmm1
        ("c5f97f4c2410", False, False, True, False),  # vmovdqa [rsp + 16], xmm1
        ("488b4508", False, True, True, False),  # mov rax, [rbp + 8]
        ("c4e2610403", True, True, False, True),  # vpmaddubsw xmm0, xmm3, [rbx]
        ("c5fa59c2", True, False, False, True),  # vmulss xmm0, xmm0, xmm2
        ("c5e1fedc", True, False, False, False),  # vpaddd xmm3, xmm3, xmm4
        ("450fafe1", False, False, False, True),  # imul r12d, r9d
        ("478d243e", False, False, False, False),  # lea r12d, [r14 + r15]
        ("480503000000", False, False, False, False),  # add rax, 3
        ("3b4310", False, True, False, False),  # cmp eax, [rbx + 16]
        ("c4e26150fc", True, False, False, True),  # vpdpbusd xmm7, xmm3, xmm4, which capstone 5 does not know
        ("c4e261500b", True, True, False, True),  # vpdpbusd xmm1, xmm3, [rbx]
    ],
)
def test_what_an_x86_instruction_is(
    code: str, vector: bool, loads: bool, spills: bool, multiplies: bool
) -> None:
    [one] = x86(code)
    assert (one.vector, one.loads, one.spills, one.multiplies) == (vector, loads, spills, multiplies), one


@pytest.mark.parametrize(
    ("code", "vector", "loads", "spills", "multiplies"),
    [
        ("2004c03d", False, True, False, False),  # ldr q0, [x1, #16]
        ("e007803d", False, False, True, False),  # str q0, [sp, #16]
        ("20c0224e", True, False, False, True),  # smull2 v0.8h, v1.16b, v2.16b
        ("2084a24e", True, False, False, False),  # add v0.4s, v1.4s, v2.4s
        ("207c021b", False, False, False, True),  # mul w0, w1, w2
    ],
)
def test_what_an_aarch64_instruction_is(
    code: str, vector: bool, loads: bool, spills: bool, multiplies: bool
) -> None:
    [one] = arm(code)
    assert (one.vector, one.loads, one.spills, one.multiplies) == (vector, loads, spills, multiplies), one


def test_a_dot_product_that_capstone_does_not_know_keeps_its_name_and_its_place() -> None:
    found = x86("c5c1efff" + "c4e26150fc" + "c3")
    assert [(one.at, one.text) for one in found] == [
        (0, "vpxor xmm7, xmm7, xmm7"),
        (4, "vpdpbusd xmm7, xmm3, xmm4"),
        (9, "ret"),
    ]


FIRST = "83c001" + "75fb"  # add eax, 1; jne to itself
SECOND = "83c101" + "75fb"  # add ecx, 1; jne to itself


def test_the_loop_is_the_one_whose_instructions_come_from_the_wasm_loop() -> None:
    code = FIRST + SECOND + "c3"
    origins: list[tuple[int, int | None]] = [(0, 10), (5, 50)]
    assert [one.at for one in main_loop("k", x86(code, origins), range(50, 60))] == [5, 8]
    assert [one.at for one in main_loop("k", x86(code, origins), range(5, 20))] == [0, 3]
    assert [one.at for one in main_loop("k", x86(code), range(50, 60))] in ([0, 3], [5, 8])


def test_a_slow_path_behind_the_end_that_jumps_back_is_no_loop() -> None:
    slow_path = "31c0" + "ebf6"  # behind the return: xor eax, eax; jmp to the start
    assert [one.at for one in main_loop("k", x86(FIRST + "c3" + slow_path, [(0, 1)]), range(2))] == [0, 3]
    with pytest.raises(MachineCodeError, match="k: no loop"):
        main_loop("k", x86("83c001" + "c3" + "ebfa"), range(2))


def test_an_unknown_instruction_in_the_loop_is_told_and_elsewhere_does_no_harm() -> None:
    with pytest.raises(MachineCodeError, match=r"0x3.*capstone"):
        main_loop("k", x86("83c001" + "06" + "75fa"), range(2))
    assert len(main_loop("k", x86("06" + FIRST + "c3" + "06"), range(2))) == 2


def test_an_origin_holds_up_to_the_next() -> None:
    code = Code(Machine.X86_64, "", b"", [(4, 10), (8, None), (12, 20)], True)
    assert [code.origin(at) for at in (0, 4, 7, 8, 11, 12, 99)] == [None, 10, 10, None, None, 20, 20]


def test_a_missing_package_is_named_with_the_mend() -> None:
    with pytest.raises(
        MachineCodeError, match=r"no_such_package: not installed.*pip install capstone pyelftools"
    ):
        needed.needed("no_such_package.module")


def test_x86_64_is_not_asked_of_wasmtime_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would abort the process."""
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    wasm = assemble(render_kernel(named("scalar_u1")))
    with pytest.raises(MachineCodeError, match="use an x86-64 machine"):
        wasmtime_code.compile_function(wasm, function_of(wasm, EXPORT), wasmtime_code.AVX2)


def test_a_machine_that_is_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    wasm = assemble(render_kernel(named("scalar_u1")))
    with pytest.raises(MachineCodeError, match="riscv64"):
        wasmtime_code.compile_function(wasm, function_of(wasm, EXPORT), wasmtime_code.THIS_CPU)


@x86_64
def test_machine_instructions_of_the_loop_stand_in_the_codes_order_without_a_gap() -> None:
    loop = compiled_loop(named("relaxed_u4"))
    assert all(0 < b.at - a.at <= 15 for a, b in itertools.pairwise(loop))
