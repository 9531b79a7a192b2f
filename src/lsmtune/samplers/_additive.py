"""A Gaussian process whose functions are sums over options, with a smaller part that is not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.errors import SamplerError

Floats: TypeAlias = npt.NDArray[np.float64]

_LENGTHS = (0.5, 1.5)
"""Of the functions of one option each: a bend within the axis, or nearly a line."""
_SHARES = ((1.0, 0.3), (3.0, 0.3), (3.0, 1.0), (10.0, 0.3), (10.0, 1.0))
"""Variance of the sum and of the part that depends on all options together, over the variance of the values."""
_NOISES = (0.03, 0.1, 0.3)
"""Variance of the noise over that of the values, where the noise was not measured."""
_MEASURED = (0.5, 1.0, 2.0)
"""Standard deviation of the noise over what was measured: that of five repeats is itself uncertain by a third."""
_JOINT_LENGTH = 0.4
"""Of the part that depends on all options together; in root mean squares over the options."""
_JITTER = 1e-8


@dataclass(frozen=True)
class Points:
    """Where values are known or wanted.

    Attributes:
        columns: shape (n, columns), of the size of a unit interval.
        widths: number of columns of each option in turn. What an option weighs does not depend on it.
    """

    columns: Floats
    widths: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def rows(self, numbers: Sequence[int]) -> "Points":
        """Return some of the points."""
        return Points(self.columns[list(numbers)], self.widths)

    @property
    def options(self) -> list[Floats]:
        """The columns of each option, each of shape (n, width)."""
        return np.split(self.columns, np.cumsum(self.widths)[:-1], axis=1)


@dataclass(frozen=True)
class AdditiveProcess:
    """A fitted process; made by `fit_additive`.

    Duvenaud, Nickisch and Rasmussen, 2011, "Additive Gaussian processes": where a response is nearly a sum of functions
    of single options, such a process learns from a few dozen points in as many dimensions, which a kernel over all of
    them cannot.

    Attributes:
        points: n of them.
        length, shares: of the kernel, see the constants of this module.
        factor: lower Cholesky factor of the covariance of the standardised values, shape (n, n).
        weights: solution of covariance x weights = standardised values, shape (n,).
        mean, scale: of the values.
        noise: standard deviation of a value around the function.
    """

    points: Points
    length: float
    shares: tuple[float, float]
    factor: Floats
    weights: Floats
    mean: float
    scale: float
    noise: float

    def predict(self, points: Points) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, without the noise, each of shape (m,)."""
        from scipy.linalg import solve_triangular

        kernel = _kernel(_sums(points, self.points, self.length), _joint(points, self.points), self.shares)
        explained = (solve_triangular(self.factor, kernel.T, lower=True) ** 2).sum(axis=0)
        variance = np.maximum(sum(self.shares) - explained, 1e-9)
        return self.mean + self.scale * (kernel @ self.weights), self.scale * np.sqrt(variance)

    def believing(self, points: Points) -> "AdditiveProcess":
        """Return the process that also knows values at some points, each as it expects it: its mean stays as it is."""
        means, _ = self.predict(points)
        known = self.factor @ (self.factor.T @ self.weights)
        every = Points(np.concatenate([self.points.columns, points.columns]), self.points.widths)
        values = np.concatenate([known, (means - self.mean) / self.scale])
        kernel = _kernel(_sums(every, every, self.length), _joint(every, every), self.shares)
        covariance = kernel + ((self.noise / self.scale) ** 2 + _JITTER) * np.eye(len(every))
        _, factor, weights = _solved(covariance, values)
        return replace(self, points=every, factor=factor, weights=weights)

    def beyond(self, points: Points, bounds: Floats) -> Floats:
        """Return what values are expected that are known to be at least `bounds`, shape (m,).

        It is the mean of the normal distribution that the process predicts for a value, cut off below its bound (Tobin,
        1958, "Estimation of relationships for limited dependent variables").
        """
        from scipy.special import log_ndtr

        means, deviations = self.predict(points)
        spreads = np.hypot(deviations, self.noise)
        cuts = (bounds - means) / spreads
        hazards = np.exp(-0.5 * cuts**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-cuts))
        return np.asarray(np.maximum(bounds, means + spreads * hazards))


def fit_additive(
    points: Points, values: Floats, noise: float | None = None, bounded: Sequence[int] = ()
) -> AdditiveProcess:
    """Fit the process whose kernel and noise, of some, make the values likeliest.

    Args:
        points: n of them.
        values: shape (n,), finite.
        noise: standard deviation of the values of one point, where it was measured; the fitted one is near it.
        bounded: numbers of the values that are bounds, which the true ones are not below; they enter at what a process
            of the others expects beyond them.

    Raises:
        SamplerError: there is no point, or the shapes do not fit.
    """
    if len(points) == 0 or values.shape != (len(points),):
        raise SamplerError(f"{len(points)} points have values of shape {values.shape}; give one value for each point")
    measured = [number for number in range(len(points)) if number not in set(bounded)]
    if not bounded or not measured:
        return _likeliest(points, values, noise)
    known = _likeliest(points.rows(measured), values[measured], noise)
    filled = values.copy()
    filled[list(bounded)] = known.beyond(points.rows(bounded), values[list(bounded)])
    return _likeliest(points, filled, noise)


def _likeliest(points: Points, values: Floats, noise: float | None) -> AdditiveProcess:
    mean, scale = float(values.mean()), float(values.std()) or 1.0
    standard = (values - mean) / scale
    noises = _NOISES if noise is None else [(times * noise / scale) ** 2 for times in _MEASURED]
    joint = _joint(points, points)
    best: tuple[float, AdditiveProcess] | None = None
    for length in _LENGTHS:
        sums = _sums(points, points, length)
        for shares, variance in product(_SHARES, noises):
            covariance = _kernel(sums, joint, shares) + (variance + _JITTER) * np.eye(len(points))
            likelihood, factor, weights = _solved(covariance, standard)
            if best is None or likelihood > best[0]:
                spread = scale * float(np.sqrt(variance))
                best = (likelihood, AdditiveProcess(points, length, shares, factor, weights, mean, scale, spread))
    assert best is not None
    return best[1]


def _solved(covariance: Floats, values: Floats) -> tuple[float, Floats, Floats]:
    """Return the log likelihood of the values but for a constant, the Cholesky factor and the weights."""
    from scipy.linalg import cho_solve

    factor: Floats = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    weights: Floats = cho_solve((factor, True), values)
    return float(-0.5 * values @ weights - np.log(np.diag(factor)).sum()), factor, weights


def _kernel(sums: Floats, joint: Floats, shares: tuple[float, float]) -> Floats:
    return shares[0] * sums + shares[1] * joint


def _sums(left: Points, right: Points, length: float) -> Floats:
    """Return the mean over the options of squared-exponential kernels, shape (m, n)."""
    from scipy.spatial.distance import cdist

    total = np.zeros((len(left), len(right)))
    for one, other in zip(left.options, right.options, strict=True):
        total += np.exp(-0.5 * cdist(one, other, "sqeuclidean") / length**2)
    return np.asarray(total / len(left.widths))


def _joint(left: Points, right: Points) -> Floats:
    """Return a squared-exponential kernel over all options together, shape (m, n)."""
    from scipy.spatial.distance import cdist

    squares = cdist(left.columns, right.columns, "sqeuclidean") / len(left.widths)
    return np.asarray(np.exp(-0.5 * squares / _JOINT_LENGTH**2))
