"""How far a model can be trusted: the ceiling that noise sets, the test runs, the learning curve."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from lsmtune.analysis._choice import training_rows
from lsmtune.analysis._encoding import BoolArray, Derive, FloatArray, columns_of
from lsmtune.analysis._response import Response
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._scores import Accuracy, Estimate, grade, r_squared, resampled
from lsmtune.analysis._surrogate import Learner, Surrogate, fit_runs
from lsmtune.analysis._threads import side_by_side
from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose

_LEAST_REPEATED = 5
_LEAST_TESTS = 10
_CURVE_TREES = 100
_CURVE_DRAWS = ((100, 5), (10**9, 3))
"""Up to so many training runs, so many draws: large ones differ less and take longer."""


@dataclass(frozen=True)
class Ceiling:
    """The R² that a perfect model would reach on the runs that a model is judged on; made by `ceiling`.

    Attributes:
        r2: ``1 - within / total`` variance of the log ratio, both of the points that the model is judged on.
        noise: standard deviation of the log ratio between runs of one configuration.
        configurations: number of these configurations that were run at least twice.
        runs: number of their runs.
    """

    r2: Estimate
    noise: float
    configurations: int
    runs: int


@dataclass(frozen=True)
class CurvePoint:
    """The accuracy on the test runs after training on a number of runs.

    Attributes:
        size: number of training runs.
        scores: R² for each random draw of them.
    """

    size: int
    scores: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median over the draws."""
        return float(np.median(self.scores))

    @property
    def low(self) -> float:
        """Least of the draws."""
        return min(self.scores)

    @property
    def high(self) -> float:
        """Largest of the draws."""
        return max(self.scores)


def judging_rows(runs: Runs, answer: Response) -> BoolArray:
    """Return where a model is judged, shape (n,): of each test point the first run with a known or bounded response."""
    usable = (runs.frame["purpose"] == str(Purpose.TEST)).to_numpy(dtype=bool) & (answer.known | answer.bounded)
    return _first_of_each_arm(runs, usable)


def ceiling(runs: Runs, answer: Response, predictions: FloatArray, *, seed: int) -> tuple[Ceiling, Estimate | None]:
    """Estimate the R² that noise leaves to be reached on the runs that a model is judged on, and R² over it.

    Both variances are of the points that R² is computed on: the total one over the judged runs, as in R² itself, the
    one within configurations over all their repeats. Runs of another design spread otherwise and may be more or less
    noisy; with their variance the ratio would compare two different things.

    As R² and ceiling share these points, and with them the noise of their runs, they are not independent. The interval
    of the ratio resamples the configurations for both at once, with the draws of `grade`. Runs that were stopped are
    in neither, so where many were the total is too small and the ceiling too low.

    Args:
        runs: all runs.
        answer: their response.
        predictions: of the log ratio by models that did not see the run, shape (n,), or (repeats, n), whose R² are
            averaged; nan for runs that are not judged.
        seed: of the bootstrap.

    Returns:
        The ceiling, and R² / ceiling; None for the latter where the ceiling may be 0.

    Raises:
        StatisticsError: fewer than 5 of the configurations were run twice, or the judged runs do not differ.
    """
    every = np.atleast_2d(predictions)
    judged = answer.known & np.isfinite(every).all(axis=0)
    truth = answer.log_ratio[judged]
    if not truth.size or np.ptp(truth) == 0:
        raise StatisticsError(
            f'"{answer.indicator}" does not differ between the configurations; take another indicator'
        )
    labels, groups = np.unique(answer.groups[judged], return_inverse=True)
    noise = _noise(runs, answer, judged, labels)
    weights = np.vstack([np.ones(labels.size), resampled(labels.size, seed)])
    centred, errors = truth - truth.mean(), np.mean((truth - every[:, judged]) ** 2, axis=0)
    size, first, second, lost = (
        weights[:, groups] @ part for part in (np.ones(truth.size), centred, centred**2, errors)
    )
    total = second - first**2 / size
    within = _ratio(weights @ noise.squares, weights @ noise.freedom)
    tops = 1 - size * _ratio(within, total)
    repeated = noise.freedom > 0
    top = Ceiling(
        r2=Estimate.of(float(tops[0]), tops[1:]),
        noise=math.sqrt(within[0]),
        configurations=int(np.count_nonzero(repeated)),
        runs=int(np.sum(noise.freedom[repeated] + 1)),
    )
    if min(top.r2.low, top.r2.value) <= 0:
        return top, None
    shares = _ratio(1 - _ratio(lost, total), tops)
    return top, Estimate.of(float(shares[0]), shares[1:])


@dataclass(frozen=True)
class _Noise:
    """What repeats say of each configuration: squares around its mean, and how many of them are free, shape (k,)."""

    squares: FloatArray
    freedom: FloatArray


def _noise(runs: Runs, answer: Response, judged: BoolArray, labels: npt.NDArray[np.int64]) -> _Noise:
    """Collect the repeats of the judged configurations in the designs that the judged runs are of."""
    purposes = runs.frame["purpose"]
    rows = purposes.isin(purposes[judged].unique()).to_numpy(dtype=bool) & answer.known
    rows &= np.isin(answer.groups, labels)
    values, places = answer.log_ratio[rows], np.searchsorted(labels, answer.groups[rows])
    counts = np.bincount(places, minlength=labels.size)
    repeated = int(np.count_nonzero(counts > 1))
    if repeated < _LEAST_REPEATED:
        raise StatisticsError(
            f'the ceiling of "{answer.indicator}" needs at least {_LEAST_REPEATED} configurations run at least twice '
            f"among those that R² is computed on, but there are {repeated}; sample with repeats"
        )
    means = np.bincount(places, values, minlength=labels.size) / counts
    squares = np.bincount(places, (values - means[places]) ** 2, minlength=labels.size)
    return _Noise(np.asarray(squares, dtype=np.float64), np.asarray(counts - 1, dtype=np.float64))


def judge(surrogate: Surrogate, runs: Runs, answer: Response, *, seed: int) -> Accuracy:
    """Judge a model on the test runs, which it must not have seen: the first run of each test point.

    Raises:
        StatisticsError: fewer than 10 test points are known.
    """
    rows = _checked_tests(runs, answer)
    predictions = surrogate.predict(columns_of(runs.where(rows)))
    return grade(answer.where(rows), predictions, seed=seed)


def learning_curve(
    sizes: Sequence[int], runs: Runs, answer: Response, learner: Learner, *, seed: int, derive: Derive | None = None
) -> tuple[CurvePoint, ...]:
    """Train on random draws of each number of runs, 5 up to 100 and 3 beyond, and judge each model on the test runs.

    Sizes beyond the number of training runs are left out; all of them are drawn once.

    Raises:
        StatisticsError: no size fits, or fewer than 10 test points are known.
    """
    tests = _checked_tests(runs, answer) & answer.known
    rows = np.flatnonzero(training_rows(runs, answer))
    usable = [size for size in sizes if size <= rows.size]
    if not usable:
        raise StatisticsError(f"a learning curve over {list(sizes)} does not fit {rows.size} runs; give smaller sizes")
    columns, truth = columns_of(runs.where(tests)), answer.log_ratio[tests]
    rng = np.random.default_rng(seed)

    def score(chosen: npt.NDArray[np.intp]) -> float:
        drawn = np.zeros(len(runs), dtype=bool)
        drawn[chosen] = True
        part = runs.where(drawn), answer.where(drawn)
        model = fit_runs(learner, *part, seed=seed, derive=derive, trees=_CURVE_TREES)
        return r_squared(truth, model.predict(columns))

    often = {size: next(times for most, times in _CURVE_DRAWS if size <= most) for size in usable}
    draws = {size: 1 if size == rows.size else times for size, times in often.items()}
    every = (rng.choice(rows, size, replace=False) for size, times in draws.items() for _ in range(times))
    scores = iter(side_by_side(score, every))
    return tuple(CurvePoint(size, tuple(islice(scores, times))) for size, times in draws.items())


def _first_of_each_arm(runs: Runs, usable: BoolArray) -> BoolArray:
    """Keep of the usable rows of each arm of a purpose the one of the lowest block, the earliest of equal ones."""
    order = runs.frame.loc[usable, ["purpose", "arm", "block", "order"]].sort_values(["block", "order"])
    first = order.drop_duplicates(["purpose", "arm"]).index
    return usable & runs.frame.index.isin(first)


def _checked_tests(runs: Runs, answer: Response) -> BoolArray:
    rows = judging_rows(runs, answer)
    known = np.count_nonzero(rows & answer.known)
    if known < _LEAST_TESTS:
        raise StatisticsError(
            f'judging a model of "{answer.indicator}" needs at least {_LEAST_TESTS} test points, not {known}; '
            "sample a test design"
        )
    return rows


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio = np.full(len(above), np.nan)
    np.divide(above, below, out=ratio, where=below > 0)
    return ratio
