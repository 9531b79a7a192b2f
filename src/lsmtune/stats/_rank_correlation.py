"""Do two measurements put things in the same order?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError

_LEAST = 5


@dataclass(frozen=True)
class RankCorrelation:
    """How far two measurements of the same things agree in their order.

    Attributes:
        estimate: Spearman's rank correlation, -1 to 1; 0 where one of the two is constant.
        low: lower confidence bound, one-sided.
        n: number of things that were measured twice.
    """

    estimate: float
    low: float
    n: int


def rank_correlation(first: Sequence[float], second: Sequence[float], alpha: float = 0.05) -> RankCorrelation:
    """Return Spearman's rank correlation with a lower bound at confidence 1 - `alpha`.

    The bound is that of Fisher's transformation with the standard error of Bonett and Wright (2000),
    "Sample size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 65:23-28.

    Args:
        first: one number for each thing; infinities may stand for "worst".
        second: the other number for each, in the same order.
        alpha: chance that the bound lies above the truth.

    Raises:
        StatisticsError: the two differ in length, there are fewer than 5 numbers, or one is not a number.
    """
    if len(first) != len(second) or len(first) < _LEAST:
        raise StatisticsError(
            f"a rank correlation of {len(first)} with {len(second)} numbers cannot be told; give at least {_LEAST} "
            "pairs"
        )
    if any(math.isnan(number) for number in (*first, *second)):
        raise StatisticsError("a rank correlation is asked of a value that is not a number; leave its pair out")
    n = len(first)
    one, other = (scipy.stats.rankdata(numbers) - (n + 1) / 2 for numbers in (first, second))
    spread = math.sqrt(float(one @ one) * float(other @ other))
    estimate = float(one @ other) / spread if spread else 0.0
    most = 1 - 1 / n**2  # the transformation has no end: full agreement of n things counts as this much
    within = max(-most, min(most, estimate))
    error = math.sqrt((1 + within**2 / 2) / (n - 3))
    return RankCorrelation(estimate, math.tanh(math.atanh(within) - float(scipy.special.ndtri(1 - alpha)) * error), n)
