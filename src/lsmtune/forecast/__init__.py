"""What holds at a size at which nothing was measured: the model of a tree with what a calibration measured."""

from lsmtune.forecast._calibration import Calibration, kept, kept_at
from lsmtune.forecast._prediction import (
    Prediction,
    Quantity,
    Readers,
    at_size,
    predicted,
    predicted_without_rates,
    with_memory,
)

__all__ = [
    "Calibration",
    "Prediction",
    "Quantity",
    "Readers",
    "at_size",
    "kept",
    "kept_at",
    "predicted",
    "predicted_without_rates",
    "with_memory",
]
