from __future__ import annotations

import json
import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import Isa, KernelSpec
from codegen.base.errors import InputError, SpecError
from codegen.kernels import registry, shipped, tuning
from codegen.kernels.tuning import Candidate, Tuning
from codegen.products.linking.kernel_set import kernel_set
from codegen.spec.options import Memory
from tests.tunings import CONTRACT, RELAXED, SCALAR, SIMD, SWEPT, candidate, spec, sweep_of, tuning_of

WHOLE = tuning_of(SWEPT)


def test_a_file_round_trips(tmp_path: Path) -> None:
    path = WHOLE.save(tmp_path)
    assert path == tmp_path / "wasmtime-x86_64.json"
    assert tuning.load(path) == WHOLE
    assert tuning.load(path).text().encode() == path.read_bytes()


def test_the_file_says_what_others_read() -> None:
    data = json.loads(WHOLE.text())
    assert (data["format"], data["version"], data["engine"]) == ("ggml-wasm-tuning", 1, "wasmtime")
    contract = data["contracts"][CONTRACT]
    assert contract["best"] == {"simd128": SIMD.name, "relaxed": RELAXED.name}
    assert contract["candidates"][1] == {
        "kernel": SIMD.name, "isa": "simd128", "strategy": "dot", "unroll": 2, "accumulators": 1,
        "scales": "overflow", "fold": "shuffle", "stage": 3, "median_ns": 1000 / 6, "x_scalar": 6.0, "low": 5.9,
        "high": 6.1, "failed": None,
    }  # fmt: skip


def test_a_candidate_is_a_line_and_the_fastest_comes_first() -> None:
    lines = [line for line in WHOLE.text().splitlines() if '"kernel"' in line]
    speeds = [json.loads(line.strip().rstrip(","))["x_scalar"] for line in lines]
    assert speeds == [9.0, 6.0, 2.0, 1.0, 9.5, None]


def test_a_lucky_sample_does_not_come_first() -> None:
    lucky, sure = candidate(spec("relaxed_u1"), 9.5, stage=1), candidate(RELAXED, 9.0)
    assert tuning.ranked((replace(lucky, low=5.0), sure)) == (sure, replace(lucky, low=5.0))


# --- contracts and ISAs that a sweep was not about


def test_a_sweep_of_everything_replaces_the_older_one() -> None:
    new = sweep_of(candidate(SCALAR, 1), best=(SCALAR,))
    old = sweep_of(candidate(spec("scalar_u2"), 2), best=(spec("scalar_u2"),))
    assert new.over(old) == new
    assert new.over(None) == new


def test_an_isa_without_a_best_keeps_what_is_known_of_it() -> None:
    unfinished = [candidate(spec("simd128_u1"), 7), candidate(spec("relaxed_u1"), 8)]
    new = sweep_of(*unfinished, best=(spec("relaxed_u1"),), complete=False)
    both = new.over(SWEPT)
    assert both.best == {Isa.SIMD128: SIMD, Isa.RELAXED: spec("relaxed_u1")}
    assert [one.spec for one in both.candidates] == [
        spec("relaxed_u1"), SIMD, spec("simd128-extmul_u1"),
    ]  # fmt: skip
    assert not both.complete


# --- files that are not sound


def broken(change: object) -> str:
    data = json.loads(WHOLE.text())
    change(data, data["contracts"][CONTRACT])  # type: ignore[operator]
    return json.dumps(data)


def put(where: dict[str, Any], name: str, value: object) -> None:
    where[name] = value


BROKEN = {
    "empty": "",
    "cut": WHOLE.text()[:-100],
    "another format": broken(lambda data, _: put(data, "format", "ggml-wasm-bench")),
    "another version": broken(lambda data, _: put(data, "version", 2)),
    "no contracts": broken(lambda data, _: data.pop("contracts")),
    "a list": "[]",
    "a number": "7",
    "no engine": broken(lambda data, _: data.pop("engine")),
    "contracts is text": broken(lambda data, _: put(data, "contracts", "x")),
    "best is no kernel": broken(lambda _, one: put(one["best"], "relaxed", "relaxed_u4")),
    "best failed": broken(lambda _, one: put(one["best"], "relaxed", f"{CONTRACT}__relaxed_u8")),
    "best was not tried": broken(lambda _, one: put(one["best"], "relaxed", f"{CONTRACT}__relaxed_u16")),
    "best of another ISA": broken(lambda _, one: put(one["best"], "scalar", RELAXED.name)),
    "an unknown ISA": broken(lambda _, one: put(one["best"], "avx2", RELAXED.name)),
    "a kernel that is none": broken(lambda _, one: put(one["candidates"][0], "kernel", "x")),
    "a kernel that is a number": broken(lambda _, one: put(one["candidates"][0], "kernel", 7)),
    "a speed that is text": broken(lambda _, one: put(one["candidates"][0], "x_scalar", "fast")),
    "a speed that is infinite": broken(lambda _, one: put(one["candidates"][0], "x_scalar", 1e999)),
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_with_the_mend(name: str, tmp_path: Path) -> None:
    path = tmp_path / "v8-x86_64.json"
    path.write_text(BROKEN[name])
    with pytest.raises(InputError) as raised:
        tuning.load(path)
    assert str(path) in str(raised.value)
    assert "`codegen tune` writes it again" in str(raised.value)


@pytest.mark.parametrize("data", [b"\xff\xfe", None])
def test_a_file_that_is_no_text_or_not_there_is_named(data: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "v8-x86_64.json"
    if data:
        path.write_bytes(data)
    with pytest.raises(InputError, match=r"v8-x86_64\.json"):
        tuning.load(path)


@settings(max_examples=150, deadline=None)
@given(at=st.integers(0, len(WHOLE.text()) - 1), new=st.text(max_size=3), cut=st.integers(0, 40))
def test_a_damaged_file_is_refused_in_one_line_or_read(at: int, new: str, cut: int) -> None:
    text = WHOLE.text()
    path = _Text(text[:at] + new + text[at + cut :])
    try:
        assert isinstance(tuning.load(path), Tuning)  # type: ignore[arg-type]
    except InputError as error:
        assert str(error).isprintable()


class _Text(str):
    """A file that is never written."""

    def read_text(self, encoding: str) -> str:
        return str(self)

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, _: str) -> str:
        return "file"


# --- the files that are shipped


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the project's own, with nothing in it yet."""
    monkeypatch.setattr(shipped, "root", lambda: tmp_path)
    for known in (shipped.files, registry.registered, registry.fastest, registry.shown):
        known.cache_clear()
        monkeypatch.setattr(shipped, "files", shipped.files)
    yield tmp_path
    for known in (shipped.files, registry.registered, registry.fastest, registry.shown):
        known.cache_clear()


def test_the_best_of_every_shipped_file_are_registered_and_runs_use_wasmtimes(files: Path) -> None:
    odd, other = spec("relaxed-dot32_u12_a4_overflow"), spec("simd128_u6_a2")
    tuning_of(sweep_of(candidate(odd, 9), best=(odd,))).save(files)
    tuning_of(sweep_of(candidate(other, 9), best=(other,)), "v8", "aarch64").save(files)
    dots = [one for one in registry.registered() if one.contract == CONTRACT]
    assert dots[-2:] == [other, odd]
    assert {**registry.UNTUNED, (CONTRACT, Isa.RELAXED): odd} == registry.fastest()


def test_without_files_there_are_the_untuned_kernels(files: Path) -> None:
    assert registry.fastest() == registry.UNTUNED
    families = {replace(one, unroll=unroll) for one in registry.FAMILIES for unroll in registry.UNROLLS}
    assert set(registry.registered()) == {*families, *registry.SINGLES, *registry.UNTUNED.values()}


def test_kernels_of_two_formats_are_chosen_apart(files: Path) -> None:
    other = KernelSpec(Isa.RELAXED, x="q8_0")
    usual = (
        one
        for one in registry.UNTUNED.values()
        # What packs activations is tuned by interface, and is no part of this.
        if one.isa is Isa.RELAXED and one.contract != other.contract and one.op != "pack_activations"
    )
    best = (other, *usual, RELAXED)
    contracts = {one.contract: sweep_of(candidate(one, 9), best=(one,)) for one in best}
    replace(WHOLE, contracts=contracts).save(files)
    chosen = registry.fastest()
    assert (chosen[CONTRACT, Isa.RELAXED], chosen[other.contract, Isa.RELAXED]) == (RELAXED, other)
    assert kernel_set(Isa.RELAXED, Memory.EXPORT)[0] == RELAXED


def test_a_broken_shipped_file_is_named_when_kernels_are_asked_for(files: Path) -> None:
    (files / "v8-x86_64.json").write_text("{}")
    with pytest.raises(InputError, match=r"v8-x86_64\.json.*codegen tune"):
        registry.select()


def test_a_machines_own_architecture_comes_before_the_usual_one(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, own = (tuning_of(SWEPT, arch=arch) for arch in ("x86_64", "aarch64"))
    usual.save(files)
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert shipped.for_engine("wasmtime") == usual
    own.save(files)
    shipped.files.cache_clear()
    assert shipped.for_engine("wasmtime") == own
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    assert shipped.for_engine("wasmtime") == usual
    assert shipped.for_engine("jsc") is None


def test_tuned_selects_the_best_and_the_rest_narrows_it(files: Path, tmp_path: Path) -> None:
    WHOLE.save(files)
    own = replace(WHOLE, contracts={CONTRACT: sweep_of(candidate(SCALAR, 1), best=(SCALAR,))})
    assert registry.select(tuned="wasmtime") == (SIMD, RELAXED)
    assert registry.select(isas=[Isa.RELAXED], tuned="wasmtime") == (RELAXED,)
    assert registry.select(unroll=2, tuned="wasmtime") == (SIMD,)
    assert registry.select(["*simd128*"], tuned="wasmtime") == (SIMD,)
    assert registry.select([RELAXED.name], tuned="wasmtime") == (RELAXED,)
    path = own.save(tmp_path / "mine")
    assert registry.select(tuned=str(path)) == (SCALAR,)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"tuned": "jsc"}, InputError),
        ({"tuned": ""}, InputError),
        ({"tuned": "missing.json"}, InputError),
        ({"tuned": "wasmtime", "isas": [Isa.SCALAR]}, SpecError),
        ({"tuned": "wasmtime", "unroll": 16}, SpecError),
        ({"tuned": "wasmtime", "ops": ["quantize_row"]}, SpecError),
        ({"tuned": "wasmtime", "patterns": [spec("relaxed_u16").name]}, SpecError),
    ],
)
def test_a_tuning_or_a_kernel_of_it_that_is_not_there_is_refused(
    arguments: dict[str, Any], error: type[Exception], files: Path
) -> None:
    WHOLE.save(files)
    with pytest.raises(error):
        registry.select(**arguments)


def test_a_tuning_without_a_best_says_so(files: Path) -> None:
    path = tuning_of(sweep_of(candidate(SCALAR, 1), complete=False)).save(files)
    for name in (str(path), "wasmtime"):
        with pytest.raises(InputError, match=f"{name}: has no best kernel yet"):
            registry.select(tuned=name)


def test_the_committed_files_are_sound_complete_and_have_a_best_of_each_isa() -> None:
    assert {one.file for one in shipped.files()} >= {"wasmtime-x86_64.json", "v8-x86_64.json"}
    for file, path in zip(shipped.files(), sorted(shipped.root().glob("*.json")), strict=True):
        assert path.name == file.file
        for swept in file.contracts.values():
            assert swept.complete
            assert swept.best.keys() == {candidate.spec.isa for candidate in swept.candidates}
            assert all(isinstance(one, Candidate) for one in swept.candidates)
    assert set(registry.fastest().values()) <= set(registry.registered())
