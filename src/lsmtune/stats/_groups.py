"""Two groups of independent subjects, each with one number."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import check_share, finite


@dataclass(frozen=True)
class GroupDifference:
    """How much larger the numbers of one group are than those of another.

    Attributes:
        n: subjects of the first and of the second group.
        mean: mean of the first group minus that of the second.
        low, high: ends of the interval; infinite where a group has one subject.
        level: its confidence.
    """

    n: tuple[int, int]
    mean: float
    low: float
    high: float
    level: float

    @property
    def is_shown(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def compare_groups(first: Sequence[float], second: Sequence[float], alpha: float = 0.05) -> GroupDifference:
    """Compare the means of two groups with Welch's interval (1947, Biometrika 34), for groups of unequal spread.

    Args:
        first: a number for each subject of the first group; at least one.
        second: the same of the second group.
        alpha: 1 - confidence of the interval.

    Raises:
        StatisticsError: a group is empty, or a number is not finite.
    """
    check_share(alpha, "alpha")
    groups = finite(first, "the first group"), finite(second, "the second group")
    if not all(group.size for group in groups):
        raise StatisticsError("a group has no subjects; give at least one of each")
    sizes = int(groups[0].size), int(groups[1].size)
    mean = float(groups[0].mean() - groups[1].mean())
    if min(sizes) < 2:
        return GroupDifference(sizes, mean, -math.inf, math.inf, 1 - alpha)
    if all(np.ptp(group) == 0 for group in groups):  # of which mean and variance have rounding
        mean = float(groups[0][0] - groups[1][0])
        return GroupDifference(sizes, mean, mean, mean, 1 - alpha)
    parts = [float(group.var(ddof=1)) / group.size for group in groups]
    error = math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    half = float(scipy.special.stdtrit(freedom, 1 - alpha / 2)) * error
    return GroupDifference(sizes, mean, mean - half, mean + half, 1 - alpha)
