"""Surrogates: models that predict the response from the values of the factors."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from lsmtune.analysis._encoding import Columns, Derive, Encoder, FloatArray, columns_of
from lsmtune.analysis._kernel import KernelRidge
from lsmtune.analysis._response import Response, complete
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._threads import predict_with_one_thread
from lsmtune.errors import StatisticsError
from lsmtune.space import Factor

_LEAST_RUNS = 8


class Learner(StrEnum):
    """Kinds of models."""

    EXTRA_TREES = "extra trees"
    """Extremely randomised trees (Geurts, Ernst, Wehenkel 2006): smooth, best with few runs."""
    BOOSTING = "histogram boosting"
    """Gradient boosted trees on binned features (Ke et al. 2017): best with many runs."""
    FOREST = "random forest"
    """Random forest (Breiman 2001): what Jin et al. used."""
    KERNEL = "kernel ridge"
    """A linear trend with a smooth deviation (see `KernelRidge`): extrapolates, best where effects are smooth."""
    BLEND = "extra trees with kernel ridge"
    """The mean of the two, which err in different places."""


class MeanOfModels:
    """The mean of several regressors.

    Attributes:
        parts: those.
    """

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def fit(self, matrix: FloatArray, response: FloatArray) -> "MeanOfModels":
        for part in self.parts:
            part.fit(matrix, response)
        return self

    def predict(self, matrix: FloatArray) -> FloatArray:
        return np.asarray(np.mean([predict_with_one_thread(part, matrix) for part in self.parts], axis=0))


@dataclass(frozen=True)
class Surrogate:
    """A fitted model; made by `fit_surrogate`.

    Attributes:
        learner: its kind.
        encoder: how the values of factors become its features.
        estimator: a regressor of scikit-learn, or one with its methods `fit` and `predict`.
    """

    learner: Learner
    encoder: Encoder
    estimator: Any

    def matrix(self, columns: Columns) -> FloatArray:
        """Return the features that the model sees, shape (n, len(encoder.names))."""
        return self.encoder.encode(columns)

    def predict(self, columns: Columns) -> FloatArray:
        """Return the predicted log response, shape (n,)."""
        return predict_with_one_thread(self.estimator, self.matrix(columns))


def fit_surrogate(  # noqa: PLR0913 - a fit has this many parts; each is named at the call
    learner: Learner,
    factors: Sequence[Factor],
    columns: Columns,
    log_response: FloatArray,
    *,
    seed: int,
    derive: Derive | None = None,
    trees: int = 300,
    estimator: Any = None,
) -> Surrogate:
    """Fit a model to a log response.

    Args:
        learner: kind of the model.
        factors: what explains the response.
        columns: values of the factors, each of shape (n,).
        log_response: shape (n,), finite.
        seed: of the model's randomness.
        derive: gives further features.
        trees: size of a forest; boosting has a fixed number of small steps instead, kernel ridge no size.
        estimator: a regressor of that kind with settings of its own; None: the usual one.

    Raises:
        StatisticsError: fewer than 8 runs, lengths differ, a response is not finite, or no factor varied.
    """
    if len(log_response) < _LEAST_RUNS:
        raise StatisticsError(f"a model needs at least {_LEAST_RUNS} runs, not {len(log_response)}; sample more")
    if not np.isfinite(log_response).all():
        unknown = np.count_nonzero(~np.isfinite(log_response))
        raise StatisticsError(f"{unknown} of {len(log_response)} responses are not known; leave these runs out")
    encoder = Encoder.fit(factors, columns, derive)
    matrix = encoder.encode(columns)
    if len(matrix) != len(log_response):
        raise StatisticsError(f"{len(matrix)} runs do not fit {len(log_response)} responses; give one for each")
    regressor = _estimator(learner, len(matrix), trees, seed) if estimator is None else estimator
    return Surrogate(learner, encoder, regressor.fit(matrix, log_response))


def fit_runs(  # noqa: PLR0913 - the parts of `fit_surrogate` that runs do not hold; each is named at the call
    learner: Learner,
    runs: Runs,
    answer: Response,
    *,
    seed: int,
    derive: Derive | None = None,
    trees: int = 300,
    estimator: Any = None,
) -> Surrogate:
    """Fit a model to all runs whose response is known or bounded; bounded ones are completed first.

    Args:
        learner: kind of the model.
        runs: the runs to learn from, and no others.
        answer: their response, row by row.
        seed: of all randomness.
        derive: gives further features.
        trees: size of a forest.
        estimator: a regressor of that kind with settings of its own; None: the usual one.

    Raises:
        StatisticsError: see `complete` and `fit_surrogate`.
    """
    usable = answer.known | answer.bounded
    part = runs.where(usable)
    columns = columns_of(part)
    target = complete(answer.where(usable), part.factors, columns, seed=seed, derive=derive)
    return fit_surrogate(
        learner, part.factors, columns, target, seed=seed, derive=derive, trees=trees, estimator=estimator
    )


def _estimator(learner: Learner, rows: int, trees: int, seed: int) -> Any:
    from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor

    if learner is Learner.KERNEL:
        return KernelRidge(seed)
    if learner is Learner.BLEND:
        return MeanOfModels(_estimator(Learner.EXTRA_TREES, rows, trees, seed), KernelRidge(seed))
    if learner is Learner.BOOSTING:
        # Small leaves and strong shrinkage: the usual 20 runs in a leaf leave next to no tree of 100 runs.
        return HistGradientBoostingRegressor(
            learning_rate=0.1,
            max_iter=100,
            max_leaf_nodes=15,
            min_samples_leaf=min(20, max(3, rows // 40)),
            l2_regularization=1.0,
            max_features=0.5,
            early_stopping=False,
            random_state=seed,
        )
    common = {"n_estimators": trees, "random_state": seed}
    if learner is Learner.EXTRA_TREES:
        return ExtraTreesRegressor(max_features=0.5, **common)
    return RandomForestRegressor(max_features=1 / 3, min_samples_leaf=2, **common)
