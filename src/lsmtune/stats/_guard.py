"""Non-inferiority of a guard indicator: has it become worse than is allowed?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import LogMean, check_share, finite, ratio_of

_LEAST_PAIRS = 3


class GuardVerdict(StrEnum):
    """What can be said about a guard indicator."""

    HELD = "held"
    """It is at most as much worse as allowed."""
    BROKEN = "broken"
    """It is worse than allowed."""
    INCONCLUSIVE = "inconclusive"
    """The runs decide neither."""


@dataclass(frozen=True)
class GuardResult:
    """The worsening of a guard indicator against its margin.

    Attributes:
        verdict: held, broken or inconclusive.
        worsening: geometric mean factor by which the indicator is worse (below 1: better); None below 3 pairs.
        low: lower one-sided confidence bound of the worsening, at 1 - alpha.
        high: upper one-sided confidence bound, at 1 - alpha.
        margin: allowed worsening: 1.10 allows 10 %.
        n: number of pairs.
    """

    verdict: GuardVerdict
    worsening: float | None
    low: float | None
    high: float | None
    margin: float
    n: int


def non_inferior(log_gains: Sequence[float], margin_ratio: float, alpha: float = 0.05) -> GuardResult:
    """Judge whether an indicator is at most `margin_ratio` times worse than the reference.

    The two one-sided tests of Schuirmann (1987, J. Pharmacokinet. Biopharm. 15), each against the margin and at
    `alpha`: held if the upper bound of the worsening is within the margin, broken if the lower bound is beyond
    it. "Not significantly worse" was rejected as a guard: with few noisy runs everything passes it.

    Args:
        log_gains: log of the gain of each pair, above 0 where the candidate is better.
        margin_ratio: allowed factor of worsening, at least 1: 1.10 means at most 10 % worse.
        alpha: one-sided level of each bound.

    Raises:
        StatisticsError: a value is not finite, or the margin or alpha is out of its range.
    """
    check_share(alpha, "alpha")
    if not (margin_ratio >= 1 and math.isfinite(margin_ratio)):
        raise StatisticsError(f"the margin of a guard is {margin_ratio:g}; give a finite factor >= 1, such as 1.10")
    losses = -finite(log_gains, "guard")
    if losses.size < _LEAST_PAIRS:
        return GuardResult(GuardVerdict.INCONCLUSIVE, None, None, None, margin_ratio, int(losses.size))
    summary = LogMean.of(losses)
    half = summary.half_width(alpha)
    low, high = ratio_of(summary.mean - half), ratio_of(summary.mean + half)
    if high <= margin_ratio:
        verdict = GuardVerdict.HELD
    elif low > margin_ratio:
        verdict = GuardVerdict.BROKEN
    else:
        verdict = GuardVerdict.INCONCLUSIVE
    return GuardResult(verdict, ratio_of(summary.mean), low, high, margin_ratio, summary.n)
