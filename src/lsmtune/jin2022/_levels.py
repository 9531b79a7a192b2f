"""Levels beside the paper's Table 2: what was measured of the default and of the best, by each definition there is.

The paper does not say which bytes it counts as "written to storage", nor whether it reads before or after the debt of a
load is paid. So each of its four indicators stands here by every reading that lsmtune has of it, and the one that comes
nearest to the published default is named.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from lsmtune.analysis import Runs
from lsmtune.jin2022._paper import JIN2022_PAPER, RATE, SA, TIME, WAF
from lsmtune.model import Purpose
from lsmtune.stats import compare_log_ratios, geometric_mean

READINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        TIME: ("load_time_s", "total_time_s"),
        RATE: ("throughput_bytes_s",),
        SA: ("space_load_end_bytes", "live_bytes", "space_bytes"),
        WAF: ("waf_load_end", "waf", "waf_wal", "waf_table"),
    }
)
"""By the paper's indicator, in the order of its Table 2, the indicators that can stand for it; all in its unit."""


@dataclass(frozen=True)
class Level:
    """The geometric mean of some runs.

    Attributes:
        n: number of runs.
        mean: in the unit of the indicator.
        low, high: ends of its 95 % interval, by Student's t on logarithms; None for a single run.
    """

    n: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Reading:
    """An indicator that can stand for one of the paper's.

    Attributes:
        paper: the paper's indicator: TIME, RATE, SA or WAF.
        name: of the indicator here.
        arms: by arm, its level; arms that have none are absent.
    """

    paper: str
    name: str
    arms: Mapping[str, Level]


def levels_jin2022(runs: Runs) -> tuple[Reading, ...]:
    """Return the levels of every reading of the paper's indicators: of each arm of the comparison in its fresh runs.

    Before there is a comparison, the reference alone, in its anchors.
    """
    fresh = runs.of(Purpose.VERIFY)
    rows = fresh if len(fresh) else runs.of(Purpose.ANCHOR)
    known = set(rows.indicators)
    return tuple(
        Reading(paper, name, _by_arm(rows, name))
        for paper, names in READINGS.items()
        for name in names
        if name in known
    )


def nearest_reading(readings: tuple[Reading, ...], paper: str, arm: str) -> tuple[str, float] | None:
    """Return the reading that is nearest to the level that the paper publishes of its default, and their ratio.

    Args:
        readings: of all indicators.
        paper: the paper's indicator.
        arm: whose level is held against the paper's default.
    """
    published = JIN2022_PAPER.levels[paper][0]
    ratios = {
        each.name: each.arms[arm].mean / published for each in readings if each.paper == paper and arm in each.arms
    }
    if not ratios:
        return None
    name = min(ratios, key=lambda reading: abs(math.log(ratios[reading])))
    return name, ratios[name]


def _by_arm(rows: Runs, name: str) -> dict[str, Level]:
    values, counting = rows.indicator(name), rows.counting(name)
    arms = rows.frame["arm"].astype(str).to_numpy()
    found = {arm: values[counting & (arms == arm) & np.isfinite(values) & (values > 0)] for arm in dict.fromkeys(arms)}
    return {arm: _level(measured.tolist()) for arm, measured in found.items() if measured.size}


def _level(values: list[float]) -> Level:
    if len(values) == 1:
        return Level(1, geometric_mean(values), None, None)
    spread = compare_log_ratios([math.log(value) for value in values])
    return Level(spread.n, spread.ratio, spread.low, spread.high)
