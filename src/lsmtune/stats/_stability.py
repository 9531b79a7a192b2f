"""Whether one arm of a comparison is less stable than the other, and how rare a stall its runs leave open."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.stats._logs import finite, ratio_of
from lsmtune.stats._shares import largest_share

_STALL_FACTOR = 2.0
"""A run that is worse than the median of its arm by this factor counts as stalled."""

_UNSTABLE_RANGE = 0.30
"""Largest less smallest value over their mean above which a configuration counts as unstable (TUNA, EuroSys 2025)."""

_NOTICED_RANGE = 0.10
"""A range below which nobody minds that the reference's is smaller still."""

_LEVEL = 0.95
_LEAST_RUNS = 3


@dataclass(frozen=True)
class Stability:
    """How steady the runs of a candidate are beside those of the reference.

    Attributes:
        n: runs of each arm.
        worst: factor by which the candidate's worst run is worse than its median.
        reference_worst: the same of the reference.
        variance_ratio: variance of the candidate's log values over the reference's; infinite where only the candidate's
            vary, None where neither do.
        variance_low: lower end of its one-sided 95 % interval (F distribution).
        stalled: the candidate's runs that are worse than its median by `_STALL_FACTOR`.
        excluded: share of stalled runs that the candidate's runs exclude at 95 %: as many as were seen, or fewer, are
            seen in 5 % of cases where the share is this (Clopper and Pearson 1934).
        less_stable: the variance is shown to be larger and the range passes `_NOTICED_RANGE`, or the range passes
            `_UNSTABLE_RANGE` in the candidate alone.
    """

    n: int
    worst: float
    reference_worst: float
    variance_ratio: float | None
    variance_low: float | None
    stalled: int
    excluded: float
    less_stable: bool


def stability(log_losses: Sequence[float], reference: Sequence[float]) -> Stability | None:
    """Compare the spread of two arms; None below 3 runs of either.

    Args:
        log_losses: natural logarithm of each of the candidate's runs, larger is worse; of a stopped run its bound.
        reference: those of the reference.

    Raises:
        StatisticsError: a value is not finite.
    """
    mine, other = finite(log_losses, "stability"), finite(reference, "stability")
    if min(mine.size, other.size) < _LEAST_RUNS:
        return None
    own, theirs = float(mine.var(ddof=1)), float(other.var(ddof=1))
    ratio = own / theirs if theirs > 0 else (np.inf if own > 0 else None)
    low = None if ratio is None else ratio / float(scipy.special.fdtri(mine.size - 1, other.size - 1, _LEVEL))
    above = mine - np.median(mine)
    stalled = int((above > np.log(_STALL_FACTOR)).sum())
    reach = _relative_range(mine)
    wide = reach > _UNSTABLE_RANGE >= _relative_range(other)
    larger = low is not None and low > 1 and reach > _NOTICED_RANGE
    return Stability(
        n=int(mine.size),
        worst=ratio_of(float(above.max())),
        reference_worst=ratio_of(float((other - np.median(other)).max())),
        variance_ratio=ratio,
        variance_low=low,
        stalled=stalled,
        excluded=largest_share(stalled, int(mine.size)),
        less_stable=larger or wide,
    )


def _relative_range(log_values: "np.typing.NDArray[np.float64]") -> float:
    values = np.exp(log_values - log_values.mean())
    return float((values.max() - values.min()) / values.mean())
