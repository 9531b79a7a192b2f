"""Indicators: one declaration per metric; objectives, guards and limits over their values."""

from lsmtune.indicators._full_size import AT_FULL_SIZE
from lsmtune.indicators._indicator import Better, Indicator
from lsmtune.indicators._objective import (
    OF_ALL_WORK,
    Guard,
    Indicators,
    Limit,
    Objective,
    oriented_log_ratio,
)
from lsmtune.indicators._registry import INDICATORS, indicator
from lsmtune.indicators._speed import MAX_RATE, MAX_RATE_LATENCY

__all__ = [
    "AT_FULL_SIZE",
    "INDICATORS",
    "MAX_RATE",
    "MAX_RATE_LATENCY",
    "OF_ALL_WORK",
    "Better",
    "Guard",
    "Indicator",
    "Indicators",
    "Limit",
    "Objective",
    "indicator",
    "oriented_log_ratio",
]
