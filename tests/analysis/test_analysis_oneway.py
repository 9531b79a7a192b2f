"""One factor at a time."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy

from lsmtune.analysis._oneway import classic_one_way, group_means, kruskal_test, welch_test
from lsmtune.analysis._terms import Grouping, Shape, grouping
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

NUMBER = Factor("trigger", Kind.INT, "files", 4, Change.ONLINE)
CHOICE = Factor("compression", Kind.CHOICE, "", "a", Change.REBUILD, choices=("a", "b", "c"))


def groups_of(*sizes: int) -> Grouping:
    labels = tuple("abcdefgh"[: len(sizes)])
    return Grouping(labels, np.repeat(np.arange(len(sizes)), sizes), Shape.LEVELS)


def classic(values: Any, raw: Any, factor: Factor = CHOICE) -> Any:
    columns: dict[str, npt.NDArray[Any]] = {factor.name: np.array(values)}
    return classic_one_way([factor], columns, np.array(raw, dtype=float))


def test_welch_of_two_groups_is_the_square_of_welchs_t() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(0, 1, 12), rng.normal(1, 3, 30)
    t = scipy.stats.ttest_ind(one, other, equal_var=False)
    test = welch_test(groups_of(12, 30), np.concatenate([one, other]))
    assert test is not None
    assert test.statistic == pytest.approx(t.statistic**2)
    assert 10**test.log10_p == pytest.approx(t.pvalue)


def test_welch_of_three_groups_matches_scipy() -> None:
    rng = np.random.default_rng(2)
    parts = [rng.normal(mean, sd, n) for mean, sd, n in ((0, 1, 9), (0.5, 2, 25), (1, 4, 40))]
    known = scipy.stats.f_oneway(*parts, equal_var=False)
    test = welch_test(groups_of(9, 25, 40), np.concatenate(parts))
    assert test is not None
    assert (test.statistic, 10**test.log10_p) == pytest.approx((known.statistic, known.pvalue))


def test_welch_leaves_out_a_group_of_one_and_needs_two_groups() -> None:
    logs = np.array([1.0, 2.0, 3.0, 2.0, 4.0, 9.0])
    test = welch_test(groups_of(3, 2, 1), logs)
    assert test is not None
    assert test.n == 5
    assert welch_test(groups_of(5, 1), logs) is None
    assert welch_test(groups_of(3, 3), np.array([1.0, 2.0, 3.0, 5.0, 5.0, 5.0])) is None
    assert welch_test(groups_of(3, 3), np.array([1.0, 2.0, 3.0, 0.1, 0.1, 0.1])) is None  # whose mean is rounded


def test_kruskal_of_two_parted_groups_of_three_is_27_7ths() -> None:
    # Rank sums 6 and 15: H = 12 / (6 * 7) * (36 + 225) / 3 - 3 * 7.
    test = kruskal_test(groups_of(3, 3), np.array([1.0, 2.0, 3.0, 14.0, 15.0, 26.0]))
    assert test is not None
    assert test.statistic == pytest.approx(27 / 7)
    assert 10**test.log10_p == pytest.approx(0.0495, abs=1e-4)
    assert kruskal_test(groups_of(2, 2), np.ones(4)) is None


def test_group_means_are_ratios_to_the_geometric_mean_of_all() -> None:
    logs = np.log([1.0, 4.0, 16.0, 64.0])
    means = group_means(groups_of(2, 2), logs, 0.95)
    assert [mean.ratio for mean in means] == pytest.approx([2 / 8, 32 / 8])
    assert [mean.n for mean in means] == [2, 2]


def test_intervals_of_group_means_cover_the_truth_although_variances_differ() -> None:
    rng = np.random.default_rng(3)
    covered = np.zeros(2)
    for _ in range(600):
        logs = np.concatenate([rng.normal(0, 0.1, 8), rng.normal(0.4, 0.5, 24)])
        means = group_means(groups_of(8, 24), logs, 0.95)
        truth = np.exp([-0.3, 0.1])  # the mean of all is .3
        covered += [
            mean.low is not None and mean.high is not None and mean.low <= value <= mean.high
            for mean, value in zip(means, truth, strict=True)
        ]
    assert (covered / 600 > 0.93).all()
    assert (covered / 600 < 0.97).all()


def test_a_group_of_one_has_a_mean_and_no_interval() -> None:
    means = group_means(groups_of(3, 1), np.array([0.0, 0.1, 0.2, 1.0]), 0.95)
    assert (means[1].n, means[1].low, means[1].high) == (1, None, None)


def test_many_numbers_fall_into_five_groups_of_equal_size_and_special_values_into_their_own() -> None:
    factor = Factor("bloom_bits", Kind.INT, "bits", 10, Change.REBUILD, specials=(0,))
    groups = grouping(factor, np.concatenate([np.zeros(7), np.arange(1, 101)]), np.ones(107, bool))
    assert groups.shape is Shape.BINS
    assert groups.labels == ("0 bits", *(f"{low} bits to {low + 19} bits" for low in (1, 21, 41, 61, 81)))
    assert np.bincount(groups.index).tolist() == [7, 20, 20, 20, 20, 20]


def test_few_numbers_are_groups_of_their_own_and_inactive_runs_are_in_none() -> None:
    acting = np.array([True, True, False, True])
    groups = grouping(NUMBER, np.array([8, 2, 2, 4]), acting)
    assert groups.labels == ("2 files", "4 files", "8 files")
    assert groups.index.tolist() == [2, 0, -1, 1]


def test_the_classic_test_matches_sums_of_squares_by_hand() -> None:
    # Means 2, 3, 6: between 26 on 2, within 6 on 6.
    (test,) = classic(list("aaabbbccc"), [1, 2, 3, 2, 3, 4, 5, 6, 7])
    assert test.f == pytest.approx(13.0)
    assert test.df == (2, 6)
    assert 10**test.log10_p == pytest.approx(float(scipy.stats.f.sf(13.0, 2, 6)))
    assert [(mean.label, mean.n, mean.mean) for mean in test.means] == [("a", 3, 2.0), ("b", 3, 3.0), ("c", 3, 6.0)]


def test_the_largest_difference_is_that_of_the_paper() -> None:
    # Jin et al. (2022): loaded data from 821.5 to 1328 MB, "+61.7 %".
    (test,) = classic(list("aabbcc"), [821.0, 822.0, 1000.0, 1001.0, 1327.0, 1329.0])
    assert f"{test.largest_difference:+.1%}" == "+61.7%"


def test_the_classic_test_says_whether_numbers_were_put_into_groups() -> None:
    raw = np.random.default_rng(4).normal(10, 1, 60)
    (levels,) = classic(np.arange(60) % 7, raw, NUMBER)
    (bins,) = classic(np.arange(60), raw, NUMBER)
    assert (levels.shape, len(levels.means)) == (Shape.LEVELS, 7)
    assert (bins.shape, len(bins.means)) == (Shape.BINS, 5)


def test_the_classic_test_leaves_out_runs_without_a_value_and_factors_that_did_not_vary() -> None:
    (test,) = classic(list("aaabbbc"), [1, 2, 3, 2, 3, 4, math.nan])
    assert [mean.label for mean in test.means] == ["a", "b"]
    assert classic(list("aaaa"), [1, 2, 3, 4]) == ()
    with pytest.raises(StatisticsError, match="0 of 2 runs"):
        classic(list("ab"), [math.nan, math.nan])
