"""How far a model can be trusted: the ceiling that noise sets, the untouched test runs, the learning curve."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lsmtune.analysis._choice import training_rows
from lsmtune.analysis._encoding import BoolArray, Derive, FloatArray, columns_of
from lsmtune.analysis._response import Response
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._scores import Accuracy, Estimate, grade, r_squared, resampled
from lsmtune.analysis._surrogate import Learner, Surrogate, fit_runs
from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose

_LEAST_REPEATED = 5
_LEAST_TESTS = 10
_CURVE_TREES = 100
_CURVE_DRAWS = ((100, 5), (10**9, 3))
"""Up to so many training runs, so many draws: large ones differ less and take longer."""


@dataclass(frozen=True)
class Ceiling:
    """The R² that a perfect model would reach on single runs; made by `ceiling`.

    Attributes:
        r2: ``1 - within / total`` variance of the log ratio.
        noise: standard deviation of the log ratio between runs of one configuration.
        configurations: number of configurations that were run at least twice.
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


def ceiling(runs: Runs, answer: Response, *, seed: int) -> Ceiling:
    """Estimate the R² that noise leaves to be reached, from configurations that were run several times.

    The variance within them is pooled over the repeated runs; the total variance is that of the first runs of all
    points of the designs, because a few repeated configurations say little about it. The interval resamples the
    points. Runs that were stopped are in neither, so where many were the total is too small and the ceiling too low.

    Raises:
        StatisticsError: fewer than 5 configurations were run twice, or the first runs do not differ.
    """
    purposes = [str(Purpose.SAMPLE), str(Purpose.TEST)]
    usable = runs.frame["purpose"].isin(purposes).to_numpy(dtype=bool) & answer.known
    values = answer.log_ratio[usable]
    arms = runs.frame.loc[usable, ["purpose", "arm"]].groupby(["purpose", "arm"], sort=False).ngroup().to_numpy()
    counts = np.bincount(arms)
    repeated = int(np.count_nonzero(counts > 1))
    if repeated < _LEAST_REPEATED:
        raise StatisticsError(
            f'the ceiling of "{answer.indicator}" needs at least {_LEAST_REPEATED} configurations run at least twice, '
            f"but there are {repeated}; sample with repeats"
        )
    means = np.bincount(arms, values) / counts
    squares = np.bincount(arms, (values - means[arms]) ** 2)
    chosen = _first_of_each_arm(runs, usable)[usable]
    first = np.zeros(len(counts))
    first[arms[chosen]] = values[chosen] - values.mean()
    if np.ptp(first) == 0:
        raise StatisticsError(
            f'"{answer.indicator}" does not differ between the configurations; take another indicator'
        )
    weights = np.vstack([np.ones(len(counts)), resampled(len(counts), seed)])
    within = _ratio(weights @ squares, weights @ (counts - 1))
    size, total = weights.sum(axis=1), weights @ first**2
    shares = 1 - _ratio(within, _ratio(total - (weights @ first) ** 2 / size, size - 1))
    noise = math.sqrt(within[0])
    return Ceiling(Estimate.of(float(shares[0]), shares[1:]), noise, repeated, int(counts[counts > 1].sum()))


def share_of_ceiling(r2: Estimate, top: Ceiling) -> Estimate | None:
    """Return R² / ceiling; None where the ceiling is too uncertain to divide by.

    The interval of the ratio is recovered from the two intervals, taken as independent (MOVER-R: Donner and Zou 2012,
    for limits of either sign Newcombe 2016, both Stat. Methods Med. Res.): its ends r solve ``(x - r y)^2 =
    (distance of x to its end)^2 + r^2 (distance of y to the end that moves the ratio the same way)^2``.
    """
    x, y = r2, top.r2
    if min(y.low, y.value) <= 0 or y.high >= 2 * y.value:
        return None

    def end(x_end: float, y_end: float, side: int) -> float:
        square = y_end * (2 * y.value - y_end)
        root = (x.value * y.value) ** 2 - x_end * (2 * x.value - x_end) * square
        return (x.value * y.value + side * math.sqrt(max(0.0, root))) / square

    low = end(x.low, y.high if x.low >= 0 else y.low, -1)
    high = end(x.high, y.low if x.high >= 0 else y.high, +1)
    return Estimate(x.value / y.value, low, high)


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

    def score(size: int) -> float:
        drawn = np.zeros(len(runs), dtype=bool)
        drawn[rng.choice(rows, size, replace=False)] = True
        part = runs.where(drawn), answer.where(drawn)
        model = fit_runs(learner, *part, seed=seed, derive=derive, trees=_CURVE_TREES)
        return r_squared(truth, model.predict(columns))

    often = {size: next(times for most, times in _CURVE_DRAWS if size <= most) for size in usable}
    draws = {size: 1 if size == rows.size else times for size, times in often.items()}
    return tuple(CurvePoint(size, tuple(score(size) for _ in range(times))) for size, times in draws.items())


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
