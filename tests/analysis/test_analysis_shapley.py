"""Shapley values add up to predictions, and the forest of the paper ranks what is known to matter."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from analysis_builders import synthetic_runs

from lsmtune.analysis._encoding import columns_of
from lsmtune.analysis._impurity import impurity_importance
from lsmtune.analysis._sample import Sample
from lsmtune.analysis._shapley import shapley_values
from lsmtune.errors import StatisticsError


def truth(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """Compression matters most, then the trigger; the dictionary only with zstd."""
    zstd = columns["compression"] == "zstd"
    return np.asarray(
        1.5 * (columns["compression"] == "none") + 0.05 * columns["trigger"] + 0.8 * (zstd & columns["dictionary"])
    )


@pytest.fixture(scope="module")
def sample() -> Sample:
    runs = synthetic_runs(truth, 200, 0, noise=0.05)
    return Sample(runs.factors, runs.bundles, columns_of(runs), np.log(runs.indicator("waf")), np.arange(len(runs)))


def test_contributions_and_base_add_up_to_the_prediction(sample: Sample) -> None:
    found = shapley_values(sample, seed=0, limit=50, trees=20)
    assert found.contributions.shape == (50, len(sample.factors))
    assert found.base + found.contributions.sum(axis=1) == pytest.approx(found.predictions, abs=1e-9)


def test_the_largest_mean_contributions_belong_to_the_factors_that_matter(sample: Sample) -> None:
    found = shapley_values(sample, seed=0, trees=30)
    ranked = sorted(found.importances, key=lambda importance: -importance.size.value)
    assert [importance.name for importance in ranked[:3]] == ["compression", "trigger", "dictionary"]
    assert all(each.size.low <= each.size.value <= each.size.high for each in found.importances)
    assert 0.8 < found.r2 < 1
    assert found.null is None


def test_asked_runs_are_explained_in_their_order_and_an_inactive_factor_moves_little(sample: Sample) -> None:
    active = (sample.columns["compression"] == "zstd") & sample.columns["dictionary"]
    rows = np.flatnonzero(active)[::-1]
    place = [factor.name for factor in sample.factors].index("dictionary")
    found = shapley_values(sample, seed=0, rows=rows, trees=30)
    assert found.rows.tolist() == rows.tolist()
    # By Shapley's formula, with zstd in 1 of 3 runs and a dictionary in 1 of 2: the mean of 0.4 / 3 and 0.4 if the
    # effect is shared with zstd, 0.8 less its mean over the runs if a dictionary counts only where it is active.
    assert (0.4 / 3 + 0.4) / 2 - 0.05 < found.contributions[:, place].mean() < 0.8 * 5 / 6 + 0.05
    idle = shapley_values(sample, seed=0, rows=np.flatnonzero(sample.columns["compression"] == "none"), trees=30)
    assert abs(idle.contributions[:, place]).max() < 0.2


def test_no_runs_to_explain_are_refused(sample: Sample) -> None:
    with pytest.raises(StatisticsError, match="no runs to explain"):
        shapley_values(sample, seed=0, rows=np.array([], dtype=np.intp))


def test_impurity_ranks_first_what_matters_most_and_its_shares_add_up_to_one(sample: Sample) -> None:
    found = impurity_importance(sample.factors, sample.columns, np.exp(sample.response), seeds=(1,), trees=30)
    assert found.importances[0].name == "compression"
    assert sum(importance.value.median for importance in found.importances) == pytest.approx(1)
    assert sorted(importance.rank.median for importance in found.importances) == list(range(1, 12))
    assert found.r2_test.median < found.r2_train.median < 1
    assert found.r2_test.median > 0.5


def test_the_spread_over_splits_follows_from_the_seeds(sample: Sample) -> None:
    both = impurity_importance(sample.factors, sample.columns, sample.response, seeds=(1, 2), trees=10)
    single = [
        impurity_importance(sample.factors, sample.columns, sample.response, seeds=(seed,), trees=10).r2_test.median
        for seed in (1, 2)
    ]
    assert (both.r2_test.low, both.r2_test.high) == (min(single), max(single))
    assert both.r2_test.low < both.r2_test.high
    assert both.seeds == (1, 2)


def test_runs_without_the_indicator_are_left_out_and_counted(sample: Sample) -> None:
    response = sample.response.copy()
    response[:50] = np.nan
    found = impurity_importance(sample.factors, sample.columns, response, seeds=(1,), trees=5)
    rest = np.arange(50, 200)
    again = impurity_importance(sample.factors, sample.columns_at(rest), response[rest], seeds=(1,), trees=5)
    assert found.n == 150
    assert found == again


@pytest.mark.parametrize(
    ("response", "message"),
    [(np.full(200, 0.1), "all 200 responses are equal"), (np.full(200, np.nan), "0 have a value")],
)
def test_a_response_that_tells_nothing_is_refused(sample: Sample, response: Any, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        impurity_importance(sample.factors, sample.columns, response)
