"""Several arms against one that they share."""

import math

import numpy as np
import pytest
import scipy.stats
from scipy.stats import dunnett

from lsmtune.errors import StatisticsError
from lsmtune.stats import dunnett_bound, many_to_one


@pytest.mark.parametrize(("arms", "freedom"), [(1, 5), (3, 10), (9, 36)])
def test_the_bound_is_passed_as_often_as_it_says(arms: int, freedom: int) -> None:
    rng = np.random.default_rng(3)
    errors = rng.standard_normal((100_000, arms)) - rng.standard_normal((100_000, 1))
    spreads = np.sqrt(rng.chisquare(freedom, (100_000, 1)) / freedom)
    largest = np.abs(errors / math.sqrt(2) / spreads).max(axis=1)
    assert (largest > dunnett_bound(arms, freedom, 0.05)).mean() == pytest.approx(0.05, abs=0.004)


def test_without_effects_of_blocks_the_intervals_are_near_those_of_scipy() -> None:
    rng = np.random.default_rng(5)
    base, arms = rng.normal(0.2, 0.1, 40), [rng.normal(0.0, 0.1, 40) for _ in range(4)]
    theirs = dunnett(*arms, control=base, random_state=rng).confidence_interval(0.95)
    ours = many_to_one(base.tolist(), [arm.tolist() for arm in arms])
    assert [-math.log(each.high) for each in ours] == pytest.approx(theirs.low.tolist(), abs=0.01)
    assert [-math.log(each.low) for each in ours] == pytest.approx(theirs.high.tolist(), abs=0.01)


def test_all_intervals_together_hold_the_truth_in_95_of_100_cases() -> None:
    rng = np.random.default_rng(7)
    truth = np.array([0.0, 0.01, 0.02, 0.0, 0.05, 0.03])
    held = 0
    for _ in range(1000):
        blocks = rng.normal(0, 0.2, 5)
        base = blocks + rng.normal(0, 0.06, 5)
        found = many_to_one(base.tolist(), [(blocks - gain + rng.normal(0, 0.06, 5)).tolist() for gain in truth])
        held += all(math.log(each.low) <= gain <= math.log(each.high) for each, gain in zip(found, truth, strict=True))
    assert 930 <= held <= 970


def test_estimates_are_drawn_together_by_noise_and_left_alone_by_effects() -> None:
    rng = np.random.default_rng(9)
    noisy = many_to_one(rng.normal(0, 0.1, 6).tolist(), [rng.normal(0, 0.1, 6).tolist() for _ in range(8)])
    assert np.ptp([each.ratio for each in noisy]) < 0.1
    clear = many_to_one([0.0, 0.001] * 3, [[-gain, -gain - 0.001] * 3 for gain in (0.0, 0.2, 0.4, 0.6)])
    assert [each.ratio for each in clear] == pytest.approx([math.exp(each) for each in (0, 0.2, 0.4, 0.6)], rel=0.01)


def test_an_arm_of_another_kind_stays_where_it_is_and_is_no_guess_for_the_others() -> None:
    rng = np.random.default_rng(9)
    shared, arms = rng.normal(0, 0.1, 6).tolist(), [rng.normal(0, 0.1, 6).tolist() for _ in range(8)]
    apart = [-1.0] * 6
    found = many_to_one(shared, [*arms, apart], alike=8)
    assert found[-1].ratio == pytest.approx(math.exp(np.mean(shared) + 1))
    assert np.ptp([each.ratio for each in found[:-1]]) < 0.1
    assert max(each.ratio for each in found[:-1]) < 1.1


def test_arms_that_are_no_blocks_are_refused() -> None:
    with pytest.raises(StatisticsError, match="number of blocks"):
        many_to_one([0.0, 0.1], [[0.0, 0.1, 0.2]])
    with pytest.raises(StatisticsError, match="blocks"):
        many_to_one([0.0], [[0.0]])


@pytest.mark.parametrize("alpha", [1e-3, 1e-5])
def test_two_blocks_and_a_small_chance_have_a_bound_however_wide(alpha: float) -> None:
    assert dunnett_bound(1, 1, alpha) == pytest.approx(float(scipy.stats.t.isf(alpha / 2, 1)))
    assert dunnett_bound(3, 3, alpha / 100) > dunnett_bound(3, 3, alpha)


@pytest.mark.parametrize("alpha", [1e-2, 1e-3, 1e-5])
def test_a_small_chance_is_met_with_few_degrees_of_freedom(alpha: float) -> None:
    ends = np.geomspace(1e-12, 1, 20_001)
    shares, spreads = np.diff(ends), np.sqrt(scipy.stats.chi2.ppf((ends[1:] + ends[:-1]) / 2, 2) / 2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    reach = math.sqrt(2) * dunnett_bound(2, 2, alpha) * spreads
    inside = [scipy.stats.norm.cdf(node + reach) - scipy.stats.norm.cdf(node - reach) for node in nodes]
    passed = sum(weight * (shares @ (1 - each**2)) for weight, each in zip(weights, inside, strict=True))
    assert passed / weights.sum() == pytest.approx(alpha, rel=0.01)
