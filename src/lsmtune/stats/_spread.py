"""How much pairs of runs scatter: estimated from runs, from pairs or from both, with degrees of freedom."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import RESOLUTION, FloatArray, enough, finite

_LEVEL = 0.95
_SHARED = 0.25  # correlation of the variances of two arms whose pairs share the reference's runs: 0.5 squared


@dataclass(frozen=True)
class Spread:
    """The standard deviation of the log ratio of a pair of runs.

    Attributes:
        sd: its estimate.
        freedom: degrees of freedom of its variance.
    """

    sd: float
    freedom: float

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""
        return sd_interval(self.sd, self.freedom)[0]

    @property
    def high(self) -> float:
        """Upper end."""
        return sd_interval(self.sd, self.freedom)[1]


def sd_interval(sd: float, freedom: float) -> tuple[float, float]:
    """Return the 95 % interval of a standard deviation, exact for normal values (chi-square)."""
    tail = (1 - _LEVEL) / 2
    low, high = (sd * math.sqrt(freedom / float(scipy.special.chdtri(freedom, at))) for at in (tail, 1 - tail))
    return low, high


def neighbour_variance(logs: FloatArray) -> float:
    """Return half the mean squared difference of neighbours: the variance without slow drift (von Neumann 1941)."""
    return float(np.mean(np.diff(logs) ** 2)) / 2


def neighbour_freedom(n: int) -> float:
    """Return the degrees of freedom of `neighbour_variance` of n values, ``2 (n - 1)^2 / (3n - 4)``.

    As many as a chi-square variable of that variance has (Satterthwaite 1946, Biometrics Bull. 2), which is
    ``4 sigma^4 (3n - 4) / (n - 1)^2`` for the mean squared difference (von Neumann 1941, Ann. Math. Statist. 12).
    """
    return 2 * (n - 1) ** 2 / (3 * n - 4)


def spread_of_runs(logs: Sequence[float]) -> Spread:
    """Estimate the spread of pairs from runs of one configuration, in the order in which they were made.

    The two runs of a pair are made side by side, so only what tells neighbours apart counts: a standard deviation of
    all runs would take a drift over the study for a spread of pairs.

    Raises:
        StatisticsError: fewer than 2 runs, or a value not finite.
    """
    array = finite(logs, "runs")
    enough(array.size, "runs", 2)
    return Spread(_root(2 * neighbour_variance(array)), neighbour_freedom(array.size))


def spread_of_pairs(arms: Sequence[Sequence[float]]) -> Spread | None:
    """Estimate it from the log ratios of pairs, around the mean of each arm; None where no arm has two pairs.

    Arms share the reference's runs, so that they tell less than as many pairs of their own: where all runs scatter
    alike, two log ratios of a block correlate by 0.5 and their squares by 0.25.

    Raises:
        StatisticsError: a value is not finite.
    """
    arrays = [array for arm in arms if (array := finite(arm, "log ratios")).size > 1]
    if not arrays:
        return None
    freedom = sum(array.size - 1 for array in arrays)
    squares = sum(float(((array - array.mean()) ** 2).sum()) for array in arrays)
    return Spread(_root(squares / freedom), freedom / (1 + _SHARED * (len(arrays) - 1)))


def pooled_spread(spreads: Sequence[Spread]) -> Spread:
    """Pool estimates that share no runs, or few, by their degrees of freedom.

    Raises:
        StatisticsError: there are none.
    """
    if not spreads:
        raise StatisticsError("there is no spread to pool; estimate one first")
    freedom = sum(each.freedom for each in spreads)
    return Spread(math.sqrt(sum(each.freedom * each.sd**2 for each in spreads) / freedom), freedom)


def _root(variance: float) -> float:
    """Return the standard deviation; rounding alone is none."""
    return math.sqrt(variance) if variance > RESOLUTION**2 else 0.0
