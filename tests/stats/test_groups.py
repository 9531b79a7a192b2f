"""Two groups of subjects: Welch's interval is scipy's, and it holds."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from lsmtune.errors import StatisticsError
from lsmtune.stats import compare_groups


def test_the_interval_is_that_of_scipy() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.normal(0.3, 0.1, 4), rng.normal(0.0, 0.4, 6)
    found = compare_groups(first.tolist(), second.tolist(), 0.02)
    known = ttest_ind(first, second, equal_var=False).confidence_interval(0.98)
    assert (found.n, found.level) == ((4, 6), 0.98)
    assert found.mean == pytest.approx(first.mean() - second.mean())
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_one_subject_of_a_kind_has_no_interval() -> None:
    found = compare_groups([0.5], [0.1, 0.2])
    assert found.mean == pytest.approx(0.35)
    assert (found.low, found.high, found.is_shown) == (-math.inf, math.inf, False)


def test_groups_without_spread_have_an_exact_difference() -> None:
    found = compare_groups([1.0, 1.0], [0.5, 0.5])
    assert (found.mean, found.low, found.high, found.is_shown) == (0.5, 0.5, 0.5, True)
    assert not compare_groups([1.0, 1.0], [1.0, 1.0]).is_shown
    rounded = compare_groups([0.1, 0.1, 0.1], [0.1, 0.1])  # the mean of three tenths is more than a tenth
    assert (rounded.mean, rounded.low, rounded.high) == (0.0, 0.0, 0.0)


def test_three_against_three_of_unequal_spread_are_rarely_told_apart_where_they_are_equal() -> None:
    rng = np.random.default_rng(11)
    false = sum(
        compare_groups(rng.normal(0, 0.02, 3).tolist(), rng.normal(0, 0.1, 3).tolist()).is_shown for _ in range(2000)
    )
    assert false <= 130  # 5 % of 2,000, and 3 standard deviations


@pytest.mark.parametrize("groups", [([], [1.0]), ([1.0], []), ([math.nan], [1.0])])
def test_an_empty_group_or_no_number_is_an_error(groups: tuple[list[float], list[float]]) -> None:
    with pytest.raises(StatisticsError):
        compare_groups(*groups)
