"""Paired comparison as a ratio with an interval."""

import math

import numpy as np
import pytest
import scipy

from lsmtune.errors import StatisticsError
from lsmtune.stats import compare_log_ratios, compare_pairs


def test_a_paired_comparison_agrees_with_the_paired_tests_of_scipy() -> None:
    candidate, reference = [11.0, 12.5, 10.7, 13.0, 11.8], [10.0, 12.0, 10.9, 11.5, 10.1]
    result = compare_pairs(candidate, reference, alpha=0.1)
    expected = scipy.stats.ttest_rel(np.log(candidate), np.log(reference))
    interval = expected.confidence_interval(0.9)
    assert result.n == 5
    assert result.level == 0.9
    assert result.p == pytest.approx(float(expected.pvalue))
    assert (result.low, result.high) == pytest.approx((math.exp(interval.low), math.exp(interval.high)))
    assert result.wilcoxon_p == pytest.approx(2 / 2**5 * 2)  # one pair against four, and it is the smallest


def test_swapping_the_sides_inverts_the_ratio_and_keeps_p() -> None:
    there = compare_pairs([2.0, 3.0, 2.6], [1.0, 1.9, 1.0])
    back = compare_pairs([1.0, 1.9, 1.0], [2.0, 3.0, 2.6])
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert back.low == pytest.approx(1 / there.high)
    assert back.p == pytest.approx(there.p)


def test_equal_values_are_no_difference_with_certainty() -> None:
    result = compare_pairs([2.0, 3.0], [2.0, 3.0])
    assert (result.ratio, result.low, result.high, result.p, result.sd_log) == (1, 1, 1, 1, 0)
    assert result.wilcoxon_p is None


def test_a_constant_ratio_is_a_difference_with_certainty() -> None:
    result = compare_pairs([1.1, 2.2, 3.3, 7.7], [1.0, 2.0, 3.0, 7.0])
    assert result.p == 0
    assert result.sd_log == 0
    assert result.low == result.ratio == result.high == pytest.approx(1.1)


def test_small_counts_scatter_at_least_by_what_whole_numbers_hide() -> None:
    few, many = (compare_pairs([4.0 * size] * 2, [2.0 * size] * 2, step=1.0) for size in (1, 1000))
    assert few.sd_log == pytest.approx(math.sqrt((1 / 16 + 1 / 4) / 12))
    assert few.p == pytest.approx(0.104, abs=0.001)
    assert few.low < 1 < few.ratio < few.high
    assert many.p < 0.001
    assert many.low > 1.99
    seen = [5.0, 9.0, 7.0], [2.0, 6.0, 2.0]
    assert compare_pairs(*seen, step=1.0) == compare_pairs(*seen)  # they scatter by more


@pytest.mark.parametrize("n", [2, 3, 5, 8, 13, 30, 50, 51, 60])
def test_the_signed_rank_p_is_that_of_scipy_to_the_last_digit(n: int) -> None:
    rng = np.random.default_rng(n)
    for centre in (0.0, 0.3, 1.0, 3.0, 9.0):
        logs = rng.normal(centre, 1.0, n)
        tied = logs.round(1) + 0.05  # some are equal, none is 0
        for each in (logs, -logs, tied):
            assert compare_log_ratios(each.tolist()).wilcoxon_p == float(scipy.stats.wilcoxon(each).pvalue)


@pytest.mark.parametrize("n", [2, 3, 8, 13, 50])
def test_the_exact_signed_rank_p_is_that_of_scipy_whatever_the_sum(n: int) -> None:
    for positive in range(n + 1):  # ranks from the least on
        logs = [0.1 * rank if rank <= positive else -0.1 * rank for rank in range(1, n + 1)]
        assert compare_log_ratios(logs).wilcoxon_p == float(scipy.stats.wilcoxon(logs).pvalue)


def test_tied_ratios_have_a_signed_rank_p_without_warnings() -> None:
    result = compare_log_ratios([0.1] * 6 + [0.0, -0.1])
    assert result.wilcoxon_p is not None
    assert 0.01 < result.wilcoxon_p < 0.2


def test_the_interval_covers_the_true_ratio_as_often_as_it_says() -> None:
    logs = np.random.default_rng(3).normal(math.log(1.04), 0.07, (1500, 6))
    results = [compare_log_ratios(row.tolist(), 0.1) for row in logs]
    covered = sum(result.low <= 1.04 <= result.high for result in results) / len(results)
    assert 0.88 <= covered <= 0.92


def test_values_without_a_partner_are_refused() -> None:
    with pytest.raises(StatisticsError, match="3 candidate values against 2"):
        compare_pairs([1.0, 2.0, 3.0], [1.0, 2.0])


def test_one_pair_is_no_comparison() -> None:
    with pytest.raises(StatisticsError, match="at least 2"):
        compare_pairs([1.0], [1.0])
    with pytest.raises(StatisticsError, match="at least 2"):
        compare_log_ratios([0.1])


def test_unusable_pairs_are_refused_with_their_side() -> None:
    with pytest.raises(StatisticsError, match="reference: value 2 of 2 is 0"):
        compare_pairs([1.0, 1.0], [1.0, 0.0])
    with pytest.raises(StatisticsError, match="logarithm 1 of 2 is nan"):
        compare_log_ratios([math.nan, 0.1])
    with pytest.raises(StatisticsError, match="alpha is 1"):
        compare_log_ratios([0.0, 0.1], 1.0)
