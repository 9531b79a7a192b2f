"""Fits forests with two threads and lets them predict with one."""

from typing import Any

import numpy as np

from lsmtune.analysis._encoding import FloatArray

_WORK_FOR_TWO = 20_000
"""Rows x trees above which a second thread saves more than it costs."""


def fit_with_threads(estimator: Any, matrix: FloatArray, response: FloatArray, trees: int) -> Any:
    """Fit a regressor of scikit-learn whose `n_jobs` is not set, and return it.

    The threads are those of the fit alone. A forest that predicts with several adds up its trees in the order in which
    they end, so that the last digit of an answer would differ from one analysis of the same runs to the next.

    Args:
        estimator: the regressor.
        matrix: features, shape (n, p).
        response: what it learns, shape (n,).
        trees: how many trees it has, for whether a second thread pays.
    """
    from joblib import parallel_config

    with parallel_config(backend="threading", n_jobs=2 if len(matrix) * trees > _WORK_FOR_TWO else 1):
        return estimator.fit(matrix, response)


def predict_with_one_thread(estimator: Any, matrix: FloatArray) -> FloatArray:
    """Return what a fitted regressor predicts, to the last digit what its own `predict` says, shape (n,).

    A forest of scikit-learn checks its input once for each tree and starts a job for it, which for a single row takes
    50 times as long as to walk through the tree. Here the trees are asked themselves, in their order.

    Args:
        estimator: a forest, or any other regressor, which is asked as it is.
        matrix: features, finite, shape (n, p).
    """
    trees = getattr(estimator, "estimators_", None)
    if trees is None:
        return np.asarray(estimator.predict(matrix), dtype=np.float64)
    small = np.ascontiguousarray(matrix, dtype=np.float32)  # as trees want it
    total = np.zeros(len(small))
    for tree in trees:
        total += tree.tree_.predict(small)[:, 0]
    return total / len(trees)
