"""A Gaussian process whose functions are sums over options, with a smaller part that is not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from lsmtune.errors import SamplerError
from lsmtune.samplers._prior import FLAT, Floats, Trend

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
_WEIGHT, _DOUBT = 0.5, 0.5
"""Of a trend, before any value is known: mean and standard deviation. Other workloads' effects are rarely all of it."""
_JITTER = 1e-8
_MOST_CHOOSING = 120
"""Values that choose the kernel, at most: the last ones, of more."""
_STEPS, _DAMPING, _LIGHTEST, _HEAVIEST = 4, 1.0, 0.1, 10.0
"""Towards the likeliest weights of the options: with as many options as half of the values, the end is chance."""


@dataclass(frozen=True)
class Points:
    """Where values are known or wanted.

    Attributes:
        places: on the unit cube, shape (n, options).
        columns: what is seen of them, shape (n, columns), of the size of a unit interval.
        widths: number of columns of each option in turn. What an option weighs does not depend on it.
    """

    places: Floats
    columns: Floats
    widths: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def rows(self, numbers: Sequence[int]) -> "Points":
        """Return some of the points."""
        chosen = list(numbers)
        return Points(self.places[chosen], self.columns[chosen], self.widths)

    def and_then(self, others: "Points") -> "Points":
        """Return these points and others."""
        pairs = ((self.places, others.places), (self.columns, others.columns))
        places, columns = (np.concatenate(pair) for pair in pairs)
        return Points(places, columns, self.widths)

    @property
    def options(self) -> list[Floats]:
        """The columns of each option, each of shape (n, width)."""
        return np.split(self.columns, np.cumsum(self.widths)[:-1], axis=1)


@dataclass(frozen=True)
class Kernel:
    """How alike the values of two points are expected to be.

    Attributes:
        length: of the functions of one option each.
        shares: variances of the sum over options and of the part that depends on all together.
        options: by how much the variance of the function of each option differs from their mean, shape (options,).
        trend: what was expected before any value was known.
        doubt: variance of the weight of the trend, over the variance of the values.
    """

    length: float
    shares: tuple[float, float]
    options: Floats
    trend: Trend
    doubt: float

    def between(self, left: Points, right: Points) -> Floats:
        """Return covariances, shape (m, n), over the variance of the values."""
        trends = self.trend.products(left.places, right.places)
        return self.of(_sums(left, right, self.length, self.options), _joint(left, right), trends)

    def of(self, sums: Floats, joint: Floats, trends: Floats) -> Floats:
        """Return covariances from their three parts."""
        return np.asarray(self.shares[0] * sums + self.shares[1] * joint + self.doubt * trends)

    def variances(self, points: Points) -> Floats:
        """Return the variance at each point, shape (m,), over that of the values."""
        rest = self.shares[0] * self.options.mean() + self.shares[1]
        return np.asarray(rest + self.doubt * self.trend.at(points.places) ** 2)


@dataclass(frozen=True)
class AdditiveProcess:
    """A fitted process; made by `fit_additive`.

    Duvenaud, Nickisch and Rasmussen, 2011, "Additive Gaussian processes": where a response is nearly a sum of functions
    of single options, such a process learns from a few dozen points in as many dimensions, which a kernel over all of
    them cannot.

    Attributes:
        points: n of them.
        kernel: how alike their values are.
        factor: lower Cholesky factor of the covariance of the standardised values, shape (n, n).
        weights: solution of covariance x weights = standardised values, shape (n,).
        mean, scale: of the values less what the trend lets expect of them.
        noise: standard deviation of a value around the function.
    """

    points: Points
    kernel: Kernel
    factor: Floats
    weights: Floats
    mean: float
    scale: float
    noise: float

    def predict(self, points: Points) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the function, without the noise, each of shape (m,)."""
        from scipy.linalg import solve_triangular

        likeness = self.kernel.between(points, self.points)
        explained = (solve_triangular(self.factor, likeness.T, lower=True, check_finite=False) ** 2).sum(axis=0)
        variance = np.maximum(self.kernel.variances(points) - explained, 1e-9)
        means = self.mean + _expected(self.kernel.trend, points) + self.scale * (likeness @ self.weights)
        return means, self.scale * np.sqrt(variance)

    def believing(self, points: Points) -> "AdditiveProcess":
        """Return the process that also knows values at some points, each as it expects it: its mean stays as it is."""
        means, _ = self.predict(points)
        known = self.factor @ (self.factor.T @ self.weights)
        every = self.points.and_then(points)
        believed = (means - _expected(self.kernel.trend, points) - self.mean) / self.scale
        values = np.concatenate([known, believed])
        variance = (self.noise / self.scale) ** 2 + _JITTER
        covariance = self.kernel.between(every, every) + variance * np.eye(len(every))
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
    points: Points,
    values: Floats,
    noise: float | None = None,
    bounded: Sequence[int] = (),
    *,
    relevance: bool = False,
    trend: Trend = FLAT,
) -> AdditiveProcess:
    """Fit the process whose kernel and noise, of some, make the values likeliest.

    Args:
        points: n of them.
        values: shape (n,), finite.
        noise: standard deviation of the values of one point, where it was measured; the fitted one is near it.
        bounded: numbers of the values that are bounds, which the true ones are not below; they enter at what a process
            of the others expects beyond them.
        relevance: whether options get variances of their own, as far as the values tell them apart.
        trend: what was expected of the values; how much of it is true is learnt from them.

    Raises:
        SamplerError: there is no point, or the shapes do not fit.
    """
    if len(points) == 0 or values.shape != (len(points),):
        raise SamplerError(f"{len(points)} points have values of shape {values.shape}; give one value for each point")
    measured = [number for number in range(len(points)) if number not in set(bounded)]
    if not bounded or not measured:
        return _likeliest(points, values, noise, relevance, trend)
    known = _likeliest(points.rows(measured), values[measured], noise, relevance, trend)
    filled = values.copy()
    filled[list(bounded)] = known.beyond(points.rows(bounded), values[list(bounded)])
    return _likeliest(points, filled, noise, relevance, trend)


def _likeliest(points: Points, values: Floats, noise: float | None, relevance: bool, trend: Trend) -> AdditiveProcess:
    """Choose kernel and noise by the last values, and fit to all of them."""
    values = values - _expected(trend, points)
    last = list(range(max(0, len(points) - _MOST_CHOOSING), len(points)))
    chosen = _chosen(points.rows(last), values[last], noise, trend)
    if relevance:
        chosen = _relevant(chosen, values[last])
    return chosen if len(last) == len(points) else _fitted(points, values, chosen)


def _expected(trend: Trend, points: Points) -> Floats:
    """Return what a trend lets expect of values, in their unit, before any is known, shape (m,)."""
    return _WEIGHT * trend.at(points.places)


def _fitted(points: Points, values: Floats, chosen: AdditiveProcess) -> AdditiveProcess:
    """Return a process of other points with the kernel and the noise of one that was chosen; values less the trend."""
    mean = float(values.mean())
    covariance = chosen.kernel.between(points, points)
    variance = (chosen.noise / chosen.scale) ** 2 + _JITTER
    _, factor, weights = _solved(covariance + variance * np.eye(len(points)), (values - mean) / chosen.scale)
    return replace(chosen, points=points, factor=factor, weights=weights, mean=mean)


def _chosen(points: Points, values: Floats, noise: float | None, trend: Trend) -> AdditiveProcess:
    """Return a process with the likeliest kernel and noise for values less the trend."""
    mean, scale = float(values.mean()), float(values.std()) or 1.0
    noises = _NOISES if noise is None else [(times * noise / scale) ** 2 for times in _MEASURED]
    joint, alike = _joint(points, points), np.ones(len(points.widths))
    sums = {length: _sums(points, points, length, alike) for length in _LENGTHS}
    trends, doubt = trend.products(points.places, points.places), (_DOUBT / scale) ** 2
    best: tuple[float, AdditiveProcess] | None = None
    for length, shares, variance in product(_LENGTHS, _SHARES, noises):
        kernel = Kernel(length, shares, alike, trend, doubt)
        covariance = kernel.of(sums[length], joint, trends) + (variance + _JITTER) * np.eye(len(points))
        likelihood, factor, weights = _solved(covariance, (values - mean) / scale)
        if best is None or likelihood > best[0]:
            spread = scale * float(np.sqrt(variance))
            best = (likelihood, AdditiveProcess(points, kernel, factor, weights, mean, scale, spread))
    assert best is not None
    return best[1]


def _relevant(process: AdditiveProcess, values: Floats) -> AdditiveProcess:
    """Return a process with a variance for each option, some steps nearer to where the values are likeliest.

    A step multiplies a variance by the square root of what the option's function explains over what it would by chance
    (Zhou, Hu, Qiao, Cho and Zhou, 2019, "MM algorithms for variance components models"), both damped: few values must
    not silence an option.
    """
    points, kernel = process.points, process.kernel
    standard = (values - process.mean) / process.scale
    parts = np.array(list(_parts(points, points, kernel.length)))
    joint, trends = _joint(points, points), kernel.trend.products(points.places, points.places)
    noise = ((process.noise / process.scale) ** 2 + _JITTER) * np.eye(len(points))
    options = kernel.options

    def covariance() -> Floats:
        return kernel.of(np.tensordot(options, parts, 1) / len(parts), joint, trends) + noise

    for _ in range(_STEPS):
        inverse = np.linalg.inv(covariance())
        solution = inverse @ standard
        explained = np.einsum("i,kij,j->k", solution, parts, solution)
        by_chance = np.einsum("ij,kji->k", inverse, parts)
        steps = np.sqrt((explained + _DAMPING) / (by_chance + _DAMPING))
        options = np.clip(options * steps, _LIGHTEST, _HEAVIEST)
    _, factor, weights = _solved(covariance(), standard)
    return replace(process, kernel=replace(kernel, options=options), factor=factor, weights=weights)


def _solved(covariance: Floats, values: Floats) -> tuple[float, Floats, Floats]:
    """Return the log likelihood of the values but for a constant, the Cholesky factor and the weights."""
    from scipy.linalg import cho_solve

    factor: Floats = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    weights: Floats = cho_solve((factor, True), values, check_finite=False)
    return float(-0.5 * values @ weights - np.log(np.diag(factor)).sum()), factor, weights


def _parts(left: Points, right: Points, length: float) -> Iterator[Floats]:
    """Yield the squared-exponential kernel of each option, shape (m, n)."""
    from scipy.spatial.distance import cdist

    for one, other in zip(left.options, right.options, strict=True):
        distinct, numbers = _distinct(one)
        squares = cdist(distinct, other, "sqeuclidean")
        squares *= -0.5 / length**2
        yield np.exp(squares, out=squares)[numbers]


def _distinct(rows: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return rows without most repetitions, and the number of each row among them, shape (m,).

    On most options most candidates of a search stand where others do. Rows are told apart by a sum, many times as fast
    as numpy compares them; where that takes different rows for the same, all are returned.
    """
    _, firsts, numbers = np.unique(
        rows @ np.sqrt(np.arange(2.0, 2.0 + rows.shape[1])), return_index=True, return_inverse=True
    )
    distinct = rows[firsts]
    return (distinct, numbers) if np.array_equal(distinct[numbers], rows) else (rows, np.arange(len(rows)))


def _sums(left: Points, right: Points, length: float, options: Floats) -> Floats:
    """Return the mean over the options of their kernels, each times its variance, shape (m, n)."""
    total = np.zeros((len(left), len(right)))
    for part, variance in zip(_parts(left, right, length), options, strict=True):
        total += np.multiply(part, variance, out=part)
    return np.asarray(total / len(options))


def _joint(left: Points, right: Points) -> Floats:
    """Return a squared-exponential kernel over all options together, shape (m, n)."""
    from scipy.spatial.distance import cdist

    squares = cdist(left.columns, right.columns, "sqeuclidean") / len(left.widths)
    return np.asarray(np.exp(-0.5 * squares / _JOINT_LENGTH**2))
