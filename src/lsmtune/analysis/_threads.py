"""Fits forests with two threads and lets them predict with one."""

from typing import Any

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
