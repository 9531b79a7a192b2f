"""The noise floor of repeated runs, and what a paired test could see above it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import LogMean, check_share, logs_of, ratio_of
from lsmtune.stats._spread import Spread, sd_interval

POCOCK_ALPHA = 0.0221
"""Two-sided level of each of the three looks at a claim."""


@dataclass(frozen=True)
class NoiseFloor:
    """How much repeated runs of one configuration differ.

    Attributes:
        n: number of runs.
        sd_log: standard deviation of the natural logarithms (for small values, the coefficient of variation).
        sd_low: lower end of its 95 % interval.
        sd_high: upper end.
        mean: geometric mean, in the unit of the values.
        groups: hosts whose runs were pooled, each around a level of its own; 1 for runs of one host.
    """

    n: int
    sd_log: float
    sd_low: float
    sd_high: float
    mean: float
    groups: int = 1

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the variance."""
        return self.n - self.groups

    @property
    def of_pairs(self) -> Spread:
        """Spread of pairs of such runs: that of a log ratio of two independent ones is ``sqrt(2) * sd_log``."""
        return Spread(math.sqrt(2) * self.sd_log, self.freedom)


@dataclass(frozen=True)
class Detectable:
    """The smallest true gain, as ratio - 1, that a number of pairs would show; see `smallest_detectable_gain`.

    Attributes:
        gain: at the estimated spread of pairs.
        low, high: at the ends of its 95 % interval.
    """

    gain: float
    low: float
    high: float

    @classmethod
    def of(cls, spread: Spread, pairs: int, alpha: float = POCOCK_ALPHA) -> "Detectable":
        """Compute it for a number of pairs, at the level of one claim."""
        gain, low, high = (smallest_detectable_gain(sd, pairs, alpha) for sd in (spread.sd, spread.low, spread.high))
        return cls(gain, low, high)


def noise_floor(values: Sequence[float]) -> NoiseFloor:
    """Measure the noise in repeated, positive `values` of one configuration.

    The interval is the chi-square interval of a standard deviation, exact for normal logarithms. It is wide
    for few runs (5 runs: 0.6 to 2.9 times the estimate), which is why it is always reported.

    Raises:
        StatisticsError: fewer than 2 values, or one is not positive and finite.
    """
    summary = LogMean.of(logs_of(values, "noise floor", 2))
    low, high = sd_interval(summary.sd, summary.n - 1)
    return NoiseFloor(summary.n, summary.sd, low, high, ratio_of(summary.mean))


def pooled_floor(floors: Sequence[NoiseFloor]) -> NoiseFloor:
    """Pool the noise of several hosts, each around its own level, by degrees of freedom; one stays as it is.

    Raises:
        StatisticsError: there are none.
    """
    if not floors:
        raise StatisticsError("there is no noise floor to pool; measure one first")
    if len(floors) == 1:
        return floors[0]
    runs, freedom = sum(each.n for each in floors), sum(each.freedom for each in floors)
    sd = math.sqrt(sum(each.freedom * each.sd_log**2 for each in floors) / freedom)
    mean = ratio_of(sum(each.n * math.log(each.mean) for each in floors) / runs)
    return NoiseFloor(runs, sd, *sd_interval(sd, freedom), mean, runs - freedom)


def smallest_detectable_gain(sd_log_ratio: float, pairs: int, alpha: float = POCOCK_ALPHA, power: float = 0.8) -> float:
    """Return the smallest true gain, as ratio - 1, that `pairs` pairs would show with probability `power`.

    The test is the two-sided paired t test on log ratios at `alpha`; the default is the level of one look of
    the sequential rule. The non-central t distribution is solved for its shift, so the price of an estimated
    standard deviation is included.

    Args:
        sd_log_ratio: standard deviation of the log ratio of a pair (see `Spread`).
        pairs: number of pairs, at least 2.
        alpha: two-sided level of the test.
        power: wanted probability; more than ``alpha / 2``.

    Raises:
        StatisticsError: an argument is out of its range.
    """
    _check_test(sd_log_ratio, alpha, power)
    if pairs < 2:
        raise StatisticsError(f"a paired test needs at least 2 pairs, not {pairs}")
    log_gain = _detectable_shift(pairs, alpha, power) * sd_log_ratio / math.sqrt(pairs)
    return ratio_of(log_gain) - 1


def pairs_needed(sd_log_ratio: float, gain: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the number of pairs with which a paired t test shows a true gain with probability `power`.

    Args:
        sd_log_ratio: standard deviation of the log ratio of a pair.
        gain: the true gain as ratio - 1: 0.05 is 5 %.
        alpha: two-sided level of the test.
        power: wanted probability; more than ``alpha / 2``.

    Raises:
        StatisticsError: an argument is out of its range.
    """
    _check_test(sd_log_ratio, alpha, power)
    if not (gain > 0 and math.isfinite(gain)):
        raise StatisticsError(f"gain is {gain:g}; give a finite ratio - 1 above 0, such as 0.05 for 5 %")
    if sd_log_ratio == 0:
        return 2
    effect = math.log1p(gain) / sd_log_ratio
    # With a known sd fewer pairs would do, so the search may start there; it ends within a few steps.
    known_sd = ((float(scipy.special.ndtri(1 - alpha / 2)) + float(scipy.special.ndtri(power))) / effect) ** 2
    pairs = max(2, math.ceil(known_sd))
    while _power(pairs, effect * math.sqrt(pairs), alpha) < power:
        pairs += 1
    return pairs


def _check_test(sd_log_ratio: float, alpha: float, power: float) -> None:
    check_share(alpha, "alpha")
    check_share(power, "power")
    if power <= alpha / 2:
        raise StatisticsError(f"power {power:g} is reached without any gain at alpha {alpha:g}; ask for more power")
    if not (sd_log_ratio >= 0 and math.isfinite(sd_log_ratio)):
        raise StatisticsError(f"the standard deviation of the log ratio is {sd_log_ratio:g}; give a finite one >= 0")


def _power(pairs: int, shift: float, alpha: float) -> float:
    """Probability that t exceeds its two-sided critical value on the side of the true gain."""
    critical = float(-scipy.special.stdtrit(pairs - 1, alpha / 2))
    missed = float(scipy.special.nctdtr(pairs - 1, shift, critical))
    if math.isnan(missed):  # of two pairs at an alpha of 1e-6 and below; scipy.stats takes long to load
        return float(scipy.stats.nct.sf(critical, pairs - 1, shift))
    return 1 - missed


@lru_cache(maxsize=512)
def _detectable_shift(pairs: int, alpha: float, power: float) -> float:
    """Non-centrality at which the test has `power`; it depends on no data, so each case is solved once."""
    high = 4.0
    while _power(pairs, high, alpha) < power:
        high *= 2
    return float(scipy.optimize.brentq(lambda shift: _power(pairs, shift, alpha) - power, 0.0, high, xtol=1e-9))
