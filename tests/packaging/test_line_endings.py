from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from codegen import KernelSpec, render_kernel
from codegen.kernels.registry import registered
from codegen.render.text import filled
from tests.cli.command import ROOT, contents


@pytest.fixture(scope="module")
def crlf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The templates as a checkout with CRLF line ends has them."""
    root = tmp_path_factory.mktemp("crlf")
    for name, text in contents(ROOT / "templates").items():
        assert b"\r" not in text, name
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.replace(b"\n", b"\r\n"))
    return root


@pytest.mark.parametrize("spec", registered(), ids=lambda spec: spec.name)
def test_templates_with_crlf_render_the_same_text(spec: KernelSpec, crlf: Path) -> None:
    assert render_kernel(spec, crlf) == render_kernel(spec)


def test_the_driver_with_crlf_renders_the_same_text(crlf: Path) -> None:
    texts = [filled("driver.wat.j2", root=root) for root in (crlf, None)]
    assert texts[0] == texts[1]


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(not shutil.which("git") or not (ROOT / ".git").exists(), reason="needs a git checkout")
class TestCheckout:
    def test_every_text_is_checked_out_with_lf(self) -> None:
        names = [name for name in git("ls-files", "-z").split("\0") if name]
        assert names
        fields = git("check-attr", "-z", "eol", "--", *names).split("\0")[:-1]
        assert dict(zip(fields[0::3], fields[2::3], strict=True)) == dict.fromkeys(names, "lf")

    def test_no_committed_text_has_crlf(self) -> None:
        ends = [line.split()[0] for line in git("ls-files", "--eol").splitlines()]
        assert set(ends) <= {"i/lf", "i/none", "i/-text"}
