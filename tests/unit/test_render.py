import re
import shutil
from pathlib import Path

import pytest

from codegen import KernelSpec, assemble, render_kernel
from codegen.base.errors import AssembleError, TemplateError
from codegen.kernels.dot.plan import dot_plan
from codegen.kernels.registry import registered
from codegen.products.golden import check
from codegen.render.text import long_line, template_root

ROOT = Path(__file__).resolve().parents[2]
SPEC = KernelSpec.parse("vec_dot_q4_0_q8_0__relaxed_u4")


def test_generated_is_what_the_generator_says() -> None:
    assert [f"{d.golden} {d.what}" for d in check(ROOT / "generated")] == []


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_text_is_ascii_without_trailing_space_or_doubled_blank_lines(spec: KernelSpec) -> None:
    text = render_kernel(spec)
    assert text.isascii() and text.endswith("\n") and not text.endswith("\n\n")
    assert not re.search(r"[ \t\r]$|\t|\n\n\n", text, re.MULTILINE)
    assert long_line(text) is None


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_every_local_is_used_and_every_used_one_declared(spec: KernelSpec) -> None:
    text = render_kernel(spec)
    kernel = text[text.index(f' (export "{spec.export}"') :]
    declared = re.findall(r"\((?:local|param) (\$\w+)", kernel)
    used = set(re.findall(r"\(local\.(?:get|set|tee) (\$\w+)", kernel))
    assert len(declared) == len(set(declared))
    ignored = {"$bs", "$bx", "$by"} if spec.op == "vec_dot" else set()
    assert used == set(declared) - ignored
    read = set(re.findall(r"\(local\.get (\$\w+)", kernel))
    assert used == read


def test_rendering_twice_gives_the_same_text() -> None:
    assert render_kernel(SPEC) == render_kernel(SPEC)


def test_templates_checked_out_with_crlf_render_the_same(tmp_path: Path) -> None:
    copy = tmp_path / "templates"
    shutil.copytree(template_root(), copy)
    for path in copy.rglob("*.j2"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    for spec in registered():
        assert render_kernel(spec, copy) == render_kernel(spec)


def test_a_misspelt_name_in_a_template_fails_loudly(tmp_path: Path) -> None:
    copy = tmp_path / "templates"
    shutil.copytree(template_root(), copy)
    path = copy / "frames/vec_dot.wat.j2"
    path.write_text(path.read_text().replace("plan.x_step", "plan.x_stride"))
    with pytest.raises(TemplateError, match="x_stride"):
        render_kernel(SPEC, copy)


def test_a_template_that_does_not_assemble_still_has_its_text(tmp_path: Path) -> None:
    copy = tmp_path / "templates"
    shutil.copytree(template_root(), copy)
    path = copy / "frames/vec_dot.wat.j2"
    path.write_text(path.read_text().replace("(f32.store align=1", "(f32.stoer align=1"))
    text = render_kernel(SPEC, copy)
    assert ";; Cost: nan opcodes" in text
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "f32.stoer" in line)
    with pytest.raises(AssembleError, match=rf"{SPEC.name}, line {line}:"):
        assemble(text)


def test_a_folder_without_the_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=re.escape(str(tmp_path))):
        render_kernel(SPEC, tmp_path)


def test_templates_have_no_arithmetic() -> None:
    for path in template_root().rglob("*.j2"):
        text = re.sub(r";;#.*", "", path.read_text())
        for control in re.findall(r"\{\{(.*?)\}\}", text) + re.findall(r"^\s*;;%-?(.*)$", text, re.MULTILINE):
            bare = re.sub(r'"[^"]*"', "", control)
            assert not re.search(r"[\w)\]]\s*[+*/]\s*[\w(\[]|\w\s+-\s+\w", bare), f"{path.name}: {control}"


def test_files_can_be_read_in_a_sitting() -> None:
    for path in (ROOT / "codegen").rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 250, path
    for path in template_root().rglob("*.j2"):
        assert len(path.read_text().splitlines()) <= 120, path


@pytest.mark.parametrize(
    ("unroll", "accumulators"), [(u, a) for u in range(1, 17) for a in range(1, 9) if u % a == 0]
)
def test_a_plan_takes_every_block_once_and_in_order(unroll: int, accumulators: int) -> None:
    plan = dot_plan(KernelSpec("relaxed", unroll=unroll, accumulators=accumulators))  # type: ignore[arg-type]
    blocks = [block.index for group in plan.groups for block in group.blocks]
    assert blocks == list(range(unroll))
    assert {group.size for group in plan.groups} <= {1, 2, 4}
    for a in range(accumulators):
        taken = sum(group.size for group in plan.groups if group.accumulator == a)
        assert taken == unroll // accumulators


@pytest.mark.parametrize("wat", ["(module", "(modle)", "(module (func (result i32)))", "", "\N{SNOWMAN}"])
def test_text_that_does_not_assemble_is_an_error_of_one_line(wat: str) -> None:
    for assembler in ("wabt", "wasmtime"):
        with pytest.raises(AssembleError) as caught:
            assemble(wat, assembler)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
