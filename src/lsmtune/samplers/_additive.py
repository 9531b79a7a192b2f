"""A Gaussian process whose functions are sums over options, with a smaller part that is not."""

from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.errors import SamplerError

Floats: TypeAlias = npt.NDArray[np.float64]

_LENGTHS = (0.5, 1.5)
"""Of the functions of one column each: a bend within the axis, or nearly a line."""
_SHARES = ((1.0, 0.3), (3.0, 0.3), (3.0, 1.0), (10.0, 0.3), (10.0, 1.0))
"""Variance of the sum and of the part that depends on all columns together, over the variance of the values."""
_NOISES = (0.03, 0.1, 0.3)
"""Variance of the noise over that of the values."""
_JOINT_LENGTH = 0.4
"""Of the part that depends on all columns together; in root mean squares over the columns."""
_JITTER = 1e-8


@dataclass(frozen=True)
class AdditiveProcess:
    """A fitted process; made by `fit_additive`.

    Duvenaud, Nickisch and Rasmussen, 2011, "Additive Gaussian processes": where a response is nearly a sum of functions
    of single options, such a process learns from a few dozen points in as many dimensions, which a kernel over all of
    them cannot.

    Attributes:
        points: shape (n, columns).
        length, shares: of the kernel, see the constants of this module.
        factor: lower Cholesky factor of the covariance of the standardised values, shape (n, n).
        weights: solution of covariance x weights = standardised values, shape (n,).
        mean, scale: of the values.
        noise: standard deviation of a value around the function.
    """

    points: Floats
    length: float
    shares: tuple[float, float]
    factor: Floats
    weights: Floats
    mean: float
    scale: float
    noise: float

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, without the noise, each of shape (m,).

        Args:
            points: shape (m, columns).
        """
        from scipy.linalg import solve_triangular

        kernel = _kernel(_sums(points, self.points, self.length), _joint(points, self.points), self.shares)
        explained = (solve_triangular(self.factor, kernel.T, lower=True) ** 2).sum(axis=0)
        variance = np.maximum(sum(self.shares) - explained, 1e-9)
        return self.mean + self.scale * (kernel @ self.weights), self.scale * np.sqrt(variance)


def fit_additive(points: Floats, values: Floats) -> AdditiveProcess:
    """Fit the process whose kernel and noise, of some, make the values likeliest.

    Args:
        points: shape (n, columns), of the size of a unit interval.
        values: shape (n,), finite.

    Raises:
        SamplerError: there is no point, or the shapes do not fit.
    """
    if len(points) == 0 or values.shape != (len(points),):
        raise SamplerError(f"{len(points)} points have values of shape {values.shape}; give one value for each point")
    mean, scale = float(values.mean()), float(values.std()) or 1.0
    standard = (values - mean) / scale
    joint = _joint(points, points)
    best: tuple[float, AdditiveProcess] | None = None
    for length in _LENGTHS:
        sums = _sums(points, points, length)
        for shares, noise in product(_SHARES, _NOISES):
            covariance = _kernel(sums, joint, shares) + (noise + _JITTER) * np.eye(len(points))
            likelihood, factor, weights = _solved(covariance, standard)
            if best is None or likelihood > best[0]:
                best = (
                    likelihood,
                    AdditiveProcess(
                        points, length, shares, factor, weights, mean, scale, scale * float(np.sqrt(noise))
                    ),
                )
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


def _sums(left: Floats, right: Floats, length: float) -> Floats:
    """Return the mean over the columns of squared-exponential kernels, shape (m, n)."""
    total = np.zeros((len(left), len(right)))
    for one, other in zip(left.T, right.T, strict=True):
        total += np.exp(-0.5 * ((one[:, np.newaxis] - other) / length) ** 2)
    return np.asarray(total / left.shape[1])


def _joint(left: Floats, right: Floats) -> Floats:
    """Return a squared-exponential kernel over all columns together, shape (m, n)."""
    from scipy.spatial.distance import cdist

    squares = cdist(left, right, "sqeuclidean") / left.shape[1]
    return np.asarray(np.exp(-0.5 * squares / _JOINT_LENGTH**2))
