"""How well predictions meet the truth, with bootstrap intervals over configurations."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.analysis._encoding import BoolArray, FloatArray
from lsmtune.analysis._response import Response
from lsmtune.errors import StatisticsError

DRAWS = 500
"""Bootstrap samples behind an interval."""
_LEAST_CONFIGURATIONS = 5


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval.

    Attributes:
        value: the estimate.
        low: lower end.
        high: upper end.

    Raises:
        StatisticsError: the ends are in the wrong order.
    """

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise StatisticsError(f"an interval from {self.low:g} to {self.high:g} is none; give its lower end first")

    @classmethod
    def of(cls, value: float, draws: FloatArray) -> "Estimate":
        """Return a value with the percentile interval of its bootstrap draws; undefined draws are left out."""
        defined = draws[np.isfinite(draws)]
        low, high = np.quantile(defined, [0.025, 0.975]) if defined.size else (value, value)
        return cls(float(value), float(low), float(high))


@dataclass(frozen=True)
class Accuracy:
    """How well predictions meet responses that the model did not see, on the log scale.

    Attributes:
        n: number of runs with a known response.
        configurations: number of configurations among them; the intervals resample these.
        r2: ``1 - sum((y - f)^2) / sum((y - mean(y))^2)``, Eq. 1 of Jin et al. 2022.
        spearman: rank correlation.
        error_factor: ``exp(mean(|y - f|))``: by what factor a prediction is off.
        concordance: share of the pairs of runs whose order is known that are predicted in that order (Harrell 1982);
            it counts runs that were stopped too. None where none was.
    """

    n: int
    configurations: int
    r2: Estimate
    spearman: Estimate
    error_factor: Estimate
    concordance: Estimate | None


def grade(answer: Response, predictions: FloatArray, *, seed: int) -> Accuracy:
    """Compare predictions with responses.

    Args:
        answer: responses of n runs.
        predictions: of the log ratio, shape (n,), or (repeats, n), whose scores are averaged.
        seed: of the bootstrap.

    Raises:
        StatisticsError: fewer than 5 configurations are known, or all responses are equal.
    """
    every = np.atleast_2d(predictions)
    known = answer.known
    truth, guesses = answer.log_ratio[known], every[:, known]
    labels, groups = np.unique(answer.groups[known], return_inverse=True)
    if labels.size < _LEAST_CONFIGURATIONS:
        raise StatisticsError(
            f'judging predictions of "{answer.indicator}" needs at least {_LEAST_CONFIGURATIONS} configurations, '
            f"not {labels.size}; sample more"
        )
    if np.ptp(truth) == 0:
        raise StatisticsError(f'"{answer.indicator}" is equal in all {truth.size} runs to judge by; sample more')
    weights = resampled(labels.size, seed)
    errors = truth - guesses
    return Accuracy(
        n=int(truth.size),
        configurations=int(labels.size),
        r2=_r2(truth, np.mean(errors**2, axis=0), weights[:, groups]),
        spearman=_spearman(truth, guesses, weights[:, groups]),
        error_factor=_error_factor(np.mean(np.abs(errors), axis=0), weights[:, groups]),
        concordance=_concordance(answer, every, seed) if answer.bounded.any() else None,
    )


def r_squared(truth: FloatArray, predictions: FloatArray) -> float:
    """Return ``1 - sum((y - f)^2) / sum((y - mean(y))^2)``; nan where all of `truth` is equal."""
    total = float(np.sum((truth - truth.mean()) ** 2))
    return 1 - float(np.sum((truth - predictions) ** 2)) / total if total else float("nan")


def resampled(n: int, seed: int) -> FloatArray:
    """Return how often each of n things is drawn in each bootstrap sample of n, shape (DRAWS, n)."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(np.float64)


def order_share(values: FloatArray, late: BoolArray, predictions: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Harrell's C for each row of weights, nan where no pair can be compared.

    A pair can be compared where one value is known and the other is larger for sure: a larger known one, or a lower
    bound that is not smaller. Equal predictions count half.

    Args:
        values: shape (n,); lower bounds where `late`.
        late: shape (n,).
        predictions: shape (n,).
        weights: how often each run counts, shape (draws, n).
    """
    sure = np.where(late, values[:, None] <= values, values[:, None] < values) & ~late[:, None]
    right = (predictions[:, None] < predictions) + 0.5 * (predictions[:, None] == predictions)
    counts = weights.astype(np.float32)
    pairs = np.sum(counts @ sure.astype(np.float32) * counts, axis=1, dtype=np.float64)
    hits = np.sum(counts @ (right * sure).astype(np.float32) * counts, axis=1, dtype=np.float64)
    shares = np.full(len(weights), np.nan)
    np.divide(hits, pairs, out=shares, where=pairs > 0)
    return shares


def _r2(truth: FloatArray, squares: FloatArray, weights: FloatArray) -> Estimate:
    moments = weights @ np.column_stack(
        [np.ones_like(truth), truth - truth.mean(), (truth - truth.mean()) ** 2, squares]
    )
    total = moments[:, 2] - moments[:, 1] ** 2 / moments[:, 0]
    draws = 1 - np.divide(moments[:, 3], total, out=np.full(len(weights), np.nan), where=total > 0)
    return Estimate.of(1 - squares.sum() / np.sum((truth - truth.mean()) ** 2), draws)


def _error_factor(sizes: FloatArray, weights: FloatArray) -> Estimate:
    return Estimate.of(float(np.exp(sizes.mean())), np.exp(weights @ sizes / weights.sum(axis=1)))


def _spearman(truth: FloatArray, guesses: FloatArray, weights: FloatArray) -> Estimate:
    draws = np.array(
        [_rank_correlation(truth, guesses, np.repeat(np.arange(truth.size), times.astype(int))) for times in weights]
    )
    return Estimate.of(_rank_correlation(truth, guesses, np.arange(truth.size)), draws)


def _rank_correlation(truth: FloatArray, guesses: FloatArray, rows: npt.NDArray[np.intp]) -> float:
    """Return the mean Spearman correlation of each row of `guesses`; a constant guess has 0."""
    left = scipy.stats.rankdata(truth[rows])
    right = scipy.stats.rankdata(guesses[:, rows], axis=1)
    left, right = left - left.mean(), right - right.mean(axis=1, keepdims=True)
    size = np.sqrt(np.sum(left**2) * np.sum(right**2, axis=1))
    return float(np.mean(np.divide(right @ left, size, out=np.zeros(len(size)), where=size > 0)))


def _concordance(answer: Response, predictions: FloatArray, seed: int) -> Estimate:
    usable = answer.known | answer.bounded
    late = answer.bounded[usable]
    values = answer.sign * np.where(late, answer.log_bound[usable], answer.log_ratio[usable])
    labels, groups = np.unique(answer.groups[usable], return_inverse=True)
    weights = np.vstack([np.ones(labels.size), resampled(labels.size, seed)])[:, groups]
    shares = [order_share(values, late, answer.sign * guess[usable], weights) for guess in predictions]
    mean = np.mean(shares, axis=0)
    return Estimate.of(float(mean[0]), mean[1:])
