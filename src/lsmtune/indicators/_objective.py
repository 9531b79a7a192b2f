"""From indicators to one number against a reference, and to what must not get worse."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lsmtune.errors import UsageError
from lsmtune.indicators._registry import indicator

Indicators: TypeAlias = Mapping[str, float | None]
"""Value by indicator name, ``name`` or ``name@phase``; None where it could not be known."""

OF_ALL_WORK = frozenset({"throughput_settled_ops_s", "total_time_s"})
"""Indicators that follow from the time of all work of a run."""


def oriented_log_ratio(name: str, value: float | None, reference: float | None) -> float | None:
    """Return ln(value / reference), turned so that above 0 is better.

    Args:
        name: the indicator, as ``name`` or ``name@phase``.
        value: what was measured, in the indicator's unit.
        reference: what it is compared with, in the same unit.

    Returns:
        The log ratio; None where a value is missing, not finite or not above 0.

    Raises:
        UsageError: the indicator is unknown or a fact without a better direction.
    """
    sign = _sign(name)
    if value is None or reference is None or not (_positive(value) and _positive(reference)):
        return None
    return sign * (math.log(value) - math.log(reference))


@dataclass(frozen=True)
class Objective:
    """A weighted mean of log ratios to a reference.

    Attributes:
        weights: weight by indicator name (``name`` or ``name@phase``), above 0: the better direction is the
            indicator's own.

    Raises:
        UsageError: no weights, an unknown indicator, a fact, or a weight that is not above 0.
    """

    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        if not self.weights:
            raise UsageError("the objective has no indicators; weigh at least one, for example throughput_ops_s = 1")
        for name, weight in self.weights.items():
            _sign(name)
            if not _positive(weight):
                raise UsageError(
                    f'the objective weighs "{name}" with {weight}; weights are above 0, '
                    f"that {indicator(name).better} is better is known"
                )

    @property
    def follows_time(self) -> bool:
        """Whether the time of all work of a run, of a fixed length, tells it: one that took long has lost already."""
        return OF_ALL_WORK.issuperset(self.weights)

    def log_gain(self, indicators: Indicators, reference: Indicators) -> float | None:
        """Return the mean of ln(indicator / reference) under the weights; above 0 is better.

        exp() of it is a weighted geometric mean of improvements.

        Returns:
            The gain; None where a value on either side is missing or not above 0.
        """
        gain = 0.0
        for name, weight in self.weights.items():
            ratio = oriented_log_ratio(name, indicators.get(name), reference.get(name))
            if ratio is None:
                return None
            gain += weight * ratio
        return gain / math.fsum(self.weights.values())

    def log_level(self, indicators: Indicators) -> float | None:
        """Return the `log_gain` over 1 in each indicator's unit; differences between levels are gains."""
        return self.log_gain(indicators, dict.fromkeys(self.weights, 1.0))


@dataclass(frozen=True)
class Guard:
    """An indicator that must not get much worse than in the reference.

    Attributes:
        indicator: ``name`` or ``name@phase``.
        at_most_worse: largest ratio by which it may be worse, >= 1: 1.05 allows latency x 1.05 or throughput / 1.05.

    Raises:
        UsageError: an unknown indicator, a fact, or a ratio below 1.
    """

    indicator: str
    at_most_worse: float

    def __post_init__(self) -> None:
        _sign(self.indicator)
        if not (math.isfinite(self.at_most_worse) and self.at_most_worse >= 1.0):
            raise UsageError(
                f'the guard on "{self.indicator}" allows a ratio of {self.at_most_worse}; write 1.0 or more, '
                "for example 1.05 for 5 % worse"
            )

    def slack(self, indicators: Indicators, reference: Indicators) -> float | None:
        """Return how far, in ln, the indicator is from what the guard allows; below 0 where it is worse than that.

        Returns:
            Infinity, above or below 0, where a ratio has no bound (no stall in the reference, some now); None where a
            value is missing, not finite or negative.
        """
        value, base = indicators.get(self.indicator), reference.get(self.indicator)
        if value is None or base is None or not (_not_negative(value) and _not_negative(base)):
            return None
        better = _sign(self.indicator) * (value - base)
        ratio = oriented_log_ratio(self.indicator, value, base)
        if ratio is None:
            ratio = math.copysign(math.inf, better) if better else 0.0
        return ratio + math.log(self.at_most_worse)

    def excess(self, indicators: Indicators, reference: Indicators) -> float | None:
        """Return by how much, in ln, the indicator is worse than the guard allows: 0 where it holds, else -`slack`."""
        slack = self.slack(indicators, reference)
        return None if slack is None else max(0.0, -slack)


@dataclass(frozen=True)
class Limit:
    """An absolute bound on an indicator: ``space_amp <= 1.5``.

    Attributes:
        indicator: ``name`` or ``name@phase``; facts can be bounded too.
        relation: ``"<="`` or ``">="``.
        value: the bound, in the indicator's unit.

    Raises:
        UsageError: an unknown indicator or relation, or a bound that is not finite.
    """

    indicator: str
    relation: Literal["<=", ">="]
    value: float

    def __post_init__(self) -> None:
        indicator(self.indicator)
        if self.relation not in ("<=", ">="):
            raise UsageError(f'the limit on "{self.indicator}" has the relation "{self.relation}"; write <= or >=')
        if not math.isfinite(self.value):
            raise UsageError(f'the limit on "{self.indicator}" is {self.value}; write a finite number')

    def slack(self, indicators: Indicators) -> float | None:
        """Return how far the indicator is from the bound, as a share of it (absolute where that is 0); below 0: beyond.

        None where the value is missing or not finite.
        """
        value = indicators.get(self.indicator)
        if value is None or not math.isfinite(value):
            return None
        room = self.value - value if self.relation == "<=" else value - self.value
        return room / (abs(self.value) or 1.0)

    def excess(self, indicators: Indicators) -> float | None:
        """Return how far the indicator is beyond the bound: 0 where the limit holds, else -`slack`."""
        slack = self.slack(indicators)
        return None if slack is None else max(0.0, -slack)


def _sign(name: str) -> int:
    better = indicator(name).better
    if better is None:
        raise UsageError(f'"{name}" is a fact, neither more nor less of it is better; choose another indicator')
    return 1 if better == "higher" else -1


def _positive(number: float) -> bool:
    return math.isfinite(number) and number > 0


def _not_negative(number: float) -> bool:
    return math.isfinite(number) and number >= 0
