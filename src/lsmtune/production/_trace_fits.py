"""The parameters of db_bench's mixgraph that fit the sizes of values and the rate of a trace.

Formulas are those of ``MixGraph`` in RocksDB's ``tools/db_bench_tool.cc`` (7.8.3, 11.8.1), after Cao et al., FAST 2020:
values have a generalised Pareto distribution, the rate is a sin(b t + c) + d.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lsmtune.production._trace_profile import Bins, Sizes

Floats = NDArray[np.float64]

_LEAST_VALUE = 10  # mixgraph writes no smaller value
MOST_VALUE = 1 << 20
"""The largest value that mixgraph can write."""
_ROOM = 4
_QUANTILES = 512
_CYCLES, _SINE_POINTS, _EXPLAINED, _AMPLITUDE = 2.0, 128, 0.5, 0.1


@dataclass(frozen=True)
class ValueFit:
    """Sizes of values as mixgraph draws them.

    Attributes:
        theta, k, sigma: of the generalised Pareto distribution.
        most: sizes above are taken modulo this.
        mean: mean size that mixgraph then writes.
        distance: mean absolute difference of the quantiles, by the mean size of the trace.
    """

    theta: float
    k: float
    sigma: float
    most: int
    mean: float
    distance: float


@dataclass(frozen=True)
class Rate:
    """Operations in a second over time: mean + amplitude sin(frequency t + phase), in rad/s and rad."""

    mean: float
    amplitude: float = 0.0
    frequency: float = 0.0
    phase: float = 0.0


def lowest(cost: Callable[[Floats], float], starts: Iterable[Floats], rounds: int) -> tuple[Floats, float]:
    """Return where `cost` is lowest by simplexes from all starts, and how much it is there."""
    from scipy.optimize import minimize

    best, least = None, math.inf
    for start in starts:
        options = {"maxiter": rounds, "xatol": 1e-4, "fatol": 1e-9}
        found = minimize(cost, start, method="Nelder-Mead", options=options)  # type: ignore[call-overload] # its shape
        if best is None or found.fun < least:
            best, least = np.asarray(found.x), float(found.fun)
    if best is None:
        raise ValueError("no start is given")
    return best, least


def fit_values(sizes: Sizes) -> ValueFit:
    """Fit sizes of values; there has to be one."""
    found = np.array(sorted(sizes.counts))
    weights = np.array([sizes.counts[int(size)] for size in found], dtype=float)
    u = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    # mixgraph's sizes fall with u, so the quantiles of the trace are put in that order, too
    wanted = found[np.minimum(np.searchsorted(np.cumsum(weights) / weights.sum(), 1 - u), len(found) - 1)].astype(float)
    largest = int(min(MOST_VALUE, max(found[-1], _LEAST_VALUE)))
    mean, least = sizes.mean, float(found[0])
    if found[0] == found[-1]:
        only = float(min(largest, max(_LEAST_VALUE, int(least))))
        return ValueFit(only, 1.0, 0.0, largest, only, abs(only - mean) / mean)

    def cost(at: Floats, most: int) -> float:
        ordered = np.sort(_values(u, at[0] * mean, at[1], math.exp(min(at[2], 30)), most))[::-1]
        apart = np.abs(ordered - wanted).mean() / mean + np.abs(np.log((ordered + 1) / (wanted + 1))).mean()
        return float(apart + 5 * abs(ordered.mean() / mean - 1))

    spread = math.log(max(mean - least, 1.0))
    starts = [
        np.array([theta / mean, k, spread]) for k in (-1.0, -0.3, 0.05, 0.3, 0.7) for theta in sorted({least, 0.0})
    ]
    # a value above the limit starts again from 0: with room above the largest one, laws with a tail need not
    limits = sorted({largest, min(MOST_VALUE, _ROOM * largest)})
    tried = {limit: lowest(partial(cost, most=limit), starts, 600) for limit in limits}
    most = min(tried, key=lambda limit: tried[limit][1])
    at, _ = tried[most]
    theta, k, sigma = (float(f"{each:.6g}") for each in (at[0] * mean, at[1], math.exp(at[2])))
    drawn = _values(u, theta, k, sigma, most)
    distance = float(np.abs(np.sort(drawn)[::-1] - wanted).mean() / mean)
    return ValueFit(theta, k, sigma, most, float(drawn.mean()), distance)


def _values(u: Floats, theta: float, k: float, sigma: float, most: int) -> Floats:
    """Return what mixgraph writes for random numbers `u`; see ``ParetoCdfInversion``."""
    with np.errstate(over="ignore", invalid="ignore"):
        tail = -np.log(u) if k == 0 else (u**-k - 1) / k
        size = np.ceil(np.minimum(theta + sigma * tail, 1e15))
    size = np.where(size < _LEAST_VALUE, _LEAST_VALUE, size)
    return np.where(size > most, size % most, size)


def fit_rate(bins: Bins, operations: int, seconds: float) -> Rate | None:
    """Fit the rate over time; None without time.

    A sine where it goes through two cycles or more and each half of the time says it of the other: at the frequency
    that fits best, what is fitted to one half leaves less than half of what differs in the other. Else constant, so
    that a stop or a burst is not taken for a rhythm.
    """
    if seconds <= 0 or operations < 2:
        return None
    mean = (operations - 1) / seconds
    step = max(1, len(bins.counts) // _SINE_POINTS)
    whole = (len(bins.counts) - 1) // step * step  # the last bin is not full
    if whole // step < _SINE_POINTS // 4:
        return Rate(mean)
    width = step * bins.width_micros / 1e6
    rates = np.array(bins.counts[:whole], dtype=float).reshape(-1, step).sum(axis=1) / width
    times = (np.arange(len(rates)) + 0.5) * width
    candidates = 2 * math.pi / (len(rates) * width) * np.arange(_CYCLES, len(rates) / 4, 1 / 16)
    designs = [np.column_stack([np.sin(f * times), np.cos(f * times), np.ones_like(times)]) for f in candidates]
    left = [_left_over(design, rates, design, rates)[1] for design in designs]
    best = int(np.argmin(left))
    (sine, cosine, level), _ = _left_over(designs[best], rates, designs[best], rates)
    amplitude = min(float(np.hypot(sine, cosine)), float(level))
    if amplitude < _AMPLITUDE * level or not _halves_agree(designs[best], rates):
        return Rate(mean)
    return Rate(float(level), amplitude, float(candidates[best]), math.atan2(float(cosine), float(sine)))


def _halves_agree(design: Floats, rates: Floats) -> bool:
    half = len(rates) // 2
    for known, other in ((slice(None, half), slice(half, None)), (slice(half, None), slice(None, half))):
        _, left = _left_over(design[known], rates[known], design[other], rates[other])
        if left > (1 - _EXPLAINED) * float(((rates[other] - rates[other].mean()) ** 2).sum()):
            return False
    return True


def _left_over(design: Floats, rates: Floats, other: Floats, those: Floats) -> tuple[Floats, float]:
    """Return the least-squares fit of `rates`, and the sum of squares that it leaves of `those`."""
    at = np.asarray(np.linalg.lstsq(design, rates, rcond=None)[0], dtype=np.float64)
    return at, float(((those - other @ at) ** 2).sum())
