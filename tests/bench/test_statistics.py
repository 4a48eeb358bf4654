from __future__ import annotations

import math

import numpy as np
import pytest

from codegen.speed.bench.statistics import LEAST_ROUNDS, Ratio, speedup, summarize


def noise(seed: int, rounds: int, spread: float) -> tuple[float, ...]:
    values = np.random.default_rng(seed).lognormal(0, spread, rounds)
    return tuple(float(value) for value in values)


def times(factor: float, samples: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(factor * sample for sample in samples)


def test_median_quartiles_and_extremes_of_known_samples() -> None:
    found = summarize((5.0, 1.0, 3.0, 2.0, 4.0))
    assert (found.best, found.low, found.median, found.high, found.worst) == (1, 2, 3, 4, 5)
    assert found.spread == pytest.approx(2 / 3)


def test_an_even_number_of_samples_has_its_median_between_two() -> None:
    assert summarize((1.0, 2.0, 4.0, 9.0)).median == 3


@pytest.mark.parametrize(
    ("extra", "outliers"),
    # The quartiles of these nine are 3 and 7, so the fences are at -3 and 13.
    [((5.0,), 0), ((13.0,), 0), ((13.1,), 1), ((-3.0,), 0), ((-3.1,), 1)],
)
def test_outliers_are_those_beyond_tukeys_fences(extra: tuple[float, ...], outliers: int) -> None:
    assert summarize((1.0, 3.0, 3.0, 4.0, 6.0, 7.0, 7.0, 8.0, *extra)).outliers == outliers


def test_one_sample_is_its_own_summary() -> None:
    found = summarize((7.0,))
    assert (found.low, found.median, found.high, found.spread, found.outliers) == (7, 7, 7, 0, 0)


@pytest.mark.parametrize("true", [0.5, 1.02, 3.0])
def test_the_interval_holds_the_true_ratio_as_often_as_it_says(true: float) -> None:
    held = 0
    for seed in range(200):
        ratio = speedup(times(true, noise(seed, 15, 0.1)), noise(seed + 1000, 15, 0.1))
        held += ratio.low <= true <= ratio.high
    assert 180 <= held <= 199  # 95% of 200 are 190


def test_a_ratio_is_how_many_times_as_fast_the_second_is() -> None:
    same = noise(1, 15, 0.01)
    assert speedup(times(4, same), same).value == pytest.approx(4)


def test_a_clear_difference_is_settled_and_none_is_not() -> None:
    slow, fast = times(1.5, noise(1, 15, 0.02)), noise(2, 15, 0.02)
    assert speedup(slow, fast).settled
    assert speedup(fast, slow).settled
    assert not speedup(noise(3, 15, 0.02), noise(4, 15, 0.02)).settled


def test_what_slows_a_whole_round_down_does_not_widen_the_interval() -> None:
    calm, round_by_round = noise(1, 15, 0.001), noise(2, 15, 0.5)
    slow = tuple(2 * a * b for a, b in zip(noise(3, 15, 0.001), round_by_round, strict=True))
    fast = tuple(a * b for a, b in zip(calm, round_by_round, strict=True))
    ratio = speedup(slow, fast)
    assert ratio.high - ratio.low < 0.02
    shuffled = speedup(slow, fast[::-1])  # the same samples, but no longer of the same rounds
    assert shuffled.high - shuffled.low > 0.1


def test_the_same_samples_give_the_same_interval() -> None:
    slow, fast = noise(1, 15, 0.1), noise(2, 15, 0.1)
    assert speedup(slow, fast) == speedup(slow, fast)


def test_the_interval_is_inside_what_was_sampled() -> None:
    slow, fast = noise(1, 15, 0.3), noise(2, 15, 0.3)
    ratio = speedup(slow, fast)
    assert min(slow) / max(fast) <= ratio.low < ratio.value < ratio.high <= max(slow) / min(fast)


@pytest.mark.parametrize("rounds", [1, LEAST_ROUNDS - 1])
def test_few_rounds_settle_nothing(rounds: int) -> None:
    ratio = speedup((9.0,) * rounds, (1.0,) * rounds)
    assert ratio == Ratio(9.0, 0.0, math.inf)
    assert not ratio.settled
    assert ratio.interval == ""


def test_enough_rounds_have_an_interval() -> None:
    ratio = speedup((9.0,) * LEAST_ROUNDS, (1.0,) * LEAST_ROUNDS)
    assert ratio.settled
    assert ratio.interval == "9.00 to 9.00"
