"""Models that do not depend on each other are computed side by side, a thread each."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from lsmtune.analysis._encoding import FloatArray
from lsmtune.threads import one_thread

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")
_SIDES = 2


def side_by_side(compute: Callable[[_Part], _Result], parts: Iterable[_Part]) -> list[_Result]:
    """Return what `compute` gives for each part, in the order of the parts; two threads take one after another.

    Args:
        compute: called from two threads at once; what it raises is raised.
        parts: drawn one after another, and only a few ahead of what is computed.
    """
    from joblib import Parallel, delayed

    with without_threads(), _without_false_alarm():
        return list(Parallel(n_jobs=_SIDES, backend="threading")(delayed(_alone)(compute, part) for part in parts))


@contextmanager
def without_threads() -> Iterator[None]:
    """Compute models with libraries that take no threads of their own.

    The models of an analysis are small, so that threads would mostly wait for each other, for long where others use the
    machine, and sums would depend on the number of cores.
    """
    import sklearn.ensemble  # noqa: F401 - loads the libraries, as only those that are loaded can be limited

    with one_thread():
        yield


def _alone(compute: Callable[[_Part], _Result], part: _Part) -> _Result:
    with one_thread():  # once more, as OpenMP has a limit for each thread that calls it
        return compute(part)


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


@contextmanager
def _without_false_alarm() -> Iterator[None]:
    """Show no warning of scikit-learn that its own parts were not called by its own.

    It asks for the filters of warnings, which all threads share, and has emptied them in another thread for a moment.
    """
    show = warnings.showwarning

    def show_others(message: Warning | str, *given: Any, **named: Any) -> None:
        if "sklearn.utils.parallel.delayed" not in str(message):
            show(message, *given, **named)

    warnings.showwarning = show_others
    try:
        yield
    finally:
        warnings.showwarning = show
