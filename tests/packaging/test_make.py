"""What `make kernels` rebuilds, and what it leaves alone: in a copy of the project, in this environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, assemble, render_kernel
from codegen.kernels import registry
from tests.cli.command import contents, copy_of_project, environment

pytestmark = [
    pytest.mark.slow,  # all kernels are verified, which `make kernels` itself does before `make test`
    pytest.mark.skipif(os.name != "posix" or not shutil.which("make"), reason="needs make and a POSIX shell"),
]

UNROLLED = registry.select(unroll=2)
SHOWN = registry.shown()
FILES = {
    f"{'generated' if spec in SHOWN else 'build'}/{spec.name}.wat": render_kernel(spec).encode()
    for spec in UNROLLED
}
FILES |= {f"build/{spec.name}.wasm": assemble(render_kernel(spec)) for spec in UNROLLED}


@dataclass(frozen=True)
class Project:
    """A copy of the project, and a python for it that has no need of a .venv of its own."""

    root: Path
    bin: Path

    def make(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs make without the bootstrap: `true` takes the place of the Python that would run it."""
        done = subprocess.run(
            ["make", "--no-print-directory", "PYTHON=true", f"VENV_BIN={self.bin}", *words],
            cwd=self.root,
            env=environment(self.root),
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == status, done.stdout[-2000:] + done.stderr[-2000:]
        return done

    def written(self, *words: str) -> list[str]:
        """The files that `make kernels` said it wrote."""
        lines = self.make("kernels", *words).stdout.splitlines()
        return sorted(line.removeprefix("wrote ") for line in lines if line.startswith("wrote "))

    def made(self) -> dict[str, bytes]:
        """generated/ and build/, by content."""
        return {
            name: data
            for name, data in contents(self.root).items()
            if name.startswith(("generated/", "build/"))
        }

    def times(self) -> dict[str, tuple[int, int]]:
        """When each file in generated/ and build/ was written, and its inode, which a rename replaces."""
        return {name: ((s := (self.root / name).stat()).st_mtime_ns, s.st_ino) for name in self.made()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """The copy after its first, whole `make kernels`; later ones do not verify, which takes most of the time."""
    root = copy_of_project(tmp_path_factory.mktemp("project"))
    shutil.rmtree(root / "generated")
    python = tmp_path_factory.mktemp("bin") / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    project = Project(root, python.parent)
    first = project.make("kernels")
    python.write_text(f'#!/bin/sh\n[ "$3" = verify ] || exec "{sys.executable}" "$@"\n')
    return project, first


@pytest.fixture
def project(built: tuple[Project, object]) -> Project:
    return built[0]


def test_kernels_are_made_and_verified_two_blocks_a_turn_by_default(
    built: tuple[Project, subprocess.CompletedProcess[str]],
) -> None:
    project, first = built
    assert {name: project.made()[name] for name in FILES} == FILES
    verified = [line.split() for line in first.stdout.splitlines() if " pass " in line]
    assert [(kernel, verdict) for kernel, verdict, *_ in verified] == [(s.name, "pass") for s in UNROLLED]


def test_nothing_is_written_where_nothing_changed(project: Project) -> None:
    times = project.times()
    done = project.make("kernels", "UNROLL=2")
    assert project.times() == times
    assert f"{len(FILES)} files: 0 written, {len(FILES)} up to date" in done.stdout


def test_another_unroll_and_back_gives_the_same_bytes(project: Project) -> None:
    first = project.made()
    others = project.written("UNROLL=4")
    assert f"build/{KernelSpec(Isa.RELAXED, unroll=4).name}.wasm" in others
    assert project.written("UNROLL=2") == []
    assert {name: data for name, data in project.made().items() if name not in others} == first


def test_a_changed_template_rebuilds_and_its_return_too(project: Project) -> None:
    template = project.root / "templates" / "frames" / "vec_dot.wat.j2"
    sound, times = template.read_text(), template.stat()
    template.write_text(f"{sound};; a remark\n")
    os.utime(template, ns=(times.st_atime_ns, times.st_mtime_ns))
    touched = sorted(name for name in FILES if re.search(r"/vec_dot_\S+\.wat$", name))
    assert project.written("UNROLL=2") == touched
    for name in FILES:
        assert (b";; a remark" in (project.root / name).read_bytes()) == (name in touched)
    template.write_text(sound)
    assert project.written("UNROLL=2") == touched
    assert {name: project.made()[name] for name in FILES} == FILES


def test_a_changed_generator_rebuilds_text_and_bytes(project: Project) -> None:
    module = project.root / "codegen" / "render" / "text.py"
    sound = module.read_text()
    broken = "_render(*args).rstrip()[:-1] + ' (func))\\n'"
    more_code = f"_render = render_kernel\ndef render_kernel(*args): return {broken}\n"
    module.write_text(sound + more_code)
    assert project.written("UNROLL=2") == sorted(FILES)
    module.write_text(sound)
    assert project.written("UNROLL=2") == sorted(FILES)
    assert {name: project.made()[name] for name in FILES} == FILES


@pytest.mark.parametrize("kind", ["generated", "build"])
def test_a_spoilt_file_is_repaired(project: Project, kind: str) -> None:
    cut, other, gone, empty, *sound = sorted(
        project.root / name for name in FILES if name.startswith(f"{kind}/")
    )
    cut.write_bytes(cut.read_bytes()[:-1])
    other.write_bytes(sound[0].read_bytes())
    gone.unlink()
    empty.write_bytes(b"")
    times = {path: path.stat().st_mtime_ns for path in sound}
    assert [project.root / name for name in project.written("UNROLL=2")] == [cut, other, gone, empty]
    assert {name: project.made()[name] for name in FILES} == FILES
    assert {path: path.stat().st_mtime_ns for path in sound} == times


@pytest.mark.parametrize("unroll", ["0", "-1", "2.5", "abc", "17", "", "2 4"])
def test_an_impossible_unroll_stops_make_with_one_line_of_ours(project: Project, unroll: str) -> None:
    times = project.times()
    done = project.make("kernels", f"UNROLL={unroll}", status=2)
    ours = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(ours) == 1
    assert ours[0].startswith(f"codegen: argument --unroll: '{unroll}': ")
    assert done.stdout == ""
    assert project.times() == times


def test_check_and_bless_are_what_the_command_line_does(project: Project) -> None:
    assert "blessed generated/costs.md" in project.make("bless").stdout
    assert project.make("check").stdout == "generated/ and docs/formats.md are what the generator says\n"
    (project.root / "generated" / "costs.md").write_text("")
    assert "costs.md differs" in project.make("check", status=2).stderr


def test_clean_removes_what_make_made_and_no_source(project: Project) -> None:
    before = contents(project.root)
    project.make("clean")
    assert contents(project.root) == {n: d for n, d in before.items() if not n.startswith("build/")}
    project.make("kernels", "UNROLL=2")


def test_help_lists_every_target(project: Project) -> None:
    targets = {line.split()[0] for line in project.make("help").stdout.splitlines()}
    assert targets >= {"kernels", "test", "check", "bless", "bench", "tune", "clean"}
