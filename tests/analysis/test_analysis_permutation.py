"""Permutation importance of known functions, and the shadow features that stand for no effect."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from analysis_builders import synthetic_runs

from lsmtune.analysis._encoding import columns_of
from lsmtune.analysis._permutation import Permutation, permutation_importance
from lsmtune.analysis._players import players_of
from lsmtune.analysis._response import response
from lsmtune.analysis._sample import Folds, Sample, fit_folds, grouped_folds
from lsmtune.analysis._scores import Estimate
from lsmtune.analysis._shadow_features import (
    SHADOW_CATEGORY,
    SHADOW_NUMBER,
    SHADOWS,
    null_line,
    pair_names,
    with_shadows,
)
from lsmtune.analysis._surrogate import Learner
from lsmtune.errors import StatisticsError
from lsmtune.space import Change, Factor, Kind

FloatArray = npt.NDArray[np.float64]


class Formula:
    """A model that knows the truth."""

    def __init__(self, formula: Callable[..., FloatArray]) -> None:
        self._formula = formula

    def predict(self, columns: Any) -> FloatArray:
        return self._formula(**columns)


def number(name: str, **fields: Any) -> Factor:
    return Factor(name, Kind.FLOAT, "", 0.0, Change.ONLINE, **fields)


def known_folds(
    formula: Callable[..., FloatArray], columns: dict[str, npt.NDArray[Any]], *factors: Factor, bundles: Any = ()
) -> Folds:
    """Folds whose models are the truth."""
    known = {factor.name: factor for factor in factors}
    response = formula(**columns)
    groups = np.arange(len(response))
    sample = Sample(tuple(known.get(name, number(name)) for name in columns), bundles, columns, response, groups)
    held_out = grouped_folds(groups, 5, 0)
    return Folds(sample, (Formula(formula),) * 5, held_out)


def test_shuffling_a_term_of_a_linear_function_costs_twice_its_variance() -> None:
    rng = np.random.default_rng(0)
    folds = known_folds(lambda a, b, c: 3 * a + b + 0 * c, {name: rng.random(2000) for name in "abc"})
    found = permutation_importance(folds, seed=1)
    assert found.r2 == 1
    assert found["a"].loss.value == pytest.approx(2 * 9 / 10, rel=0.08)
    assert found["b"].loss.value == pytest.approx(2 * 1 / 10, rel=0.08)
    assert found["a"].loss.low < 1.8 < found["a"].loss.high
    assert (found["c"].loss, found["c"].p_value) == (Estimate(0, 0, 0), 1)
    assert [importance.matters for importance in found.importances] == [True, True, False]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        folds = known_folds(lambda a, b: 2 * a + b, {name: rng.random(150) for name in "ab"})
        found = permutation_importance(folds, seed=seed, draws=200)["b"].loss
        covered += found.low <= 2 / 5 <= found.high
    assert covered >= 52


def test_a_conditional_factor_is_shuffled_only_among_the_runs_in_which_it_is_active() -> None:
    rng = np.random.default_rng(0)
    switch = rng.random(3000) < 0.25
    depth = np.where(switch, rng.random(3000), 1e6)
    folds = known_folds(
        lambda switch, depth, other: np.where(switch, np.minimum(depth, 2), 0.5) + other,
        {"switch": switch, "depth": depth, "other": rng.random(3000)},
        Factor("switch", Kind.BOOL, "", False, Change.ONLINE, choices=(False, True)),
        number("depth", conditions={"switch": (True,)}),
    )
    found = permutation_importance(folds, seed=0)["depth"]
    assert found.n_eligible == switch.sum()
    assert found.loss.value == pytest.approx(2 * 0.25 * (1 / 12) / (1 / 12 + 0.25 / 12), rel=0.1)


def test_a_bundle_moves_as_whole_runs_and_its_members_alone_are_flagged() -> None:
    rng = np.random.default_rng(0)
    low = rng.random(500)
    columns = {"low": low, "high": low + 1, "other": rng.random(500)}
    folds = known_folds(lambda low, high, other: low - high + other, columns, bundles=(("high", "low"),))
    found = permutation_importance(folds, seed=0)
    assert [(each.player.name, each.player.tied) for each in found.importances] == [
        ("low + high", False),
        ("low", True),
        ("high", True),
        ("other", False),
    ]
    assert found["low + high"].loss.value == pytest.approx(0, abs=1e-12)
    assert found["low"].loss.value > 1


def test_bundles_that_share_a_factor_become_one() -> None:
    factors = [number(name) for name in "abcde"]
    players = players_of(factors, (("a", "c"), ("d", "e"), ("c", "e"), ("b", "gone")), alone=False)
    assert [player.members for player in players] == [("a", "c", "d", "e"), ("b",)]


def test_repeats_of_a_configuration_are_in_one_fold() -> None:
    groups = np.repeat(np.arange(20), 3)
    folds = grouped_folds(groups, 5, 0)
    assert sorted(np.concatenate(folds)) == list(range(60))
    assert all(set(groups[fold]).isdisjoint(groups[np.setdiff1d(np.arange(60), fold)]) for fold in folds)


def test_fewer_configurations_than_folds_are_refused() -> None:
    with pytest.raises(StatisticsError, match="5 folds need at least 5 configurations, but there are 4"):
        grouped_folds(np.repeat(np.arange(4), 10), 5, 0)


def test_a_constant_response_is_refused() -> None:
    with pytest.raises(StatisticsError, match="all 50 responses are equal"):
        permutation_importance(known_folds(lambda a: 0 * a + 0.1, {"a": np.arange(50.0)}), seed=0)


def test_a_sample_with_missing_responses_is_refused() -> None:
    with pytest.raises(StatisticsError, match="1 of 3 responses are missing"):
        Sample((number("a"),), (), {"a": np.arange(3.0)}, np.array([1, np.nan, 2]), np.arange(3))


def test_runs_that_were_stopped_are_completed_beyond_their_bound() -> None:
    runs = synthetic_runs(
        lambda columns: 0.1 * columns["trigger"], 100, 0, noise=0.05, cap_s=6.0, indicator="load_time_s"
    )
    answer = response(runs, "load_time_s")
    sample = Sample.of(runs, answer, seed=0)
    assert 5 < answer.bounded.sum() < 50
    assert len(sample) == 100
    assert (sample.response[answer.bounded] >= np.log(6.0)).all()
    assert sample.response[answer.known].tolist() == answer.log_ratio[answer.known].tolist()
    assert sample.groups.tolist() == answer.groups.tolist()


def test_shadow_features_are_the_same_in_all_repeats_and_independent_of_the_rest() -> None:
    runs = with_shadows(synthetic_runs(lambda columns: 0.0 * columns["trigger"], 800, 0, repeats=20), seed=5)
    frame = runs.frame
    columns = [runs.by_name[name].column for name in SHADOWS]
    assert (frame.groupby("effective")[columns].nunique() == 1).all(axis=None)
    assert frame["effective"].duplicated().sum() == 40
    once = frame.drop_duplicates("effective")
    assert once[columns[0]].between(0, 1).all()
    assert once[columns[1]].value_counts().between(150, 250).all()
    assert abs(once[columns[0]].corr(once["option.trigger"])) < 0.1
    assert runs.factors[-2:] == tuple(runs.by_name[name] for name in SHADOWS)


def test_shadow_features_follow_from_their_seed() -> None:
    runs = synthetic_runs(lambda columns: 0.0 * columns["trigger"], 40, 0)
    pd.testing.assert_frame_equal(with_shadows(runs, 1).frame, with_shadows(runs, 1).frame)
    assert not with_shadows(runs, 1).frame.equals(with_shadows(runs, 2).frame)


def test_a_shadow_feature_is_judged_by_the_other_one_of_its_pair() -> None:
    highs = {SHADOW_NUMBER: 0.1, SHADOW_CATEGORY: 0.3, "a": 0.9} | dict(zip(pair_names(2), (0.5, 0.7), strict=True))
    assert null_line(highs, "a") == 0.3
    assert null_line(highs, SHADOW_CATEGORY) == 0.1
    assert null_line(highs, pair_names(2)[0]) == 0.7
    assert null_line({"a": 0.9}, "a") is None


def analysed(seed: int) -> Permutation:
    """120 noisy runs in which only two of the options matter, with 16 that do nothing."""
    runs = synthetic_runs(
        lambda columns: 0.06 * columns["trigger"] + 0.6 * columns["direct_io"], 120, seed, noise=0.25, fillers=16
    )
    runs = with_shadows(runs, seed)
    response = np.log(runs.indicator("waf"))
    sample = Sample(runs.factors, runs.bundles, columns_of(runs), response, np.arange(len(runs)))
    return permutation_importance(
        fit_folds(sample, Learner.EXTRA_TREES, seed=seed, trees=25), seed=seed, repeats=4, draws=400
    )


def test_shadow_features_and_other_factors_without_effect_are_seldom_significant_and_real_ones_are() -> None:
    studies = [analysed(seed) for seed in range(10)]
    idle = [study[name] for study in studies for name in (*SHADOWS, *(f"filler_{place}" for place in range(1, 17)))]
    assert len(idle) == 180
    assert sum(importance.matters for importance in idle) <= 0.05 * len(idle)
    assert sum(study[name].matters for study in studies for name in SHADOWS) <= 1
    assert all(study["direct_io"].matters and study["trigger"].matters for study in studies)
    assert all(study.null is not None and study.null > 0 for study in studies)
