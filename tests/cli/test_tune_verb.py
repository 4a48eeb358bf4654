"""`codegen tune` from the call to the file: real kernels in wasmtime, each timed for next to no time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from codegen import Isa, KernelSpec, engines
from codegen.kernels import shipped, tuning
from codegen.speed.bench import contestant, session
from codegen.speed.tune import heatmap, proof, space
from tests.cli.command import Call, assert_one_line, assert_refused, codegen, contents, copy_of_project
from tests.tunings import CONTRACT, RELAXED, SCALAR, SIMD, SWEPT, FakeSession, spec, tuning_of

pytestmark = pytest.mark.slow

FILE = "tuning/wasmtime-x86_64.json"
TWO = ("--kernel", f"{CONTRACT}__relaxed_u[12]")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time to time, no engine but wasmtime, and a machine of one name everywhere."""
    monkeypatch.setattr(contestant, "SLICE_S", 0.0)
    monkeypatch.setattr(engines, "discover", list)
    monkeypatch.setattr(tuning, "architecture", lambda: "x86_64")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeSession:
    """Timing and verification without kernels."""
    made = FakeSession({spec("relaxed_u1"): 50, spec("relaxed_u2"): 40})
    monkeypatch.setattr(session, "run", made)
    monkeypatch.setattr(proof, "failures", lambda _: {})
    return made


def test_a_sweep_in_wasmtime_writes_the_file_and_ranks(call: Call, tmp_path: Path) -> None:
    done = call("tune", *TWO, "--kernel", SCALAR.name, "--rounds", "6", "--n", "64")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(contents(tmp_path)) == [FILE]
    found = tuning.load(tmp_path / FILE)
    swept = found.contracts[CONTRACT]
    assert found.engine_version.startswith("wasmtime ")
    assert (swept.n, swept.level, swept.rounds, swept.complete) == (64, "l1", 6, True)
    assert {one.spec for one in swept.candidates} == {SCALAR, spec("relaxed_u1"), spec("relaxed_u2")}
    assert {one.stage for one in swept.candidates} == {3}
    assert all(one.failed is None and one.median_ns for one in swept.candidates)
    assert list(swept.best) == ["scalar", "relaxed"]
    title, _, *rows, wrote = (line for line in done.stdout.splitlines() if "noisy" not in line)
    assert title.startswith(f"{CONTRACT} in wasmtime ")
    assert [row.split()[0] for row in rows] == [one.spec.name for one in swept.candidates]
    assert sum("best of relaxed" in row for row in rows) == 1
    assert wrote == f"wrote {Path(FILE)}"


@pytest.mark.parametrize("noise", [0.0, 20.0])
def test_a_noisy_machine_is_told(noise: float, call: Call, fake: FakeSession) -> None:
    fake.own_noise = noise
    assert ("noisy machine" in call("tune", *TWO).stdout) == bool(noise)


def test_json_prints_the_file(call: Call, fake: FakeSession, tmp_path: Path) -> None:
    done = call("tune", *TWO, "--json", "-o", "elsewhere")
    assert done.stdout == (tmp_path / "elsewhere" / "wasmtime-x86_64.json").read_text()
    assert json.loads(done.stdout)["contracts"][CONTRACT]["best"] == {"relaxed": spec("relaxed_u2").name}


def test_what_was_used_before_is_shown_wherever_it_ranks(
    call: Call, fake: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "root", lambda: tmp_path)
    fake.ns = {RELAXED: 5000}
    rows = call("tune", "--kernel", f"{CONTRACT}__relaxed*").stdout.splitlines()[2:-1]
    assert len(rows) in (11, 12)  # ten, this one, and the best where it is not among the ten
    last = str(len(space.candidates((), [Isa.RELAXED])[CONTRACT]))
    assert rows[-1].split()[:4] == [RELAXED.name, "used", "before", last]


def test_emit_takes_the_kernels_of_a_file(call: Call, fake: FakeSession, tmp_path: Path) -> None:
    call("tune", *TWO, "--kernel", f"{CONTRACT}__simd128_u1")
    done = call("emit", "--tuned", FILE, "-o", "out")
    assert done.returncode == 0
    wanted = [spec("relaxed_u2"), spec("simd128_u1")]
    assert list(contents(tmp_path / "out")) == [f"{one.name}.wat" for one in wanted]
    listed = json.loads(call("list", "--tuned", FILE, "--isa", "relaxed", "--json").stdout)
    assert [one["name"] for one in listed] == [spec("relaxed_u2").name]


def test_other_contracts_and_isas_stay_in_the_file(call: Call, fake: FakeSession, tmp_path: Path) -> None:
    old = tuning_of(SWEPT)
    old.contracts["another"] = old.contracts[CONTRACT].__class__.from_json(  # type: ignore[index]
        "another", old.contracts[CONTRACT].to_json() | {"candidates": [], "best": {}}
    )
    old.save(tmp_path / "tuning")
    call("tune", *TWO)
    new = tuning.load(tmp_path / FILE)
    assert new.contracts["another"] == old.contracts["another"]
    assert new.contracts[CONTRACT].best == {"simd128": SIMD, "relaxed": spec("relaxed_u2")}


def test_a_broken_file_is_written_anew(call: Call, fake: FakeSession, tmp_path: Path) -> None:
    (tmp_path / "tuning").mkdir()
    (tmp_path / FILE).write_text("{")
    done = call("tune", *TWO)
    assert done.returncode == 0
    assert done.stderr.startswith(f"written anew: {Path(FILE)}: ")
    assert tuning.load(tmp_path / FILE).best == (spec("relaxed_u2"),)


def test_the_heatmap_is_the_candidates(call: Call, fake: FakeSession, tmp_path: Path) -> None:
    assert call("tune", *TWO, "--heatmap", "new/map.svg").returncode == 0
    swept = tuning.load(tmp_path / FILE)
    title = f"{swept.engine_version}, {swept.processor}"
    heatmap.heatmap(swept.contracts[CONTRACT], tmp_path / "again.svg", title)
    assert (tmp_path / "new" / "map.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()


def test_a_broken_shipped_file_is_one_line_but_does_not_stop_tune(tmp_path: Path) -> None:
    project = copy_of_project(tmp_path)
    (project / FILE).write_text("{")
    assert_refused(codegen("list", cwd=project, source=project, status=2), FILE, "`codegen tune`")
    assert_refused(codegen("tune", "--kernel", "no*", cwd=project, source=project, status=2), "no*")


# --- failures


def test_a_kernel_that_fails_is_told_and_is_not_best(
    call: Call, fake: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = spec("relaxed_u2")
    monkeypatch.setattr(proof, "failures", lambda tried: {one: "is wrong" for one in tried if one == wrong})
    done = call("tune", *TWO)
    assert done.returncode == 0
    assert done.stderr == f"{wrong.name} can never be best: is wrong\n"
    assert tuning.load(tmp_path / FILE).best == (spec("relaxed_u1"),)


def test_an_isa_of_which_every_kernel_fails_fails_the_call(
    call: Call, fake: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "failures", lambda tried: dict.fromkeys(tried, "is wrong"))
    done = call("tune", *TWO)
    assert done.returncode == 1
    assert_one_line(done.stderr.splitlines(keepends=True)[-1], CONTRACT, "relaxed")
    assert tuning.load(tmp_path / FILE).best == ()


# --- interruption


def interrupt_at(number: int, fake: FakeSession) -> None:
    def before(batch: int) -> None:
        if batch == number:
            raise KeyboardInterrupt

    fake.before = before


def test_an_interrupted_sweep_keeps_what_it_has(call: Call, fake: FakeSession, tmp_path: Path) -> None:
    interrupt_at(3, fake)
    done = call("tune")
    assert done.returncode == 130
    assert_one_line(done.stderr, "interrupted", FILE)
    swept = tuning.load(tmp_path / FILE).contracts[CONTRACT]
    assert not swept.complete
    assert {one.spec for one in swept.candidates} == {one for batch, _ in fake.batches[:2] for one in batch}
    assert swept.best == {}


def test_interrupted_after_verification_the_best_is_of_what_was_verified(
    call: Call, fake: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[KernelSpec] = []

    def failures(tried: Sequence[KernelSpec]) -> dict[KernelSpec, str]:
        if tried[0].isa == "relaxed":
            raise KeyboardInterrupt
        verified.extend(tried)
        return {}

    monkeypatch.setattr(proof, "failures", failures)
    done = call("tune", "--isa", "scalar", "--isa", "relaxed")
    assert done.returncode == 130
    best = tuning.load(tmp_path / FILE).contracts[CONTRACT].best
    assert list(best) == ["scalar"]
    assert best[Isa.SCALAR] in verified


def test_an_interrupted_sweep_does_not_replace_a_finished_one(
    call: Call, fake: FakeSession, tmp_path: Path
) -> None:
    tuning_of(SWEPT).save(tmp_path / "tuning")
    interrupt_at(3, fake)
    assert call("tune").returncode == 130
    assert tuning.load(tmp_path / FILE).contracts[CONTRACT].best == SWEPT.best


def test_interrupted_before_anything_was_measured_there_is_no_file(
    call: Call, fake: FakeSession, tmp_path: Path
) -> None:
    interrupt_at(1, fake)
    done = call("tune")
    assert done.returncode == 130
    assert_one_line(done.stderr, "interrupted")
    assert contents(tmp_path) == {}


# --- wrong calls


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--engine", "v8"), "'v8'"),
        (("--unroll", "2,0"), "'0'"),
        (("--n", "48"), "'48'"),
        (("--size", "memory"), "'memory'"),
        (("--rounds", "5"), "'5'"),
        (("--kernel", "*avx*"), "*avx*"),
        (("--kernel", "relaxed_u2"), "'relaxed_u2'"),
        (("--out", ""), "--out"),
        (("--out", "file"), "file"),
        (("--out", "file/below"), "below"),
        (("--heatmap", "map.png"), "map.png"),
        (("--heatmap", "file/map.svg"), "map.svg"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_refused_before_anything_is_timed(
    words: Sequence[str], named: str, call: Call, fake: FakeSession, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    assert_refused(call("tune", *words), named)
    assert not fake.batches
    assert list(contents(tmp_path)) == ["file"]


def test_a_tuning_that_is_not_there_is_refused(call: Call, tmp_path: Path) -> None:
    assert_refused(call("emit", "--tuned", "v9"), "v9", "codegen tune")
    assert_refused(call("verify", "--tuned", "own.json"), "own.json", "codegen tune")
    assert contents(tmp_path) == {}
