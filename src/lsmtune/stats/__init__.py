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
from lsmtune.stats._guard import GuardResult, GuardVerdict, non_inferior
from lsmtune.stats._logs import geometric_mean
from lsmtune.stats._noise import NoiseFloor, noise_floor, pairs_needed, smallest_detectable_gain
from lsmtune.stats._pairs import PairedComparison, compare_log_ratios, compare_pairs
from lsmtune.stats._pareto import hypervolume, non_dominated, representatives
from lsmtune.stats._rank_correlation import RankCorrelation, rank_correlation
from lsmtune.stats._room import first_with_room
from lsmtune.stats._sequential import LOOKS, POCOCK_ALPHA, Claim, ClaimResult, Decision, decide
from lsmtune.stats._stopping import STOP_WINDOW, chance_of_more

__all__ = [
    "LOOKS",
    "POCOCK_ALPHA",
    "POINT_DESIGNS",
    "STOP_WINDOW",
    "Anchors",
    "Claim",
    "ClaimResult",
    "Decision",
    "GuardResult",
    "GuardVerdict",
    "NoiseFloor",
    "PairedComparison",
    "RankCorrelation",
    "Scatter",
    "chance_of_more",
    "compare_log_ratios",
    "compare_pairs",
    "decide",
    "first_with_room",
    "fit_anchors",
    "geometric_mean",
    "hypervolume",
    "latin_hypercube",
    "noise_floor",
    "non_dominated",
    "non_inferior",
    "pairs_needed",
    "plackett_burman",
    "random_design",
    "rank_correlation",
    "representatives",
    "scatter_of",
    "smallest_detectable_gain",
    "sobol_design",
]
