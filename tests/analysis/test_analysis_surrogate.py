"""Surrogates learn a known truth."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from analysis_builders import FACTORS, synthetic_columns, synthetic_runs

from lsmtune.analysis._encoding import Columns, columns_of
from lsmtune.analysis._response import response
from lsmtune.analysis._surrogate import Learner, fit_runs, fit_surrogate
from lsmtune.errors import StatisticsError

TRAIN, TEST = (synthetic_columns(n, np.random.default_rng(n)) for n in (300, 200))


def truth(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    buffer = np.log2(columns["write_buffer_size"].astype(float)) - 20
    uncompressed = columns["compression"] == "none"
    return np.asarray(0.1 * columns["trigger"] + 0.2 * buffer * uncompressed + 0.4 * columns["direct_io"])


def hidden(columns: Columns) -> npt.NDArray[np.float64]:
    """A ratio that trees find hard and the derived feature states."""
    return np.log(columns["level_base"] / columns["write_buffer_size"])


def r2(expected: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> float:
    return float(1 - np.mean((expected - predicted) ** 2) / np.var(expected))


@pytest.mark.parametrize("learner", list(Learner))
def test_every_learner_explains_most_of_a_simple_truth(learner: Learner) -> None:
    model = fit_surrogate(learner, FACTORS, TRAIN, truth(TRAIN), seed=0, trees=100)
    assert r2(truth(TEST), model.predict(TEST)) > 0.85
    assert model.matrix(TEST).shape == (200, len(model.encoder.names))


@pytest.mark.parametrize("learner", list(Learner))
def test_the_seed_decides_everything(learner: Learner) -> None:
    first, again = (fit_surrogate(learner, FACTORS, TRAIN, truth(TRAIN), seed=3, trees=20) for _ in range(2))
    assert np.array_equal(first.predict(TEST), again.predict(TEST))


def test_knowledge_of_the_engine_helps() -> None:
    plain, informed = (
        fit_surrogate(Learner.EXTRA_TREES, FACTORS, TRAIN, hidden(TRAIN), seed=0, derive=derive, trees=100)
        for derive in (None, lambda columns: {"ratio": hidden(columns)})
    )
    errors = [1 - r2(hidden(TEST), model.predict(TEST)) for model in (plain, informed)]
    assert errors[1] < 0.5 * errors[0]


def test_values_without_effect_change_no_prediction() -> None:
    model = fit_surrogate(Learner.EXTRA_TREES, FACTORS, TRAIN, truth(TRAIN), seed=0, trees=20)
    uncompressed = {**TEST, "compression": np.full(200, "none", dtype=object)}
    other = {**uncompressed, "dictionary": ~TEST["dictionary"], "dictionary_bytes": TEST["dictionary_bytes"] * 4}
    assert np.array_equal(model.predict(uncompressed), model.predict(other))


def test_learning_from_stopped_runs_predicts_slow_ones_better_than_leaving_them_out() -> None:
    runs = synthetic_runs(
        lambda columns: 3 * truth(columns), 200, 5, 0.05, tests=150, cap_s=60.0, indicator="load_time_s"
    )
    answer = response(runs, "load_time_s")
    sample = (runs.frame["purpose"] == "sample").to_numpy()
    tests, expected = columns_of(runs.where(~sample)), 3 * truth(columns_of(runs.where(~sample)))
    slow = expected > np.log(60)
    errors = []
    for rows in (sample & answer.known, sample):
        model = fit_runs(Learner.EXTRA_TREES, runs.where(rows), answer.where(rows), seed=0)
        errors.append(np.mean((model.predict(tests) - expected)[slow] ** 2))
    assert slow.sum() > 15
    assert errors[1] < 0.8 * errors[0]


def test_too_few_runs_or_unknown_responses_are_refused() -> None:
    few = {name: values[:7] for name, values in TRAIN.items()}
    with pytest.raises(StatisticsError, match="at least 8 runs, not 7"):
        fit_surrogate(Learner.FOREST, FACTORS, few, np.arange(7.0), seed=0)
    with pytest.raises(StatisticsError, match="1 of 300 responses are not known"):
        fit_surrogate(Learner.FOREST, FACTORS, TRAIN, np.array([np.nan, *range(299)]), seed=0)
    with pytest.raises(StatisticsError, match="300 runs do not fit 299 responses"):
        fit_surrogate(Learner.FOREST, FACTORS, TRAIN, np.arange(299.0), seed=0)


@pytest.mark.parametrize("learner", [Learner.EXTRA_TREES, Learner.FOREST])
def test_trees_that_are_asked_one_by_one_predict_what_their_forest_does_to_the_last_digit(learner: Learner) -> None:
    model = fit_surrogate(learner, FACTORS, TRAIN, truth(TRAIN), seed=0, trees=100)
    for columns in (TEST, {name: values[:1] for name, values in TEST.items()}):
        assert np.array_equal(model.predict(columns), model.estimator.predict(model.matrix(columns)))


def test_a_forest_predicts_the_same_to_the_last_digit_each_time() -> None:
    model = fit_surrogate(Learner.EXTRA_TREES, FACTORS, TRAIN, truth(TRAIN), seed=0, trees=300)
    assert len({model.predict(TEST).tobytes() for _ in range(20)}) == 1
