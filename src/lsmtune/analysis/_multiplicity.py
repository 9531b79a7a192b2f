"""P-values: far tails, adjustment for many tests, words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError

ALPHA = 0.05
"""Level of a verdict, on the p-value after Holm."""
SMALLEST_LOG10_P = -300.0
"""Smaller p-values are printed as "< 1e-300"; 1e-308 is where floats end."""

_CLOSE_TO_UNDERFLOW = 1e-290


@dataclass(frozen=True)
class PValue:
    """A p-value, bare and adjusted, as decimal logarithms, which do not underflow.

    Attributes:
        log10: of the p-value of the test alone.
        log10_holm: adjusted after Holm: for claims. The chance of even one false claim in the family is held.
        log10_bh: adjusted after Benjamini and Hochberg: for exploration. The share of false finds is held.
    """

    log10: float
    log10_holm: float
    log10_bh: float

    def __post_init__(self) -> None:
        if not self.log10 <= self.log10_bh <= self.log10_holm <= 0:
            raise StatisticsError(
                f"log10 p {self.log10:g}, {self.log10_bh:g} (BH) and {self.log10_holm:g} (Holm) do not ascend to 0"
            )

    @property
    def raw(self) -> float:
        """The bare p-value; 0.0 under the range of floats, so print with `p_words`."""
        return float(10**self.log10)

    @property
    def holm(self) -> float:
        """Adjusted after Holm."""
        return float(10**self.log10_holm)

    @property
    def bh(self) -> float:
        """Adjusted after Benjamini and Hochberg."""
        return float(10**self.log10_bh)

    @property
    def significant(self) -> bool:
        """Whether it is at most `ALPHA` after Holm."""
        return self.log10_holm <= math.log10(ALPHA)


def adjusted(log10_p: Sequence[float], untested: int = 0) -> tuple[PValue, ...]:
    """Adjust the p-values of a family of tests.

    Holm (1979), Scand. J. Stat. 6, and Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57. The same as
    `statsmodels.stats.multitest.multipletests`, which works on plain numbers and would call 1e-400 zero.

    Args:
        log10_p: decimal logarithms of the p-values.
        untested: hypotheses of the family that were given up after a look at the data; they count as p = 1.

    Returns:
        In the order of `log10_p`.

    Raises:
        StatisticsError: a logarithm is above 0 or nan.
    """
    logs = np.asarray(log10_p, dtype=np.float64)
    if not (logs <= 0).all():
        raise StatisticsError(f"log10 of a p-value is {logs[~(logs <= 0)][0]:g}; it has to be at most 0")
    order = np.argsort(logs, kind="stable")
    family, ranks = len(logs) + untested, np.arange(len(logs))
    holm, bh = np.empty(len(logs)), np.empty(len(logs))
    holm[order] = np.minimum(np.maximum.accumulate(logs[order] + np.log10(family - ranks)), 0)
    stepped = np.minimum(logs[order] + np.log10(family / (ranks + 1)), 0)
    bh[order] = np.minimum.accumulate(stepped[::-1])[::-1]
    # The two agree where both are 0 or the family is 1, up to rounding.
    return tuple(PValue(*map(float, trio)) for trio in zip(logs, np.maximum(holm, bh), bh, strict=True))


def log10_f_tail(f: float, df1: float, df2: float) -> float:
    """Return log10 of the probability that F with (df1, df2) degrees of freedom exceeds `f`, however small."""
    tail = float(scipy.special.fdtrc(df1, df2, f))
    if tail > _CLOSE_TO_UNDERFLOW:
        return min(math.log10(tail), 0.0)
    # The tail is the regularised incomplete beta function I_x(a, b); its series (NIST DLMF 8.17.8) has only
    # positive terms, and x is well below 1 where the tail underflows.
    a, b, x = df2 / 2, df1 / 2, df2 / (df2 + df1 * f)
    k = np.arange(20_000)
    series = 1 + float(np.cumprod((a + b + k) / (a + 1 + k) * x).sum())
    log = a * math.log(x) + b * math.log1p(-x) - math.log(a) - float(scipy.special.betaln(a, b)) + math.log(series)
    return log / math.log(10)


def log10_chi2_tail(statistic: float, df: float) -> float:
    """Return log10 of the probability that chi-square with df degrees of freedom exceeds `statistic`."""
    tail = float(scipy.special.chdtrc(df, statistic))
    if tail > _CLOSE_TO_UNDERFLOW:
        return min(math.log10(tail), 0.0)
    # Upper incomplete gamma function for large arguments (NIST DLMF 8.11.2).
    a, x = df / 2, statistic / 2
    series = 1 + float(np.cumprod((a - np.arange(1, 40)) / x).sum())
    log = (a - 1) * math.log(x) - x - float(scipy.special.gammaln(a)) + math.log(series)
    return log / math.log(10)


def p_words(log10_p: float | None) -> str:
    """Print a p-value from its decimal logarithm: ``0.031``, ``4.8e-31``, ``< 1e-300``, never 0; None -> ``?``."""
    if log10_p is None or math.isnan(log10_p):
        return "?"
    return "< 1e-300" if log10_p < SMALLEST_LOG10_P else f"{10**log10_p:.2g}"
