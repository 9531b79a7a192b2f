"""Which values of a factor are best, as far as its effect curve can tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from lsmtune.analysis._effects import EffectCurve
from lsmtune.analysis._encoding import BoolArray
from lsmtune.errors import StatisticsError
from lsmtune.model import Value
from lsmtune.space import Factor


class Trend(StrEnum):
    """How an indicator follows a factor."""

    LARGER = "larger"
    """Larger values are better, up to `Direction.values`, beyond which no difference shows."""
    SMALLER = "smaller"
    """Smaller values are better, down to `Direction.values`."""
    BETWEEN = "between"
    """Best from the first to the second of `Direction.values`, worse on both sides."""
    VALUES = "values"
    """`Direction.values` are the best ones: categories, or special values of a number."""
    AVOID = "avoid"
    """`Direction.values` are worse than all others, which do not differ."""
    UNCLEAR = "unclear"
    """The intervals of the best and the worst value overlap."""


@dataclass(frozen=True)
class Direction:
    """What an effect curve says of the best values.

    Attributes:
        trend: the kind of statement.
        values: of the factor; see `Trend`.
        at_end: the statement holds to the end of the range that was run, so the best may lie beyond.
    """

    trend: Trend
    values: tuple[Value, ...] = ()
    at_end: bool = False

    def __post_init__(self) -> None:
        if (self.trend is Trend.UNCLEAR) == bool(self.values):
            raise StatisticsError(f'a direction "{self.trend}" with the values {list(self.values)} says nothing')


def direction(curve: EffectCurve, factor: Factor, *, higher_is_better: bool) -> Direction:
    """Return which values of a factor are best.

    Two values are told apart where the intervals of their ratios do not overlap, which is stricter than a test of
    their difference. The intervals are those of `effect_curve`; with 5 folds they are wide, so little is claimed.

    Args:
        curve: of the factor.
        factor: whose values they are.
        higher_is_better: of the indicator.
    """
    sign = 1.0 if higher_is_better else -1.0
    gain = sign * np.log(curve.ratio)
    low, high = np.sort([sign * np.log(curve.low), sign * np.log(curve.high)], axis=0)
    best, worst = int(np.argmax(gain)), int(np.argmin(gain))
    good = high >= low[best]
    if good[worst]:
        return Direction(Trend.UNCLEAR)
    if factor.is_category or curve.special[best]:
        return _of_categories(curve.values, good)
    regular = [place for place, special in enumerate(curve.special) if not special]
    if good[regular].all():
        return _of_categories(curve.values, good)
    return _of_range([curve.values[place] for place in regular], good[regular], regular.index(best))


def _of_categories(values: Sequence[Value], good: BoolArray) -> Direction:
    best, others = (tuple(np.array(values, dtype=object)[part].tolist()) for part in (good, ~good))
    return Direction(Trend.AVOID, others) if len(others) < len(best) else Direction(Trend.VALUES, best)


def _of_range(values: Sequence[Value], good: BoolArray, best: int) -> Direction:
    """Look at the values around the best one that are not shown to differ from it."""
    first = last = best
    while first > 0 and good[first - 1]:
        first -= 1
    while last < len(values) - 1 and good[last + 1]:
        last += 1
    if last == len(values) - 1:
        return Direction(Trend.LARGER, (values[first],), at_end=first == last)
    if first == 0:
        return Direction(Trend.SMALLER, (values[last],), at_end=first == last)
    return Direction(Trend.BETWEEN, (values[first], values[last]))
