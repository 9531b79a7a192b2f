"""Verified finalists of a front among the single runs of two indicators."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsmtune.report._front_words import standing
from lsmtune.report.html._view import ReportView
from lsmtune.result import Comparison


@dataclass(frozen=True)
class VerifiedPoint:
    """A verified finalist as a point with an interval in each direction.

    Attributes:
        name: what it is, with its standing.
        at: by indicator, its level and the ends of the interval, in the indicator's unit: the ratio to the reference
            times the level at which the reference is drawn.
    """

    name: str
    at: Mapping[str, tuple[float, float, float]]

    def to_json(self) -> dict[str, Any]:
        """Return the point as JSON values."""
        return {"name": self.name, "at": {name: list(ends) for name, ends in self.at.items()}}


def verified_points(view: ReportView) -> tuple[VerifiedPoint, ...]:
    """Return the verified finalists of a front; none where the result is no front."""
    front = view.result.front
    if front is None:
        return ()
    return tuple(
        VerifiedPoint(f"{each.arm}, {standing(front, each)}", _levels(view, each)) for each in view.result.verified
    )


def _levels(view: ReportView, comparison: Comparison) -> dict[str, tuple[float, float, float]]:
    found = {}
    for name, pairs in comparison.indicators.items():
        floor = view.result.noise.get(name)
        level = comparison.levels[name][0] if floor is None else floor.mean
        found[name] = (level * pairs.ratio, level * pairs.low, level * pairs.high)
    return found
