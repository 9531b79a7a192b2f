"""Accuracy: scores against theory, the ceiling, the choice of a learner, the test runs, the learning curve."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from analysis_builders import synthetic_runs
from scipy.stats import spearmanr

from lsmtune.analysis._accuracy import ceiling, judge, judging_rows, learning_curve
from lsmtune.analysis._choice import choose_learner, training_rows
from lsmtune.analysis._response import Response, response
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._scores import _r2, grade, order_share, r_squared, resampled
from lsmtune.analysis._surrogate import Learner, fit_runs
from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose


def truth(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    buffer = np.log2(columns["write_buffer_size"].astype(float)) - 20
    return np.asarray(0.08 * columns["trigger"] + 0.2 * buffer + 0.6 * (columns["compression"] == "zstd"))


def answer_of(values: npt.NDArray[np.float64], groups: npt.NDArray[np.int64] | None = None) -> Response:
    n = len(values)
    return Response("waf", values, np.full(n, np.nan), 0, np.arange(n) if groups is None else groups)


def test_scores_are_those_of_their_definitions() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=300)
    guesses = values + rng.normal(0, 0.5, 300)
    result = grade(answer_of(values), guesses, seed=0)
    assert result.n == result.configurations == 300
    assert result.r2.value == pytest.approx(1 - np.sum((values - guesses) ** 2) / np.sum((values - values.mean()) ** 2))
    assert result.r2.value == pytest.approx(r_squared(values, guesses))
    assert result.spearman.value == pytest.approx(spearmanr(values, guesses).statistic)
    assert result.error_factor.value == pytest.approx(math.exp(np.mean(np.abs(values - guesses))))
    assert result.concordance is None


def test_repeats_are_averaged_and_unknown_runs_left_out() -> None:
    values = np.array([1.0, 2, 3, 4, 5, 6, np.nan])
    first, second = values + 0.1, values[::-1].copy()
    first[6], second[0], second[6] = 99, 9, 99
    known = slice(0, 6)
    result = grade(answer_of(values), np.array([first, second]), seed=0)
    each = [r_squared(values[known], guess[known]) for guess in (first, second)]
    assert result.r2.value == pytest.approx(np.mean(each))
    ranks = [spearmanr(values[known], guess[known]).statistic for guess in (first, second)]
    assert result.spearman.value == pytest.approx(np.mean(ranks))


def test_the_interval_of_r2_covers_its_true_value_in_about_95_percent_of_samples() -> None:
    covered = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=120)
        interval = _r2(values, rng.normal(0, 0.5, 120) ** 2, resampled(120, seed))
        covered.append(interval.low <= 0.75 <= interval.high)
    assert 0.9 <= np.mean(covered) <= 0.98


def test_runs_of_one_configuration_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(1)
    values, noise = rng.normal(size=60), rng.normal(0, 0.5, 60)
    once = grade(answer_of(values), values + noise, seed=0)
    copied = grade(answer_of(np.tile(values, 4), np.tile(np.arange(60), 4)), np.tile(values + noise, 4), seed=0)
    assert copied.configurations == 60
    assert (copied.r2.low, copied.r2.high) == pytest.approx((once.r2.low, once.r2.high))


def test_a_constant_prediction_ranks_nothing() -> None:
    assert grade(answer_of(np.arange(30.0)), np.full(30, 3.0), seed=0).spearman.value == 0


def test_concordance_counts_the_pairs_whose_order_is_sure() -> None:
    values, late = np.array([1.0, 2.0, 3.0, 2.5]), np.array([False, False, False, True])
    # Sure: 1<2, 1<3, 2<3, 1<=2.5+, 2<=2.5+; the bound 2.5 says nothing against 3.
    once = np.ones((1, 4))
    assert order_share(values, late, np.array([1.0, 2, 3, 4]), once) == pytest.approx([1])
    assert order_share(values, late, np.array([1.0, 2, 3, 0]), once) == pytest.approx([3 / 5])
    assert order_share(values, late, np.array([1.0, 2, 2, 2]), once) == pytest.approx([4 / 5])
    assert order_share(values, late, np.array([1.0, 2, 3, 0]), np.array([[1.0, 1, 0, 2]])) == pytest.approx([1 / 5])


def test_upper_bounds_count_from_the_other_side() -> None:
    values = np.array([*np.arange(10.0), np.nan])
    bound = np.array([*np.full(10, np.nan), 4.5])
    answer = Response("throughput_ops_s", values, bound, -1, np.arange(11))
    # 45 pairs among the known, and 5, 6, 7, 8, 9 are above the run that is at most 4.5.
    right = grade(answer, np.array([*np.arange(10.0), 0.5]), seed=0).concordance
    wrong = grade(answer, np.array([*np.arange(10.0), 9.5]), seed=0).concordance
    assert right is not None
    assert wrong is not None
    assert right.value == pytest.approx(1)
    assert wrong.value == pytest.approx(45 / 50)


def test_too_few_or_equal_responses_cannot_be_judged() -> None:
    with pytest.raises(StatisticsError, match="at least 5 configurations, not 4"):
        grade(answer_of(np.arange(4.0)), np.arange(4.0), seed=0)
    with pytest.raises(StatisticsError, match='"waf" is equal in all 9 runs'):
        grade(answer_of(np.ones(9)), np.arange(9.0), seed=0)


def true_values(runs: Runs) -> npt.NDArray[np.float64]:
    return truth({factor.name: runs.values(factor.name) for factor in runs.factors})


def test_the_ceiling_is_the_share_of_variance_that_is_not_noise() -> None:
    covered, values = [], []
    for seed in range(30):
        runs = synthetic_runs(truth, 200, seed, noise=0.3, repeats=40)
        known = true_values(runs)
        top, _ = ceiling(runs, response(runs, "waf"), known, seed=seed)
        expected = np.var(known) / (np.var(known) + 0.09)
        covered.append(top.r2.low <= expected <= top.r2.high)
        values.append([float(top.r2.value - expected), top.noise])
    assert (top.configurations, top.runs) == (40, 120)
    assert np.mean(covered) >= 0.85
    bias, noise = np.mean(values, axis=0)
    assert abs(bias) < 0.02
    assert noise == pytest.approx(0.3, abs=0.02)


def judged_on_calm_tests(seed: int, *, kept: float) -> tuple[Runs, npt.NDArray[np.float64]]:
    """120 sampled runs that spread and scatter three times as much as 100 test points, 20 of these run three times.

    The predictions are the truth, drawn towards its mean so that `kept` of its distances are kept.
    """
    runs = synthetic_runs(truth, 120, seed, noise=0.3, repeats=20, tests=100)
    values = runs.frame["indicator.waf"]
    wide = values.where(runs.frame["purpose"] == str(Purpose.TEST), values**3)
    runs = Runs(runs.factors, runs.bundles, runs.facts, runs.frame.assign(**{"indicator.waf": wide}))
    known = true_values(runs)
    judged = judging_rows(runs, response(runs, "waf"))
    middle = known[judged].mean()
    return runs, np.where(judged, middle + kept * (known - middle), np.nan)


@pytest.mark.parametrize("kept", [1.0, 0.7])
def test_what_is_reached_of_the_ceiling_is_right_where_sample_and_tests_spread_differently(kept: float) -> None:
    # A perfect model reaches all of it; one that keeps 0.7 of each distance leaves 0.3² of the variance.
    expected = 1 - (1 - kept) ** 2
    values, covered = [], []
    for seed in range(40):
        runs, predictions = judged_on_calm_tests(seed, kept=kept)
        _, share = ceiling(runs, response(runs, "waf"), predictions, seed=seed)
        assert share is not None
        values.append(share.value)
        covered.append(share.low <= expected <= share.high)
    assert np.mean(values) == pytest.approx(expected, abs=0.02)
    assert np.mean(covered) >= 0.9


def test_the_share_divides_the_printed_r2_by_the_printed_ceiling() -> None:
    runs, predictions = judged_on_calm_tests(0, kept=0.7)
    answer = response(runs, "waf")
    top, share = ceiling(runs, answer, predictions, seed=0)
    judged = judging_rows(runs, answer)
    r2 = grade(answer.where(judged), predictions[judged], seed=0).r2
    assert share is not None
    assert share.value == pytest.approx(r2.value / top.r2.value)


def test_repeats_of_the_test_points_give_a_ceiling_too() -> None:
    runs = synthetic_runs(truth, 60, 1, noise=0.0, repeats=6, tests=20)
    answer = response(runs, "waf")
    top, share = ceiling(runs, answer, np.where(judging_rows(runs, answer), true_values(runs), np.nan), seed=0)
    assert top.r2.value == pytest.approx(1)
    assert (top.configurations, top.runs) == (6, 18)
    assert share is not None
    assert share.value == pytest.approx(1)


def test_a_ceiling_needs_five_repeated_configurations_among_those_that_are_judged() -> None:
    runs = synthetic_runs(truth, 60, 1, repeats=4)
    with pytest.raises(StatisticsError, match="at least twice among those that R² is computed on, but there are 4"):
        ceiling(runs, response(runs, "waf"), true_values(runs), seed=0)
    elsewhere = synthetic_runs(truth, 60, 1, repeats=20, tests=20)
    sampled = elsewhere.frame["purpose"].to_numpy() == str(Purpose.SAMPLE)
    with pytest.raises(StatisticsError, match="but there are 0"):
        ceiling(elsewhere, response(elsewhere, "waf"), np.where(sampled, true_values(elsewhere), np.nan), seed=0)


def test_a_ceiling_that_may_be_0_is_not_divided_by() -> None:
    runs = synthetic_runs(truth, 60, 1, noise=9.0, repeats=10)
    top, share = ceiling(runs, response(runs, "waf"), true_values(runs), seed=0)
    assert top.r2.low <= 0
    assert share is None


def test_nested_choice_predicts_runs_it_has_not_seen_and_counts_the_winners() -> None:
    runs = synthetic_runs(truth, 70, 2, noise=0.1, tests=10, anchors=4)
    answer = response(runs, "waf")
    choice = choose_learner(runs, answer, seed=0, repeats=2)
    learned = training_rows(runs, answer)
    assert sum(choice.wins.values()) == 10
    assert choice.wins[choice.learner] > 0
    assert np.array_equal(np.isfinite(choice.predictions), np.tile(learned, (2, 1)))
    assert choice.accuracy.n == learned.sum() == 70
    assert 0.6 < choice.accuracy.r2.low < choice.accuracy.r2.value < 0.99
    assert choice.accuracy.r2.value == pytest.approx(
        np.mean([r_squared(answer.log_ratio[learned], guess[learned]) for guess in choice.predictions])
    )


def test_a_single_learner_is_not_chosen_but_judged() -> None:
    runs = synthetic_runs(truth, 60, 3, noise=0.1)
    choice = choose_learner(runs, response(runs, "waf"), seed=0, learners=[Learner.FOREST])
    assert choice.learner is Learner.FOREST
    assert choice.wins == {Learner.FOREST: 5}
    assert choice.accuracy.r2.value > 0.5


def test_choosing_works_with_stopped_runs_and_counts_them_in_the_concordance() -> None:
    runs = synthetic_runs(truth, 80, 4, noise=0.05, cap_s=12.0, indicator="load_time_s")
    answer = response(runs, "load_time_s")
    result = choose_learner(runs, answer, seed=0).accuracy
    assert 5 < answer.bounded.sum() < 40
    assert result.n == answer.known.sum()
    assert result.concordance is not None
    assert result.concordance.low > 0.8


def test_choosing_from_too_few_runs_is_refused() -> None:
    runs = synthetic_runs(truth, 30, 5, anchors=3)
    answer = response(runs, "waf")
    some = np.arange(len(runs)) < 15
    with pytest.raises(StatisticsError, match='modelling "waf" needs at least 20 finished runs'):
        choose_learner(runs.where(some), answer.where(some), seed=0)


def test_a_model_is_judged_on_the_first_run_of_each_test_point_only() -> None:
    runs = synthetic_runs(truth, 150, 6, noise=0.1, repeats=10, tests=60)
    answer = response(runs, "waf")
    rows = judging_rows(runs, answer)
    assert set(runs.frame.loc[rows, "purpose"]) == {"test"}
    assert set(runs.frame.loc[rows, "block"]) == {1}
    assert rows.sum() == 60
    learned = training_rows(runs, answer)
    model = fit_runs(Learner.EXTRA_TREES, runs.where(learned), answer.where(learned), seed=0)
    result = judge(model, runs, answer, seed=0)
    assert result.n == 60
    assert 0.8 < result.r2.value < 1


def test_the_second_run_of_a_test_point_stands_in_for_a_first_one_that_failed() -> None:
    runs = synthetic_runs(truth, 30, 7, repeats=1, tests=20)
    first = (runs.frame["purpose"] == "test") & (runs.frame["arm"] == "point-1") & (runs.frame["block"] == 1)
    failed = replace(runs, frame=runs.frame.assign(status=np.where(first, "failed", "ok")))
    rows = judging_rows(failed, response(failed, "waf"))
    judged = failed.frame.loc[rows & (failed.frame["arm"] == "point-1").to_numpy(), "block"]
    assert judged.tolist() == [2]


def test_without_test_points_nothing_is_judged() -> None:
    runs = synthetic_runs(truth, 40, 8)
    answer = response(runs, "waf")
    model = fit_runs(Learner.FOREST, runs, answer, seed=0)
    with pytest.raises(StatisticsError, match="at least 10 test points, not 0"):
        judge(model, runs, answer, seed=0)


def test_more_runs_teach_more() -> None:
    runs = synthetic_runs(truth, 160, 9, noise=0.1, tests=60)
    points = learning_curve([20, 160, 999], runs, response(runs, "waf"), Learner.EXTRA_TREES, seed=0)
    assert [point.size for point in points] == [20, 160]
    assert [len(point.scores) for point in points] == [5, 1]
    assert points[0].low <= points[0].median <= points[0].high < points[1].median
    assert points[1].median > 0.8


def test_a_curve_beyond_all_runs_is_refused() -> None:
    runs = synthetic_runs(truth, 30, 10, tests=20)
    with pytest.raises(StatisticsError, match=r"a learning curve over \[100\] does not fit 30 runs"):
        learning_curve([100], runs, response(runs, "waf"), Learner.FOREST, seed=0)
