"""How much pairs of runs scatter, from runs and from pairs."""

import math

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import Detectable, Spread, noise_floor, pooled_spread, spread_of_pairs, spread_of_runs


def test_runs_that_drift_scatter_as_their_neighbours_do() -> None:
    assert spread_of_runs([0.0, 0.1, 0.2, 0.3, 0.4]).sd == pytest.approx(0.1)
    turning = spread_of_runs([0.1, 0.0, 0.1])
    assert (turning.sd, turning.freedom) == pytest.approx((0.1, 8 / 5))


@pytest.mark.parametrize("n", [5, 13])
def test_the_interval_of_runs_holds_the_truth_in_about_95_percent_of_cases(n: int) -> None:
    rng = np.random.default_rng(3)
    spreads = [spread_of_runs(rng.normal(7, 0.1, n).tolist()) for _ in range(2000)]
    covered = sum(each.low <= math.sqrt(2) * 0.1 <= each.high for each in spreads) / len(spreads)
    assert 0.93 <= covered <= 0.97


def test_the_interval_of_pairs_that_share_the_reference_holds_the_truth_in_about_95_percent_of_cases() -> None:
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(2000):
        runs = rng.normal(0, 0.1, (4, 6))
        spread = spread_of_pairs((runs[1:] - runs[0] + np.array([[0.1], [0.0], [0.3]])).tolist())
        assert spread is not None
        covered += spread.low <= math.sqrt(2) * 0.1 <= spread.high
    assert 0.93 <= covered / 2000 <= 0.97


def test_arms_with_a_single_pair_say_nothing_of_their_spread() -> None:
    assert spread_of_pairs([]) is None
    assert spread_of_pairs([[0.5]]) is None
    told = spread_of_pairs([[0.5], [0.1, 0.3]])
    assert told is not None
    assert (told.sd, told.freedom) == pytest.approx((math.sqrt(0.02), 1.0))


def test_estimates_are_pooled_by_their_degrees_of_freedom() -> None:
    pooled = pooled_spread([Spread(0.1, 3.0), Spread(0.3, 1.0)])
    assert (pooled.sd, pooled.freedom) == pytest.approx((math.sqrt((3 * 0.01 + 0.09) / 4), 4.0))
    with pytest.raises(StatisticsError, match="no spread"):
        pooled_spread([])


def test_equal_runs_do_not_scatter() -> None:
    spread = spread_of_runs([0.3, 0.3, 0.3])
    assert (spread.low, spread.sd, spread.high) == (0, 0, 0)


def test_a_detectable_gain_has_the_interval_of_the_spread() -> None:
    spread = noise_floor([100.0, 104.0, 98.0, 101.0]).of_pairs
    seen = Detectable.of(spread, 6)
    assert seen.low == Detectable.of(Spread(spread.low, 1), 6).gain
    assert seen.high == Detectable.of(Spread(spread.high, 1), 6).gain
    assert seen.low < seen.gain < seen.high
