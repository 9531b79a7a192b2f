"""Comparison of paired measurements as a ratio with an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import RESOLUTION, LogMean, check_share, enough, finite, logs_of, ratio_of

_MOST_EXACT = 50
"""Pairs of which SciPy counts the outcomes; more have an approximate p."""


@dataclass(frozen=True)
class PairedComparison:
    """Candidate over reference, pair by pair.

    Attributes:
        n: number of pairs.
        ratio: geometric mean of candidate / reference.
        low: lower end of its interval.
        high: upper end.
        level: confidence level of the interval, for example 0.95.
        p: two-sided p value of the paired t test on log ratios.
        wilcoxon_p: two-sided p value of the signed-rank test; None when every pair is equal.
        sd_log: standard deviation of the log ratios, of coarse values at least that of their rounding.
    """

    n: int
    ratio: float
    low: float
    high: float
    level: float
    p: float
    wilcoxon_p: float | None
    sd_log: float


def compare_pairs(
    candidate: Sequence[float], reference: Sequence[float], alpha: float = 0.05, step: float = 0.0
) -> PairedComparison:
    """Compare two sequences of positive values, where the i-th of each form a pair.

    The paired t test on log ratios gives ratio, interval and p; Wilcoxon's signed-rank test stands beside it as
    a check that assumes symmetry only. A median of ratios was rejected: 6 pairs give it no usable interval.

    Two or three small counts may well be equal, and do not show that there is no scatter. So the scatter is taken to be
    at least what steps hide, 1 / sqrt(12) of one in each value (JCGM 100:2008, "Guide to the expression of uncertainty
    in measurement", F.2.2.1). No p for pairs without scatter was rejected: what is the same in each run by its nature
    has none, such as the space of a tool that makes the same data.

    Args:
        candidate: values of the candidate.
        reference: values of the reference, in the same unit and of the same length.
        alpha: 1 - confidence level of the interval.
        step: what values are told in, in their unit: 1 of counts; 0 where they are as fine as floats.

    Raises:
        StatisticsError: lengths differ, fewer than 2 pairs, a value not positive and finite, or a bad alpha.
    """
    if len(candidate) != len(reference):
        raise StatisticsError(
            f"{len(candidate)} candidate values against {len(reference)} reference values are not pairs; "
            "leave out both runs of a pair that is not complete"
        )
    log_ratios = logs_of(candidate, "candidate", 2) - logs_of(reference, "reference", 2)
    hidden = [((step / new) ** 2 + (step / old) ** 2) / 12 for new, old in zip(candidate, reference, strict=True)]
    return compare_log_ratios(log_ratios.tolist(), alpha, math.sqrt(fmean(hidden)))


def compare_log_ratios(log_ratios: Sequence[float], alpha: float = 0.05, least_sd: float = 0.0) -> PairedComparison:
    """Compare pairs that are already natural logarithms of candidate / reference; see `compare_pairs`.

    If all log ratios are equal and `least_sd` is 0 there is no spread to judge by: the interval is one point and p is 1
    where the ratio is exactly 1, else 0.

    Args:
        log_ratios: of the pairs.
        alpha: 1 - confidence level of the interval.
        least_sd: standard deviation that they have at least, whether or not it is seen.

    Raises:
        StatisticsError: fewer than 2 pairs, a value not finite, or a bad alpha.
    """
    check_share(alpha, "alpha")
    array = finite(log_ratios, "log ratios")
    enough(array.size, "log ratios", 2)
    summary = LogMean.of(array, least_sd)
    half = summary.half_width(alpha / 2)
    return PairedComparison(
        n=summary.n,
        ratio=ratio_of(summary.mean),
        low=ratio_of(summary.mean - half),
        high=ratio_of(summary.mean + half),
        level=1 - alpha,
        p=summary.p_two_sided(),
        wilcoxon_p=_wilcoxon_p(tuple(array.tolist())),
        sd_log=summary.sd,
    )


@lru_cache(maxsize=1024)  # every look asks again
def _wilcoxon_p(log_ratios: tuple[float, ...]) -> float | None:
    unequal = np.array([each for each in log_ratios if abs(each) > RESOLUTION])
    if not unequal.size:
        return None
    order = np.argsort(np.abs(unequal))
    sizes = np.abs(unequal)[order]
    if unequal.size > _MOST_EXACT or np.any(sizes[1:] == sizes[:-1]):
        return float(scipy.stats.wilcoxon(unequal).pvalue)
    rank_sum = int(np.sum(np.flatnonzero(unequal[order] > 0) + 1))
    return _exact_wilcoxon_p(unequal.size, rank_sum)


def _exact_wilcoxon_p(n: int, rank_sum: int) -> float:
    """Return the two-sided p of n pairs without ties, exact: twice the share of signs with a sum as far out or farther.

    As `scipy.stats.wilcoxon` does it, but without its package, which takes long to load.
    """
    subsets = _subsets_of_ranks(n)
    farther = int(subsets[: min(rank_sum, subsets.size - 1 - rank_sum) + 1].sum())
    return min(1.0, math.ldexp(farther, 1 - n))


@lru_cache(maxsize=_MOST_EXACT)
def _subsets_of_ranks(n: int) -> npt.NDArray[np.int64]:
    """Return how many subsets of the ranks 1 to n have each sum from 0 to n (n + 1) / 2."""
    subsets = np.ones(1, dtype=np.int64)
    for rank in range(1, n + 1):
        subsets = np.pad(subsets, (0, rank)) + np.pad(subsets, (rank, 0))  # without the rank, and with it
    return subsets
