"""Bounds that have to hold: has an indicator become worse than is allowed, or does it pass an absolute limit?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

import numpy as np

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import LogMean, check_share, finite, ratio_of
from lsmtune.stats._noise import POCOCK_ALPHA

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


def non_inferior(log_gains: Sequence[float], margin_ratio: float, alpha: float = POCOCK_ALPHA / 2) -> GuardResult:
    """Judge whether an indicator is at most `margin_ratio` times worse than the reference.

    The two one-sided tests of Schuirmann (1987, J. Pharmacokinet. Biopharm. 15), each against the margin and at
    `alpha`: held if the upper bound of the worsening is within the margin, broken if the lower bound is beyond
    it. "Not significantly worse" was rejected as a guard: with few noisy runs everything passes it.

    Args:
        log_gains: log of the gain of each pair, above 0 where the candidate is better.
        margin_ratio: allowed factor of worsening, at least 1: 1.10 means at most 10 % worse.
        alpha: one-sided level of each bound; with the default both bounds hold together at three looks in about 95 %
            of cases.

    Raises:
        StatisticsError: a value is not finite, or the margin or alpha is out of its range.
    """
    _check(margin_ratio, alpha)
    losses = -finite(log_gains, "guard")
    if losses.size < _LEAST_PAIRS:
        return GuardResult(GuardVerdict.INCONCLUSIVE, None, None, None, margin_ratio, int(losses.size))
    summary = LogMean.of(losses)
    half = summary.half_width(alpha)
    low, high = ratio_of(summary.mean - half), ratio_of(summary.mean + half)
    verdict = _verdict(low, high, margin_ratio)
    return GuardResult(verdict, ratio_of(summary.mean), low, high, margin_ratio, summary.n)


def non_inferior_amounts(
    worse: Sequence[float], base: Sequence[float], margin_ratio: float, alpha: float = POCOCK_ALPHA / 2
) -> GuardResult:
    """Judge amounts that may be 0, such as the seconds of stalls, pair by pair; 0 has no logarithm.

    Where `base` is 0 throughout, any of it breaks the guard and none holds it. Else the mean of
    ``worse - margin_ratio * base`` is judged by its one-sided t bounds: held if all of it lies at or below 0, broken if
    all of it lies above (as Hauschke, Kieser and Hothorn 1999, Biometrika 86, test a ratio of means).

    Args:
        worse: amounts that must not be much larger than `base`: the candidate's where less is better, else the
            reference's.
        base: those of the other arm, in the same order of pairs.
        margin_ratio: allowed factor, at least 1.
        alpha: one-sided level of each bound.

    Raises:
        StatisticsError: an amount is negative or not finite, there are not as many of both, or the margin or alpha is
            out of its range.
    """
    _check(margin_ratio, alpha)
    amounts, bases = finite(worse, "guard"), finite(base, "guard")
    if amounts.size != bases.size or (amounts.size and min(amounts.min(), bases.min()) < 0):
        raise StatisticsError("the amounts of a guard come in pairs and are not negative; leave out what is not known")
    n = int(amounts.size)
    if n < _LEAST_PAIRS:
        return GuardResult(GuardVerdict.INCONCLUSIVE, None, None, None, margin_ratio, n)
    if not bases.any():
        some = bool(amounts.any())
        ratio = math.inf if some else 1.0
        return GuardResult(GuardVerdict.BROKEN if some else GuardVerdict.HELD, ratio, ratio, ratio, margin_ratio, n)
    ratio = float(amounts.sum() / bases.sum())
    beyond = LogMean.of(amounts - margin_ratio * bases)  # a mean of amounts here, not of logarithms
    half = beyond.half_width(alpha)
    spread = LogMean.of((amounts - ratio * bases) / float(bases.mean())).half_width(alpha)
    verdict = _verdict(beyond.mean - half, beyond.mean + half, 0.0)
    return GuardResult(verdict, ratio, max(0.0, ratio - spread), ratio + spread, margin_ratio, n)


@dataclass(frozen=True)
class LimitResult:
    """An indicator's mean against an absolute bound.

    Attributes:
        verdict: held, broken or inconclusive; inconclusive also where the indicator is missing.
        mean: mean of the values; None where there are none.
        low: lower one-sided confidence bound of the mean, at 1 - alpha; None below 3 values.
        high: upper one-sided confidence bound, at 1 - alpha.
        n: number of values.
    """

    verdict: GuardVerdict
    mean: float | None
    low: float | None
    high: float | None
    n: int


def within(
    values: Sequence[float], relation: Literal["<=", ">="], bound: float, alpha: float = POCOCK_ALPHA / 2
) -> LimitResult:
    """Judge whether the mean of `values` keeps to an absolute bound, by its one-sided t bounds.

    Raises:
        StatisticsError: a value is not finite, or alpha is out of its range.
    """
    check_share(alpha, "alpha")
    array = finite(values, "limit")
    if array.size < _LEAST_PAIRS:
        mean = float(np.mean(array)) if array.size else None
        return LimitResult(GuardVerdict.INCONCLUSIVE, mean, None, None, int(array.size))
    summary = LogMean.of(array)  # a mean of values here, not of logarithms
    half = summary.half_width(alpha)
    low, high = summary.mean - half, summary.mean + half
    return LimitResult(_limit_verdict(low, high, relation, bound), summary.mean, low, high, summary.n)


def widened(seen: GuardResult, log_half_width: float) -> GuardResult:
    """Judge a guard again where its worsening is known up to a further factor, which pairs do not lessen.

    Both half-widths are taken to be of independent errors, so that their squares add up.

    Args:
        seen: by the pairs alone, of positive amounts.
        log_half_width: of the further factor's interval, in logarithms.
    """
    if seen.worsening is None or not seen.low or not seen.high or not log_half_width:
        return seen
    down = math.hypot(math.log(seen.worsening / seen.low), log_half_width)
    up = math.hypot(math.log(seen.high / seen.worsening), log_half_width)
    low, high = seen.worsening * math.exp(-down), seen.worsening * math.exp(up)
    return replace(seen, low=low, high=high, verdict=_verdict(low, high, seen.margin))


def widened_limit(seen: LimitResult, relation: Literal["<=", ">="], bound: float, log_half_width: float) -> LimitResult:
    """Judge a limit again where the mean is known up to a further factor; see `widened`."""
    if seen.mean is None or seen.low is None or seen.high is None or not log_half_width:
        return seen
    low = seen.mean - math.hypot(seen.mean - seen.low, seen.mean * -math.expm1(-log_half_width))
    high = seen.mean + math.hypot(seen.high - seen.mean, seen.mean * math.expm1(log_half_width))
    return replace(seen, low=low, high=high, verdict=_limit_verdict(low, high, relation, bound))


def left_open(seen: GuardResult, log_half_width: float) -> bool:
    """Whether a further factor by itself leaves a guard open, so that no number of pairs decides it; see `widened`.

    A factor without an interval never does, nor is it known where the pairs are too few for an estimate.
    """
    if seen.worsening is None:
        return False
    low, high = seen.worsening * math.exp(-log_half_width), seen.worsening * math.exp(log_half_width)
    return _verdict(low, high, seen.margin) is GuardVerdict.INCONCLUSIVE


def limit_left_open(seen: LimitResult, relation: Literal["<=", ">="], bound: float, log_half_width: float) -> bool:
    """Whether a further factor by itself leaves a limit open; see `left_open`."""
    if seen.mean is None or seen.low is None:
        return False
    low, high = seen.mean * math.exp(-log_half_width), seen.mean * math.exp(log_half_width)
    return _limit_verdict(low, high, relation, bound) is GuardVerdict.INCONCLUSIVE


def _verdict(low: float, high: float, bound: float) -> GuardVerdict:
    """Judge what must not exceed `bound` by the ends of its interval."""
    if high <= bound:
        return GuardVerdict.HELD
    return GuardVerdict.BROKEN if low > bound else GuardVerdict.INCONCLUSIVE


def _limit_verdict(low: float, high: float, relation: Literal["<=", ">="], bound: float) -> GuardVerdict:
    return _verdict(low, high, bound) if relation == "<=" else _verdict(-high, -low, -bound)


def _check(margin_ratio: float, alpha: float) -> None:
    check_share(alpha, "alpha")
    if not (margin_ratio >= 1 and math.isfinite(margin_ratio)):
        raise StatisticsError(f"the margin of a guard is {margin_ratio:g}; give a finite factor >= 1, such as 1.10")
