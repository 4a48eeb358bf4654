"""The search and its choice, in an engine that is as fast as the test says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from codegen import Isa, KernelSpec
from codegen.speed.bench import session
from codegen.speed.bench.contestant import WrongResultError
from codegen.speed.bench.problem import Problem
from codegen.speed.bench.wasmtime_host import WasmtimeHost
from codegen.speed.tune import space
from codegen.speed.tune.choice import best
from codegen.speed.tune.search import EARLY_ROUNDS, FINALISTS, Search, Watch
from tests.tunings import CONTRACT, SCALAR, FakeSession, spec

Patch = pytest.MonkeyPatch
ROUNDS = 7


def search(
    patch: Patch,
    specs: Sequence[KernelSpec],
    fake: FakeSession,
    failing: Mapping[KernelSpec, str] | None = None,
    incumbents: Sequence[KernelSpec] = (),
    watch: Watch | None = None,
) -> Search:
    """A search to its end, or to where the session interrupts it."""
    patch.setattr(session, "run", fake)
    wrong = failing or {}

    def prove(tried: Sequence[KernelSpec]) -> dict[KernelSpec, str]:
        return {one: wrong[one] for one in tried if one in wrong}

    made = Search(specs, WasmtimeHost(), Problem(64, 1, "l1"), prove, incumbents, ROUNDS, watch or Watch())
    made.run()
    return made


def shapes(*names: str) -> list[KernelSpec]:
    return [spec(name) for name in names]


# --- the choice


def test_of_kernels_that_differ_the_fastest_is_best(monkeypatch: Patch) -> None:
    slow, fast = shapes("relaxed_u1", "relaxed_u8_a2_overflow")
    found = search(monkeypatch, [slow, fast], FakeSession({slow: 50, fast: 40}, noise=0.2))
    assert best(found) == {Isa.RELAXED: fast}


@pytest.mark.parametrize(
    ("simple", "complex_"),
    [
        ("relaxed_u4_a4", "relaxed_u6"),
        ("relaxed_u4", "relaxed_u4_a2"),
        ("relaxed_u4_overflow", "relaxed_u4_a2_overflow"),
        ("relaxed_u4", "relaxed_u4_overflow"),
        ("relaxed_u4", "relaxed_u4_narrow"),
    ],
)
def test_of_kernels_that_differ_by_too_little_to_matter_the_simplest_is_best(
    simple: str, complex_: str, monkeypatch: Patch
) -> None:
    first, second = shapes(simple, complex_)
    alike = FakeSession({first: 40.4, second: 40}, noise=0.2)
    assert best(search(monkeypatch, [second, first], alike)) == {Isa.RELAXED: first}


def test_the_slower_of_two_is_not_best_however_simple(monkeypatch: Patch) -> None:
    simple, fast = shapes("relaxed_u1", "relaxed_u16_a4_overflow")
    fake = FakeSession({simple: 41.5, fast: 40}, noise=0.2)
    assert best(search(monkeypatch, [simple, fast], fake)) == {Isa.RELAXED: fast}


def test_on_a_machine_too_noisy_to_tell_a_simple_kernel_is_not_best_if_it_was_much_slower(
    monkeypatch: Patch,
) -> None:
    simple, fast = shapes("relaxed_u1", "relaxed_u16_a4_overflow")
    fake = FakeSession({simple: 55, fast: 40}, noise=0.2, own_noise=1.0)
    found = search(monkeypatch, [simple, fast], fake)
    assert not found.timings[fast].measurement.times_as_fast_as(found.timings[simple].measurement).settled
    assert best(found) == {Isa.RELAXED: fast}


def test_a_kernel_that_fails_verification_is_never_best(monkeypatch: Patch) -> None:
    right, wrong = shapes("relaxed_u1", "relaxed_u2")
    fake = FakeSession({right: 50, wrong: 10})
    found = search(monkeypatch, [right, wrong], fake, {wrong: "count-b1: 1.0, expected 2.0"})
    assert best(found) == {Isa.RELAXED: right}
    assert found.failed == {wrong: "count-b1: 1.0, expected 2.0"}


def test_a_kernel_of_wrong_values_is_never_best_nor_timed_again(monkeypatch: Patch) -> None:
    right, wrong = shapes("relaxed_u1", "relaxed_u2")
    fake = FakeSession({right: 50, wrong: 10}, wrong=[wrong])
    found = search(monkeypatch, [right, wrong], fake)
    assert best(found) == {Isa.RELAXED: right}
    assert "row 0 is wrong" in found.failed[wrong]
    assert all(wrong not in specs for specs, _ in fake.batches[1:])


def test_an_isa_that_the_engine_lacks_has_no_best(monkeypatch: Patch) -> None:
    found = search(monkeypatch, [SCALAR, *shapes("relaxed_u1")], FakeSession(lacking=[Isa.RELAXED]))
    assert best(found) == {Isa.SCALAR: SCALAR}
    assert "lacks relaxed" in found.failed[spec("relaxed_u1")]


def test_a_wrong_baseline_ends_it(monkeypatch: Patch) -> None:
    with pytest.raises(WrongResultError, match="scalar_u1"):
        search(monkeypatch, shapes("relaxed_u1"), FakeSession(wrong=[SCALAR]))


# --- the stages


def space_of() -> tuple[KernelSpec, ...]:
    return space.candidates()[CONTRACT]


def speeds(specs: Sequence[KernelSpec]) -> dict[KernelSpec, float]:
    """The later, the faster, by more than too little to matter."""
    return {one: 1e6 * 0.96**place for place, one in enumerate(specs)}


def test_the_whole_space_is_timed_and_the_fastest_of_each_isa_come_to_the_end(monkeypatch: Patch) -> None:
    specs = space_of()
    fake = FakeSession(speeds(specs), noise=0.001)
    found = search(monkeypatch, specs, fake)
    assert set(found.timings) == set(specs)
    last, rounds = fake.batches[-1]
    assert rounds == ROUNDS
    wanted = {one for isa in Isa for one in [s for s in specs if s.isa is isa][-FINALISTS:]}
    assert set(last) == {SCALAR, *wanted}
    assert found.proved == wanted
    assert best(found).keys() == set(Isa)


def test_every_batch_has_the_baseline_and_no_more_kernels_than_memory_holds(monkeypatch: Patch) -> None:
    fake = FakeSession(speeds(space_of()))
    search(monkeypatch, space_of(), fake)
    assert all(specs[0] == SCALAR and specs.count(SCALAR) == 1 for specs, _ in fake.batches)
    assert max(len(specs) for specs, _ in fake.batches) <= 25
    assert {rounds for _, rounds in fake.batches} == {*EARLY_ROUNDS, ROUNDS}


def test_batches_are_compared_by_their_own_baselines(monkeypatch: Patch) -> None:
    """A machine that is half as fast in every other batch changes nothing."""
    specs = space_of()
    fake = FakeSession(speeds(specs))
    monkeypatch.setattr(session, "run", fake)

    class Moody(FakeSession):
        def __call__(self, *arguments: object, limits: object) -> object:  # type: ignore[override]
            self.ns = {one: ns * (1 + len(self.batches) % 2) for one, ns in whole.items()}
            return super().__call__(*arguments, limits)  # type: ignore[arg-type]

    whole = {SCALAR: 100.0, **speeds(specs)}
    moody = Moody()
    assert best(search(monkeypatch, specs, moody)) == best(search(monkeypatch, specs, fake))


def test_one_that_fails_verification_makes_room_for_the_next(monkeypatch: Patch) -> None:
    specs = [one for one in space_of() if one.isa is Isa.RELAXED]
    fastest = specs[-3:]
    fake = FakeSession(speeds(specs))
    found = search(monkeypatch, specs, fake, dict.fromkeys(fastest, "wrong"))
    assert set(fake.batches[-1][0]) == {SCALAR, *specs[-3 - FINALISTS : -3]}
    assert set(found.failed) == set(fastest)


def test_a_simple_kernel_that_is_as_good_comes_to_the_end_though_many_are_faster(monkeypatch: Patch) -> None:
    specs = [one for one in space_of() if one.isa is Isa.RELAXED]
    simple = spec("relaxed_u1")
    alike = FakeSession({one: 50 - i / 1000 for i, one in enumerate(specs[-40:])} | {simple: 50.3}, noise=0.2)
    found = search(monkeypatch, specs, alike)
    assert simple in alike.batches[-1][0]
    assert best(found) == {Isa.RELAXED: simple}


def test_what_is_used_now_stays_in_to_the_end(monkeypatch: Patch) -> None:
    specs = space_of()
    slow = spec("relaxed_u1")
    fake = FakeSession(speeds(specs) | {slow: 1e7})
    search(monkeypatch, specs, fake, incumbents=[slow])
    assert slow in fake.batches[-1][0]


def test_few_kernels_are_timed_twice_not_three_times(monkeypatch: Patch) -> None:
    fake = FakeSession()
    search(monkeypatch, shapes("relaxed_u1", "relaxed_u2"), fake)
    assert [rounds for _, rounds in fake.batches] == [EARLY_ROUNDS[0], ROUNDS]


def test_the_watcher_is_told_of_as_many_steps_as_there_are(monkeypatch: Patch) -> None:
    told: list[list[int]] = []
    watch = Watch(
        lambda what, steps: told.append([steps, 0]), lambda: told[-1].__setitem__(1, told[-1][1] + 1)
    )
    search(monkeypatch, space_of(), FakeSession(speeds(space_of())), watch=watch)
    assert len(told) == 3 + len(Isa)
    assert all(steps == done > 0 for steps, done in told)
