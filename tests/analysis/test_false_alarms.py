"""Shadow features beyond the two of the tables: enough of them, drawn anew, judged like factors, with a bound."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from analysis_builders import synthetic_runs

from lsmtune.analysis._encoding import columns_of
from lsmtune.analysis._false_alarms import importance_of_shadows, pairs_of_each, shadow_rate
from lsmtune.analysis._joint import AnovaPlan, Outcome
from lsmtune.analysis._sample import Folds, Sample, fit_folds
from lsmtune.analysis._shadow_features import PAIRS_IN_A_MODEL, SHADOWS, pair_names, with_other_shadows, with_shadows
from lsmtune.analysis._surrogate import Learner


def sample_of(n: int, seed: int, repeats: int = 0) -> Sample:
    """Noisy runs with the shadow features of the tables, in which `trigger` and `direct_io` matter."""
    runs = synthetic_runs(
        lambda columns: 0.06 * columns["trigger"] + 0.6 * columns["direct_io"], n, seed, noise=0.25, repeats=repeats
    )
    groups = np.unique(runs.frame["effective"].astype(str), return_inverse=True)[1]
    runs = with_shadows(runs, seed)
    return Sample(runs.factors, runs.bundles, columns_of(runs), np.log(runs.indicator("waf")), groups)


@pytest.mark.parametrize("indicators", [1, 2, 3, 4, 7])
def test_all_indicators_together_have_at_least_as_many_shadow_features_as_wanted(indicators: int) -> None:
    assert 50 <= 2 * indicators * pairs_of_each(50, indicators) < 50 + 2 * indicators


def test_other_shadow_features_stand_in_the_place_of_the_first_and_follow_the_configurations() -> None:
    sample = sample_of(60, 0, repeats=10)
    other = with_other_shadows(sample, 3, 5)
    names = [name for number in (1, 2, 3) for name in pair_names(number)]
    assert [factor.name for factor in other.factors][-6:] == names
    assert len(other.factors) == len(sample.factors) + 4
    assert not np.array_equal(other.columns[SHADOWS[0]], sample.columns[SHADOWS[0]])
    for name in names:
        assert all(len(set(other.columns[name][other.groups == group])) == 1 for group in np.unique(other.groups))
    numbers = [other.columns[pair_names(number)[0]] for number in (1, 2, 3)]
    assert np.abs(np.corrcoef(numbers)[np.triu_indices(3, 1)]).max() < 0.5


def test_fresh_shadow_features_are_measured_a_few_pairs_at_a_time_and_seldom_matter() -> None:
    models: list[int] = []

    def fit(sample: Sample) -> Folds:
        models.append(sum(factor.name.startswith("shadow (") for factor in sample.factors))
        return fit_folds(sample, Learner.EXTRA_TREES, seed=0, trees=20)

    found = importance_of_shadows(sample_of(100, 1), PAIRS_IN_A_MODEL + 2, fit, seed=(1, 0), draws=200)
    assert models == [2 * PAIRS_IN_A_MODEL, 4]
    assert len(found) == 2 * (PAIRS_IN_A_MODEL + 2)
    assert sum(one.matters for one in found) <= 1
    assert len({one.loss.value for one in found}) > PAIRS_IN_A_MODEL


def test_a_shadow_feature_that_leaks_the_response_is_a_false_alarm() -> None:
    sample = sample_of(100, 2)

    def leak(fresh: Sample) -> Folds:
        spoilt = {**fresh.columns, pair_names(2)[0]: fresh.response}
        return fit_folds(replace(fresh, columns=spoilt), Learner.EXTRA_TREES, seed=0, trees=20)

    found = importance_of_shadows(sample, 2, leak, seed=(2, 0), draws=200)
    assert [one.player.name for one in found if one.matters] == [pair_names(2)[0]]


def test_the_analysis_of_variance_tests_other_shadow_features_too() -> None:
    samples = [sample_of(100, seed) for seed in (3, 4)]
    outcomes = [Outcome(name, one, np.zeros(len(one), bool)) for name, one in zip("ab", samples, strict=True)]
    rate = shadow_rate((), outcomes, AnovaPlan(draws=20), pairs=16)
    assert rate is not None
    assert rate.tests == 2 * 2 * 15
    assert rate.significant <= 8  # 3 are expected; more than 8 of 60 have a chance of 0.3 %
    assert rate.significant_holm == 0


def test_fresh_shadow_features_follow_from_their_seed() -> None:
    fit = partial(fit_folds, learner=Learner.EXTRA_TREES, seed=0, trees=10)
    first, second, other = (
        importance_of_shadows(sample_of(60, 5), 1, fit, seed=(seed, 0), draws=50) for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other
