"""Noise, paired comparison, the sequential test and drift: pure functions on arrays.

Measurements of speed and size are positive and vary by factors, so everything here works on natural logarithms
and speaks in ratios: 1.10 is 10 % more. Nothing here knows runs, indicators or studies; the caller orients a
gain so that more than 1 is better.
"""

from lsmtune.stats._designs import (
    POINT_DESIGNS,
    latin_hypercube,
    plackett_burman,
    random_design,
    sobol_design,
)
from lsmtune.stats._drift import Anchors, Scatter, fit_anchors, scatter_of
from lsmtune.stats._fractions import Part, lost_value, runs_in_part
from lsmtune.stats._groups import GroupDifference, compare_groups
from lsmtune.stats._guard import (
    GuardResult,
    GuardVerdict,
    LimitResult,
    left_open,
    limit_left_open,
    non_inferior,
    non_inferior_amounts,
    widened,
    widened_limit,
    within,
)
from lsmtune.stats._host_levels import HostLevel, host_levels
from lsmtune.stats._hosts import LEAST_HOSTS, HostGain, LikelyGain, gains_by_host, likely_gain
from lsmtune.stats._logs import geometric_mean
from lsmtune.stats._many_to_one import SharedComparison, dunnett_bound, many_to_one
from lsmtune.stats._margin import first_with_margin
from lsmtune.stats._noise import (
    POCOCK_ALPHA,
    Detectable,
    NoiseFloor,
    noise_floor,
    pairs_needed,
    pooled_floor,
    smallest_detectable_gain,
)
from lsmtune.stats._pairs import PairedComparison, compare_log_ratios, compare_pairs
from lsmtune.stats._pareto import hypervolume, non_dominated, representatives
from lsmtune.stats._rank_correlation import RankCorrelation, rank_correlation
from lsmtune.stats._rows import ArmRatio, RowComparison, compare_row, mean_row, without_trouble
from lsmtune.stats._sequential import FAMILY_LEVEL, LOOKS, Claim, ClaimResult, Decision, decide
from lsmtune.stats._shares import largest_share, smallest_share
from lsmtune.stats._spread import Spread, pooled_spread, spread_of_pairs, spread_of_runs
from lsmtune.stats._stability import Stability, stability
from lsmtune.stats._stopping import STOP_WINDOW, chance_of_more

__all__ = [
    "FAMILY_LEVEL",
    "LEAST_HOSTS",
    "LOOKS",
    "POCOCK_ALPHA",
    "POINT_DESIGNS",
    "STOP_WINDOW",
    "Anchors",
    "ArmRatio",
    "Claim",
    "ClaimResult",
    "Decision",
    "Detectable",
    "GroupDifference",
    "GuardResult",
    "GuardVerdict",
    "HostGain",
    "HostLevel",
    "LikelyGain",
    "LimitResult",
    "NoiseFloor",
    "PairedComparison",
    "Part",
    "RankCorrelation",
    "RowComparison",
    "Scatter",
    "SharedComparison",
    "Spread",
    "Stability",
    "chance_of_more",
    "compare_groups",
    "compare_log_ratios",
    "compare_pairs",
    "compare_row",
    "decide",
    "dunnett_bound",
    "first_with_margin",
    "fit_anchors",
    "gains_by_host",
    "geometric_mean",
    "host_levels",
    "hypervolume",
    "largest_share",
    "latin_hypercube",
    "left_open",
    "likely_gain",
    "limit_left_open",
    "lost_value",
    "many_to_one",
    "mean_row",
    "noise_floor",
    "non_dominated",
    "non_inferior",
    "non_inferior_amounts",
    "pairs_needed",
    "plackett_burman",
    "pooled_floor",
    "pooled_spread",
    "random_design",
    "rank_correlation",
    "representatives",
    "runs_in_part",
    "scatter_of",
    "smallest_detectable_gain",
    "smallest_share",
    "sobol_design",
    "spread_of_pairs",
    "spread_of_runs",
    "stability",
    "widened",
    "widened_limit",
    "within",
    "without_trouble",
]
