"""Spearman's rank correlation and its lower bound against known values and simulated truth."""

import math

import numpy as np
import pytest

from lsmtune.errors import StatisticsError
from lsmtune.stats import rank_correlation


def test_it_is_one_minus_six_sums_of_squares_where_nothing_is_tied() -> None:
    second = [2.0, 1.0, 4.0, 3.0, 5.0, 7.0, 6.0, 8.0]
    squares = sum((place - value) ** 2 for place, value in enumerate(second, 1))
    found = rank_correlation([10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0], second)
    assert found.estimate == pytest.approx(1 - 6 * squares / (8 * 63), abs=1e-12)
    assert found.n == 8


def test_only_the_order_counts_so_the_worst_may_be_infinite() -> None:
    first, second = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 3.0, 2.0, 4.0, 6.0, 5.0]
    bent = [math.exp(value) for value in first[:-1]]
    assert rank_correlation([*bent, math.inf], second) == rank_correlation(first, second)


def test_full_agreement_has_a_bound_that_rises_with_the_number_of_pairs() -> None:
    bounds = [rank_correlation(list(range(n)), list(range(n))).low for n in (6, 12, 24)]
    assert bounds == sorted(bounds)
    assert 0.5 < bounds[1] < 1.0


def test_what_never_changes_agrees_with_nothing() -> None:
    found = rank_correlation([1.0] * 10, [float(n) for n in range(10)])
    assert found.estimate == 0.0
    assert found.low < 0


@pytest.mark.parametrize("truth", [0.3, 0.8])
def test_the_bound_lies_above_the_truth_in_about_5_of_100_cases(truth: float) -> None:
    rng = np.random.default_rng(7)
    pearson = 2 * math.sin(math.pi * truth / 6)  # of normal pairs with this rank correlation
    cases, above = 2000, 0
    for _ in range(cases):
        first = rng.standard_normal(16)
        second = pearson * first + math.sqrt(1 - pearson**2) * rng.standard_normal(16)
        above += rank_correlation(first.tolist(), second.tolist()).low > truth
    assert 0.02 < above / cases < 0.08


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([1.0] * 4, [1.0] * 4, "give at least 5 pairs"),
        ([1.0] * 6, [1.0] * 5, "6 with 5 numbers"),
        ([1.0] * 5, [1.0, 2.0, 3.0, 4.0, math.nan], "not a number"),
    ],
)
def test_what_cannot_be_told_is_refused(first: list[float], second: list[float], words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        rank_correlation(first, second)
