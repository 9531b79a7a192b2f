"""The chance that further draws beat the best one: exponential draws, whose truth is known, and noise alone."""

import math

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import STOP_WINDOW, chance_of_more

EFFECT = 0.03


def drawn(rng: np.random.Generator, number: int, scale: float, noise: float) -> list[float]:
    return [float(gain) for gain in rng.exponential(scale, number) + noise * rng.standard_normal(number)]


def test_exponential_draws_beat_their_best_at_most_as_often_as_is_said() -> None:
    rng = np.random.default_rng(1)
    said, beaten = [], []
    for _ in range(600):
        draws = drawn(rng, 150, 0.1, 0.0)
        chance = chance_of_more(draws[:100], 0.0, 50, EFFECT)
        assert chance is not None
        said.append(chance)
        beaten.append(max(draws[100:]) > max(draws[:100]) + math.log1p(EFFECT))
    truth = 50 / 150 * math.exp(-math.log1p(EFFECT) / 0.1)
    assert np.mean(beaten) == pytest.approx(truth, abs=0.05)
    assert truth < np.mean(said) < 1.25 * truth


def test_normal_draws_beat_their_best_less_often_than_is_said() -> None:
    rng = np.random.default_rng(2)
    said, beaten = [], []
    for _ in range(600):
        draws = rng.normal(0.0, 0.1, 150)
        chance = chance_of_more(draws[:100].tolist(), 0.0, 50, EFFECT)
        assert chance is not None
        said.append(chance)
        beaten.append(draws[100:].max() > draws[:100].max() + math.log1p(EFFECT))
    assert np.mean(beaten) < np.mean(said)


def test_where_noise_explains_the_scatter_the_chance_soon_comes_out_small_once() -> None:
    rng = np.random.default_rng(3)
    searches = [drawn(rng, 100, 0.0, 0.07) for _ in range(50)]
    known, ignored = (
        [[chance_of_more(draws[:n], noise, 200 - n, EFFECT) or 0.0 for n in range(40, 101)] for draws in searches]
        for noise in (0.07, 0.0)
    )
    assert np.mean(np.min(known, axis=1) <= 0.1) > 0.8
    assert np.min(ignored) > 0.15


def test_equal_draws_leave_no_chance() -> None:
    assert chance_of_more([0.1] * 40, 0.05, 100, EFFECT) == 0.0
    assert chance_of_more([0.1] * 40, 0.0, 100, EFFECT) == 0.0


def test_the_chance_never_exceeds_the_share_of_the_draws_that_are_left() -> None:
    draws = drawn(np.random.default_rng(4), 80, 10.0, 0.0)
    found = [chance_of_more(draws, 0.01, further, EFFECT) for further in (0, 20, 80)]
    assert found[0] == 0.0
    for further, chance in zip((20, 80), found[1:], strict=True):
        assert chance is not None
        assert 0.95 * further / (80 + further) < chance <= further / (80 + further)


def test_draws_of_late_that_scatter_more_count_by_themselves() -> None:
    quiet = [0.001 * (place % 5) for place in range(200)]
    wild = drawn(np.random.default_rng(5), STOP_WINDOW, 0.5, 0.0)
    before, after = chance_of_more(quiet, 0.0, 200, EFFECT), chance_of_more(quiet + wild, 0.0, 200, EFFECT)
    assert before is not None
    assert after is not None
    assert before < 0.001
    assert after > 0.3


def test_draws_without_a_gain_count_as_tried_and_say_nothing_else() -> None:
    draws = drawn(np.random.default_rng(6), 60, 0.1, 0.0)
    holed = [each for gain in draws for each in (gain, math.nan)]
    assert chance_of_more(holed, 0.0, 0, EFFECT) == 0.0
    assert chance_of_more(holed[:19], 0.0, 50, EFFECT) is None
    assert chance_of_more(draws + [math.nan] * 15, 0.0, 50, EFFECT) is None
    assert chance_of_more(draws + [math.nan] * 14, 0.0, 50, EFFECT) is not None


def test_the_startup_counts_as_tried_and_its_scatter_does_not_count() -> None:
    startup, later = drawn(np.random.default_rng(7), 20, 5.0, 0.0), [0.001 * (place % 5) for place in range(30)]
    assert chance_of_more(startup + later[:19], 0.0, 100, EFFECT, startup=20) is None
    without = chance_of_more(startup + later, 0.0, 100, EFFECT, startup=20)
    whole = chance_of_more(startup + later, 0.0, 100, EFFECT)
    assert without is not None
    assert whole is not None
    assert without < 0.01 < whole


@pytest.mark.parametrize(
    ("noise", "further", "minimum_effect", "startup", "words"),
    [
        (-0.1, 10, 0.03, 0, "the noise of a draw is -0.1"),
        (math.nan, 10, 0.03, 0, "the noise of a draw is nan"),
        (0.1, -1, 0.03, 0, "-1 further draws"),
        (0.1, 10, 0.03, -2, "a startup of -2"),
        (0.1, 10, 0.0, 0, "the minimum effect of interest is 0"),
    ],
)
def test_wrong_numbers_are_refused(noise: float, further: int, minimum_effect: float, startup: int, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        chance_of_more([0.1] * 40, noise, further, minimum_effect, startup)
