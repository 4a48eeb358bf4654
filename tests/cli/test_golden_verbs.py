from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, assemble, render_kernel
from codegen.kernels import registry
from codegen.kernels.plans import make_plan
from codegen.products import golden
from codegen.wasm.cost import Cost, cost
from tests.cli.command import GENERATED, ROOT, Call, assert_refused, codegen, contents

ONE, TWO = (KernelSpec(Isa.RELAXED, unroll=unroll) for unroll in (1, 2))
HIDDEN = KernelSpec(Isa.RELAXED, strategy="dot32")
FILE = f"{TWO.name}.wat"
TEXT = render_kernel(TWO)
ORPHAN = "vec_dot_q4_0_q8_0__mmx_u1.wat"


@pytest.fixture(scope="module")
def blessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blessed")
    codegen("bless", "--out", folder, cwd=folder)
    return folder


@pytest.fixture
def goldens(blessed: Path, tmp_path: Path) -> Path:
    """Sound goldens to spoil, in the folder `goldens` of the folder that `call` runs in."""
    return shutil.copytree(blessed, tmp_path / "goldens")


def failed_check(call: Call) -> tuple[str, list[str]]:
    """The diff, and the complaints, of a check that fails."""
    done = call("check", "-o", "goldens")
    assert done.returncode == 1, done.stderr
    return done.stdout, done.stderr.splitlines()


def cost_of(spec: KernelSpec) -> Cost:
    return cost(assemble(render_kernel(spec)), make_plan(spec).main_loop)


def unchanged_cost() -> str:
    c = cost_of(TWO)
    return f"{c.opcodes:.2f} -> {c.opcodes:.2f} opcodes per 32, {c.bytes} -> {c.bytes} bytes"


def test_check_passes_on_the_committed_goldens() -> None:
    assert codegen("check", cwd=ROOT).stdout == "generated/ and docs/formats.md are what the generator says\n"


def test_check_passes_on_what_was_blessed(goldens: Path, call: Call) -> None:
    done = call("check", "-o", "goldens")
    assert (done.returncode, done.stdout, done.stderr) == (0, "goldens/ is what the generator says\n", "")


def test_check_shows_what_changed_what_it_costs_and_how_to_bless(goldens: Path, call: Call) -> None:
    (goldens / FILE).write_text(TEXT.replace("\n\n", "\n\n  ;; somebody's change\n", 1))
    diff, [complaint] = failed_check(call)
    old, new, hunk, *lines = diff.splitlines()
    assert (old, new) == (f"--- goldens/{FILE} (committed)", f"+++ goldens/{FILE} (generator)")
    assert hunk.startswith("@@ -")
    assert [line for line in lines if line[0] in "+-"] == ["-  ;; somebody's change"]
    assert complaint.startswith(f"{FILE} differs: {unchanged_cost()}; ")
    assert complaint.endswith("codegen bless --out goldens")


def test_check_tells_the_cost_delta_of_other_code(goldens: Path, call: Call) -> None:
    (goldens / FILE).write_text(render_kernel(ONE))
    _, [complaint] = failed_check(call)
    was, now = cost_of(ONE), cost_of(TWO)
    assert f"{was.opcodes / 2:.2f} -> {now.opcodes:.2f} opcodes" in complaint
    assert f"{was.bytes} -> {now.bytes} bytes" in complaint


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (TEXT.encode()[:2000], "does not assemble"),
        (b"", "does not assemble"),
        (b"(module)\n", "does not assemble"),
        (b"\xff\xfe\0", "not ASCII"),
        (TEXT.encode().replace(b"\n", b"\r\n"), "differs"),
        (None, "missing"),
    ],
    ids=["truncated", "empty", "no-kernel", "binary", "crlf", "missing"],
)
def test_check_names_a_golden_that_is_broken(
    goldens: Path, call: Call, content: bytes | None, told: str
) -> None:
    (goldens / FILE).unlink()
    if content is not None:
        (goldens / FILE).write_bytes(content)
    _, [complaint] = failed_check(call)
    assert complaint.startswith(f"{FILE} ")
    assert told in complaint
    assert complaint.endswith("codegen bless --out goldens")


def test_check_diff_has_a_line_a_line_where_the_last_newline_is_lost(goldens: Path, call: Call) -> None:
    (goldens / FILE).write_text(TEXT[:-1])
    diff, _ = failed_check(call)
    last = TEXT.splitlines()[-1]
    assert [line for line in diff.splitlines()[3:] if line[0] in "+-"] == [f"-{last}", f"+{last}"]


def test_check_compares_the_document_of_formats_and_bless_writes_it(
    goldens: Path, tmp_path: Path, call: Call
) -> None:
    goldens.rename(tmp_path / "generated")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)  # which makes it a checkout
    document, committed = tmp_path / "docs" / "formats.md", ROOT / "docs" / "formats.md"
    done = call("check")
    assert (done.returncode, done.stderr) == (1, "formats.md is missing; if that is meant: make bless\n")
    assert "blessed docs/formats.md" in call("bless").stdout
    assert document.read_bytes() == committed.read_bytes()
    document.write_text(document.read_text().replace("| q4_0 | 2 | 32 | 18 |", "| q4_0 | 2 | 32 | 19 |"))
    done = call("check")
    assert done.returncode == 1
    assert done.stderr.startswith("formats.md differs; ")
    assert "+| q4_0 | 2 | 32 | 18 |" in done.stdout


@pytest.mark.parametrize("table", ["costs.md", "manifest.json"])
def test_check_compares_the_tables_too(goldens: Path, call: Call, table: str) -> None:
    text = (goldens / table).read_text()
    (goldens / table).write_text(text.replace("relaxed_u4", "relaxed_u5", 1))
    diff, [complaint] = failed_check(call)
    assert "relaxed_u5" in diff
    assert complaint.startswith(f"{table} differs; ")


@pytest.mark.parametrize("name", [ORPHAN, FILE.replace("_u2", "_u7"), FILE.replace(".wat", ".txt")])
def test_check_names_an_orphan(goldens: Path, call: Call, name: str) -> None:
    (goldens / name).write_text(TEXT)
    _, [complaint] = failed_check(call)
    assert complaint.startswith(f"{name} is an orphan")


@pytest.mark.parametrize("spec", [HIDDEN, KernelSpec(Isa.RELAXED, unroll=7)], ids=lambda spec: spec.name)
def test_a_sound_kernel_that_is_not_shown_is_an_orphan(goldens: Path, call: Call, spec: KernelSpec) -> None:
    call("--emit", "wat", "--kernel", spec.name, "--out", "goldens")
    _, [complaint] = failed_check(call)
    assert complaint.startswith(f"{spec.name}.wat is an orphan")
    assert f"removed goldens/{spec.name}.wat" in call("bless", "-o", "goldens").stdout
    assert call("check", "-o", "goldens").returncode == 0


# --- kernels that are not shown


def test_check_tells_that_a_kernel_that_is_not_shown_changed(
    goldens: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = render_kernel(replace(HIDDEN, unroll=2))
    monkeypatch.setattr(
        golden, "render_kernel", lambda spec: other if spec == HIDDEN else render_kernel(spec)
    )
    diff, complaints = failed_check(call)
    assert [complaint.split()[0] for complaint in complaints] == ["costs.md", "manifest.json", HIDDEN.name]
    was, now = cost_of(HIDDEN), cost(assemble(other), make_plan(HIDDEN).main_loop)
    assert complaints[-1] == (
        f"{HIDDEN.name} has another hash: {was.opcodes:.2f} -> {now.opcodes:.2f} opcodes per 32, "
        f"{was.bytes} -> {now.bytes} bytes; if that is meant: codegen bless --out goldens"
    )
    assert '-    "sha256": ' in diff
    assert call("bless", "-o", "goldens").stdout.count("\n") == 3  # both tables, and what to do with them
    assert call("check", "-o", "goldens").returncode == 0


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", "3", "[3]", '[{"name": []}]', "[" * 100_000, "\u00e9", None],
    ids=lambda text: repr(text)[:20],
)
def test_a_manifest_that_cannot_be_read_is_one_complaint(goldens: Path, call: Call, text: str | None) -> None:
    (goldens / "manifest.json").unlink()
    if text is not None:
        (goldens / "manifest.json").write_text(text, encoding="utf-8")
    _, [complaint] = failed_check(call)
    assert complaint.startswith("manifest.json ")


def test_the_manifest_has_hash_and_cost_of_every_registered_kernel() -> None:
    entries = json.loads((GENERATED / "manifest.json").read_text())
    for spec, entry in zip(registry.registered(), entries, strict=True):
        wasm = assemble(render_kernel(spec))
        found = cost(wasm, make_plan(spec).main_loop)
        assert entry["name"] == spec.name
        assert entry["sha256"] == hashlib.sha256(wasm).hexdigest()
        assert (entry["opcodes"], entry["bytes"]) == (pytest.approx(found.opcodes, abs=0.005), len(wasm))


def test_the_goldens_can_be_reviewed() -> None:
    texts = [path.read_text() for path in GENERATED.iterdir()]
    assert sum(len(text.splitlines()) for text in texts) < 20_000
    contracts = {spec.contract for spec in registry.registered()}
    assert {spec.contract for spec in registry.shown()} == contracts
    assert {path.stem for path in GENERATED.glob("*.wat")} == {spec.name for spec in registry.shown()}


PYPROJECTS = {"none": None, "broken": "[project", "another": '[project]\nname = "another"\n', "empty": ""}


@pytest.mark.parametrize("pyproject", PYPROJECTS.values(), ids=PYPROJECTS)
@pytest.mark.parametrize(
    ("verb", "folder"), [("check", "generated"), ("bless", "generated"), ("vectors", "tests/vectors")]
)
def test_outside_a_checkout_nothing_is_compared_or_written(
    verb: str, folder: str, pyproject: str | None, call: Call, tmp_path: Path
) -> None:
    theirs = tmp_path / folder / "theirs.txt"
    theirs.parent.mkdir(parents=True)
    theirs.touch()
    if pyproject is not None:
        (tmp_path / "pyproject.toml").write_text(pyproject)
    before = contents(tmp_path)
    assert_refused(call(verb), folder, f"run `codegen {verb}` in one, or give --out")
    assert contents(tmp_path) == before


def test_check_of_a_folder_that_is_not_there_is_a_wrong_call(call: Call) -> None:
    assert_refused(call("check", "--out", "nowhere"), "nowhere: no such folder")


@pytest.fixture
def long_line(monkeypatch: pytest.MonkeyPatch) -> str:
    """Makes the generator write a comment of 131 characters into one kernel; the number of that line."""
    comment = f"  ;; {'x' * 126}"
    text = TEXT.replace("\n\n", f"\n\n{comment}\n", 1)
    monkeypatch.setattr(golden, "render_kernel", lambda spec: text if spec == TWO else render_kernel(spec))
    return str(text.splitlines().index(comment) + 1)


def test_check_names_a_line_that_is_too_long_to_read(goldens: Path, call: Call, long_line: str) -> None:
    (goldens / FILE).write_text(golden.render_kernel(TWO))
    diff, [complaint, *rest] = failed_check(call)
    assert complaint == (
        f"{FILE} is hard to read: line {long_line} has 131 characters, 130 are the most; break the line in templates/"
    )
    assert (diff, rest) == ("", [])


def test_bless_refuses_a_line_that_is_too_long_to_read(goldens: Path, call: Call, long_line: str) -> None:
    before = contents(goldens)
    assert_refused(call("bless", "--out", "goldens"), FILE, f"line {long_line} has 131 characters")
    assert contents(goldens) == before


def test_bless_mends_whatever_check_complains_of(blessed: Path, goldens: Path, call: Call) -> None:
    gone, leftover = f"{ONE.name}.wat", f".{FILE}.{2**22 + 1}.tmp"  # above the largest process id of Linux
    (goldens / gone).unlink()
    (goldens / FILE).write_text("(module)\n")
    (goldens / ORPHAN).write_text(TEXT)
    (goldens / leftover).write_text("of a process that was killed")
    told = call("bless", "--out", "goldens").stdout.splitlines()
    assert {f"blessed goldens/{gone}", f"blessed goldens/{FILE}", f"removed goldens/{ORPHAN}"} <= set(told)
    assert contents(goldens) == contents(blessed)


@pytest.mark.parametrize("name", [ORPHAN, "notes.txt", f".{FILE}.{2**22 + 1}.tmp"])
def test_bless_or_the_complaint_itself_says_how_to_get_rid_of_an_orphan(
    goldens: Path, call: Call, name: str
) -> None:
    (goldens / name).write_text("no kernel")
    _, [complaint] = failed_check(call)
    assert "remove" in complaint or complaint.endswith("bless")
    if complaint.endswith("bless"):
        call("bless", "-o", "goldens")
        assert call("check", "-o", "goldens").returncode == 0


def test_bless_with_nothing_to_do_writes_nothing(goldens: Path, call: Call) -> None:
    times = {path: path.stat().st_mtime_ns for path in goldens.iterdir()}
    assert call("bless", "-o", "goldens").stdout.startswith("0 files changed; ")
    assert {path: path.stat().st_mtime_ns for path in goldens.iterdir()} == times


def test_bless_is_refused_in_ci(goldens: Path) -> None:
    (goldens / FILE).write_text("(module)\n")
    before = contents(goldens)
    assert_refused(codegen("bless", "-o", goldens, cwd=goldens, status=2, CI="true"), "bless", "CI")
    assert contents(goldens) == before
