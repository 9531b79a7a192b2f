"""From positive measurements to logarithms and back, and the t interval on logarithms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError

FloatArray = npt.NDArray[np.float64]

RESOLUTION = 1e-12
"""Logarithms closer than this are equal: what is left is rounding of `log`, not a measurement."""


def logs_of(values: Sequence[float], name: str, least: int) -> FloatArray:
    """Return the natural logarithms of `values`, at least `least` of them.

    Raises:
        StatisticsError: there are too few values, or one is not positive and finite.
    """
    array = np.asarray(values, dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if bad.size:
        raise StatisticsError(
            f"{name}: value {bad[0] + 1} of {array.size} is {array[bad[0]]:g}, which has no logarithm; "
            "leave failed runs out"
        )
    enough(array.size, name, least)
    return np.log(array)


def finite(log_values: Sequence[float], name: str) -> FloatArray:
    """Return `log_values` as an array.

    Raises:
        StatisticsError: a value is infinite or not a number.
    """
    array = np.asarray(log_values, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise StatisticsError(
            f"{name}: logarithm {bad[0] + 1} of {array.size} is {array[bad[0]]:g}; leave failed runs out"
        )
    return array


def enough(n: int, name: str, least: int) -> None:
    """Check that there are at least `least` values.

    Raises:
        StatisticsError: there are fewer.
    """
    if n < least:
        raise StatisticsError(f"{name}: {n} usable value(s), but at least {least} are needed; make more runs")


def check_share(value: float, name: str) -> None:
    """Check that a probability lies strictly between 0 and 1.

    Raises:
        StatisticsError: it does not.
    """
    if not 0 < value < 1:
        raise StatisticsError(f"{name} is {value:g}; give a number between 0 and 1, both excluded")


def ratio_of(log_ratio: float) -> float:
    """Return ``exp(log_ratio)``, infinite where that exceeds the largest float."""
    try:
        return math.exp(log_ratio)
    except OverflowError:
        return math.inf


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive `values`, in their unit.

    Raises:
        StatisticsError: there are no values, or one is not positive and finite.
    """
    return ratio_of(float(logs_of(values, "geometric mean", 1).mean()))


@dataclass(frozen=True)
class LogMean:
    """The mean of n logarithms with its t statistics; `sd` is exactly 0 when all are equal, where no least one is."""

    n: int
    mean: float
    sd: float

    @classmethod
    def of(cls, log_values: FloatArray, least_sd: float = 0.0) -> "LogMean":
        """Summarise at least 2 logarithms that scatter by `least_sd` at least, whether or not it is seen."""
        sd = float(log_values.std(ddof=1))
        mean = float(log_values.mean())
        return cls(
            n=int(log_values.size),
            mean=mean if abs(mean) > RESOLUTION else 0.0,
            sd=max(least_sd, sd if sd > RESOLUTION else 0.0),
        )

    @property
    def standard_error(self) -> float:
        """Standard error of the mean."""
        return self.sd / math.sqrt(self.n)

    def half_width(self, tail: float) -> float:
        """Return the distance from the mean to the bound that leaves `tail` of Student's t outside."""
        return float(-scipy.special.stdtrit(self.n - 1, tail)) * self.standard_error

    def p_two_sided(self) -> float:
        """Return the p value of "the true mean is 0"; without spread it is 0 or 1."""
        if self.sd == 0:
            return 1.0 if self.mean == 0 else 0.0
        return 2 * float(scipy.special.stdtr(self.n - 1, -abs(self.mean) / self.standard_error))
