"""The noise floor, and what paired runs can see above it."""

import math

import numpy as np
import pytest
import scipy

from lsmtune.errors import StatisticsError
from lsmtune.stats import geometric_mean, noise_floor, pairs_needed, smallest_detectable_gain


def test_the_noise_floor_is_the_spread_of_the_logarithms() -> None:
    floor = noise_floor([math.e, 1.0, 1 / math.e])
    assert floor.n == 3
    assert floor.mean == pytest.approx(1.0)
    assert floor.sd_log == pytest.approx(1.0)
    assert floor.of_pairs.sd == pytest.approx(math.sqrt(2))


def test_the_interval_of_the_noise_floor_matches_the_printed_chi_square_table() -> None:
    floor = noise_floor([math.e, 1.0, 1 / math.e])
    # chi-square with 2 degrees of freedom: 0.0506 and 7.378 in the usual tables
    assert floor.sd_low == pytest.approx(math.sqrt(2 / 7.378), rel=1e-3)
    assert floor.sd_high == pytest.approx(math.sqrt(2 / 0.0506), rel=1e-3)


def test_the_noise_floor_does_not_depend_on_the_unit() -> None:
    seconds = noise_floor([1.0, 1.1, 0.95, 1.02])
    microseconds = noise_floor([1.0e6, 1.1e6, 0.95e6, 1.02e6])
    assert microseconds.sd_log == pytest.approx(seconds.sd_log)
    assert microseconds.mean == pytest.approx(1e6 * seconds.mean)


def test_the_interval_of_the_noise_floor_covers_the_truth_in_95_percent_of_cases() -> None:
    rng = np.random.default_rng(11)
    floors = [noise_floor(np.exp(rng.normal(3, 0.1, 5)).tolist()) for _ in range(2000)]
    covered = sum(floor.sd_low <= 0.1 <= floor.sd_high for floor in floors) / len(floors)
    assert 0.935 <= covered <= 0.965


def test_equal_values_have_no_noise() -> None:
    floor = noise_floor([0.3, 0.3, 0.3])
    assert (floor.sd_low, floor.sd_log, floor.sd_high) == (0, 0, 0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_value_without_a_logarithm_is_refused_with_its_place(bad: float) -> None:
    with pytest.raises(StatisticsError, match="value 2 of 3"):
        noise_floor([1.0, bad, 2.0])


def test_one_run_has_no_noise_floor() -> None:
    with pytest.raises(StatisticsError, match="at least 2"):
        noise_floor([1.0])


def test_the_geometric_mean_of_a_factor_and_its_inverse_is_one() -> None:
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)
    with pytest.raises(StatisticsError, match="at least 1"):
        geometric_mean([])


@pytest.mark.parametrize(
    ("sd", "pairs"),
    [(0.01, (4, 3, 3)), (0.03, (11, 6, 4)), (0.055, (30, 13, 5)), (0.10, (92, 35, 11)), (0.20, (362, 134, 37))],
)
def test_the_pairs_needed_for_3_5_and_10_percent_are_those_of_the_planning_table(
    sd: float, pairs: tuple[int, int, int]
) -> None:
    assert tuple(pairs_needed(sd, gain) for gain in (0.03, 0.05, 0.10)) == pairs


def test_the_pairs_needed_have_the_power_and_one_pair_less_has_not() -> None:
    n = pairs_needed(0.1, 0.08)
    assert smallest_detectable_gain(0.1, n, alpha=0.05) <= 0.08 < smallest_detectable_gain(0.1, n - 1, alpha=0.05)


@pytest.mark.parametrize(("pairs", "power"), [(2, 0.8), (3, 0.5), (12, 0.95), (200, 0.8)])
def test_the_smallest_detectable_gain_has_the_power_of_a_noncentral_t(pairs: int, power: float) -> None:
    shift = math.log1p(smallest_detectable_gain(0.06, pairs, 0.05, power)) / 0.06 * math.sqrt(pairs)
    critical = scipy.stats.t.isf(0.025, pairs - 1)
    assert float(scipy.stats.nct.sf(critical, pairs - 1, shift)) == pytest.approx(power, abs=1e-7)


@pytest.mark.filterwarnings("ignore:Error in function cdf")  # of scipy, which is not sure of it itself
def test_a_power_that_scipy_special_cannot_tell_is_told() -> None:
    assert smallest_detectable_gain(1e-7, 2, alpha=1e-6) == pytest.approx(0.046, abs=0.001)


def test_a_gain_far_above_the_noise_needs_two_pairs() -> None:
    assert pairs_needed(0.001, 0.5) == 2  # it is missed with a probability below the smallest float


@pytest.mark.parametrize("pairs", [4, 12, 20])
def test_the_smallest_detectable_gain_is_found_in_80_percent_of_simulated_cases(pairs: int) -> None:
    gain = smallest_detectable_gain(0.06, pairs)
    logs = np.random.default_rng(5).normal(math.log1p(gain), 0.06, (4000, pairs))
    p = scipy.stats.ttest_1samp(logs, 0.0, axis=1).pvalue
    assert np.mean(p <= 0.0221) == pytest.approx(0.8, abs=0.02)


def test_less_noise_or_more_pairs_make_smaller_gains_visible() -> None:
    assert smallest_detectable_gain(0.02, 6) < smallest_detectable_gain(0.05, 6)
    assert smallest_detectable_gain(0.05, 20) < smallest_detectable_gain(0.05, 6)
    assert smallest_detectable_gain(0.0, 6) == 0
    assert pairs_needed(0.0, 0.01) == 2


def test_a_gain_beyond_all_floats_is_infinite_not_an_error() -> None:
    assert smallest_detectable_gain(100.0, 2) == math.inf


@pytest.mark.parametrize(
    ("sd", "pairs", "alpha", "power", "words"),
    [
        (-0.1, 6, 0.05, 0.8, "standard deviation"),
        (math.nan, 6, 0.05, 0.8, "standard deviation"),
        (0.1, 1, 0.05, 0.8, "at least 2 pairs"),
        (0.1, 6, 0.0, 0.8, "alpha is 0"),
        (0.1, 6, 0.05, 1.0, "power is 1"),
        (0.1, 6, 0.5, 0.2, "more power"),
    ],
)
def test_an_impossible_test_is_refused(sd: float, pairs: int, alpha: float, power: float, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        smallest_detectable_gain(sd, pairs, alpha, power)


@pytest.mark.parametrize("gain", [0.0, -0.1, math.inf])
def test_pairs_are_counted_for_a_positive_gain_only(gain: float) -> None:
    with pytest.raises(StatisticsError, match="gain is"):
        pairs_needed(0.1, gain)
