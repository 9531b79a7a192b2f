"""What the runs that were censored have in common."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.analysis._encoding import BoolArray, active, columns_of
from lsmtune.analysis._multiplicity import PValue, adjusted
from lsmtune.analysis._runs import Runs
from lsmtune.analysis._terms import Grouping, grouping
from lsmtune.errors import StatisticsError
from lsmtune.model import Purpose, Status

_Counted: TypeAlias = tuple[str, str, tuple[int, int, int, int]]


@dataclass(frozen=True)
class StoppedLevel:
    """A value, or range of values, of a factor with which more runs were stopped than with its others.

    Attributes:
        factor: its name.
        level: the value or range, in words.
        stopped, runs: of the runs with it, how many were stopped, and how many there are.
        all_stopped, all_runs: the same of all runs in which the factor has an effect.
        p: of Fisher's exact test, one-sided, adjusted over all levels of all factors.
    """

    factor: str
    level: str
    stopped: int
    runs: int
    all_stopped: int
    all_runs: int
    p: PValue

    def __post_init__(self) -> None:
        if not 0 <= self.stopped <= min(self.runs, self.all_stopped) or self.runs > self.all_runs:
            raise StatisticsError(
                f"{self.factor}: {self.stopped} of {self.runs} and {self.all_stopped} of {self.all_runs} runs do not "
                "fit together; count again"
            )


def stopped_levels(runs: Runs, most: int = 3) -> tuple[StoppedLevel, ...]:
    """Return the levels of factors that go with being censored, the surest first, one for each factor.

    Each configuration counts once, with its first run. Every level of every factor is tested against the other
    levels of the factor (Fisher 1922, J. R. Stat. Soc. 85; one-sided), and Holm adjusts over all of these tests.
    Do not read it as a cause: factors are looked at one by one.

    Args:
        runs: of a study; only runs of designs and trials that finished or were stopped count.
        most: largest number of factors.
    """
    designed = runs.of(Purpose.SAMPLE, Purpose.TRIAL, Purpose.TEST)
    ended = designed.where(designed.counting() | designed.ended(Status.CENSORED))
    part = ended.where(~ended.frame.duplicated(["purpose", "arm"]).to_numpy())
    late = part.ended(Status.CENSORED)
    columns = columns_of(part)
    acting = active(part.factors, columns)
    found = [
        level
        for factor in part.factors
        for level in _levels(factor.name, grouping(factor, columns[factor.name], acting[factor.name]), late)
    ]
    p_values = adjusted([_log10_p(counts) for _, _, counts in found])
    levels = [StoppedLevel(name, label, *counts, p) for (name, label, counts), p in zip(found, p_values, strict=True)]
    surest = sorted((level for level in levels if level.p.significant), key=lambda level: level.p.log10)
    by_factor: dict[str, StoppedLevel] = {}
    for level in surest:
        by_factor.setdefault(level.factor, level)
    return tuple(by_factor.values())[:most]


def _levels(name: str, groups: Grouping, late: BoolArray) -> list[_Counted]:
    """Count, for each level of a factor that has several: stopped, runs; and both over all levels."""
    inside = groups.index >= 0
    totals = int(np.count_nonzero(late & inside)), int(np.count_nonzero(inside))
    if len(groups.labels) < 2:
        return []
    owns = (groups.index == number for number in range(len(groups.labels)))
    counts = [(int(np.count_nonzero(late & own)), int(np.count_nonzero(own))) for own in owns]
    return [(name, label, (*count, *totals)) for label, count in zip(groups.labels, counts, strict=True)]


def _log10_p(counts: tuple[int, int, int, int]) -> float:
    stopped, runs, all_stopped, all_runs = counts
    tail = float(scipy.stats.hypergeom.logsf(stopped - 1, all_runs, all_stopped, runs))
    return min(tail / math.log(10), 0.0)
