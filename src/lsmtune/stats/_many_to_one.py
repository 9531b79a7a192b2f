"""Several arms against one that they share: intervals that hold together, and estimates that allow for the choice."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import check_share, enough, finite, ratio_of

_NODES = 96
_CROWDING = 8  # the probabilities at which spreads are taken are this power of the quadrature's points
_LEAST_TO_SHRINK = 4  # with fewer arms the mean of all is no better a guess than an arm's own


@dataclass(frozen=True)
class SharedComparison:
    """One arm under the arm that all share, as a ratio.

    Attributes:
        n: blocks.
        ratio: geometric mean of shared / arm, drawn towards that of the arms alike.
        low: lower end of its interval; the intervals of all arms hold together.
        high: upper end.
        level: confidence that they do.
    """

    n: int
    ratio: float
    low: float
    high: float
    level: float


def many_to_one(
    shared: Sequence[float], arms: Sequence[Sequence[float]], alpha: float = 0.05, alike: int | None = None
) -> tuple[SharedComparison, ...]:
    """Compare arms with one that they share, in blocks that hold all of them.

    The intervals are Dunnett's (1955, J. Am. Stat. Assoc. 50): arms are judged by one spread, that of what is left of
    the logarithms after the means of arms and blocks, and the bound allows for the number of arms and for their
    sharing. The estimates are those of Efron and Morris (1975, J. Am. Stat. Assoc. 70): drawn towards the mean of all
    arms by as much as noise alone would scatter them, as the arms with the largest estimates are those whose noise was
    kind; with fewer than 4 arms they stay.

    Args:
        shared: logarithms of the shared arm, block by block, larger is better; at least 2.
        arms: those of each other arm, in the same blocks.
        alpha: 1 - confidence that all intervals hold.
        alike: of how many arms, the first ones, the estimates are drawn towards each other; of all if left out. The
            others are of another kind, so that the mean of the first is no guess for them.

    Raises:
        StatisticsError: arms differ in length, there are none or fewer than 2 blocks, or a value is not finite.
    """
    check_share(alpha, "alpha")
    base = finite(shared, "the shared arm")
    enough(base.size, "blocks", 2)
    enough(len(arms), "arms", 1)
    if any(len(arm) != base.size for arm in arms):
        raise StatisticsError("arms differ in their number of blocks; give the blocks that hold all of them")
    table = np.array([base, *(finite(arm, "an arm") for arm in arms)])
    blocks, number = base.size, len(arms)
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    freedom = number * (blocks - 1)
    variance = float((rest**2).sum()) / freedom
    gains = table[0].mean() - table[1:].mean(axis=1)
    half = dunnett_bound(number, freedom, alpha) * math.sqrt(2 * variance / blocks)
    first = number if alike is None else alike
    drawn = [*_shrunken(gains[:first], variance / blocks), *gains[first:].tolist()]
    return tuple(
        SharedComparison(blocks, ratio_of(shrunken), ratio_of(gain - half), ratio_of(gain + half), 1 - alpha)
        for gain, shrunken in zip(gains.tolist(), drawn, strict=True)
    )


@lru_cache(maxsize=256)
def dunnett_bound(arms: int, freedom: int, alpha: float) -> float:
    """Return the bound that the largest of `arms` absolute t values against a shared arm passes with chance `alpha`.

    All arms have as many runs as the shared one. The chance is integrated over the shared arm's error and the estimated
    spread (Dunnett 1955, equation 3). With few degrees of freedom a small chance lies in the rare spreads that come out
    far too small, so the quadrature has its points there. Quantiles at even steps were rejected: they miss those, and
    with 2 degrees of freedom and a chance of one in a thousand their bound is a quarter too small.
    """
    widest = float(-scipy.special.stdtrit(freedom, alpha / (2 * arms)))  # Bonferroni's, exact for one arm
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    points, shares = np.polynomial.legendre.leggauss(_NODES)
    roots = (points + 1) / 2
    spreads = np.sqrt(2 * scipy.special.gammaincinv(freedom / 2, roots**_CROWDING) / freedom)
    shares = shares * roots ** (_CROWDING - 1)
    weights, shares = weights / weights.sum(), shares / shares.sum()

    def passed(bound: float) -> float:
        reach = math.sqrt(2) * bound * spreads[:, None]
        inside = scipy.special.ndtr(nodes[None, :] + reach) - scipy.special.ndtr(nodes[None, :] - reach)
        return float(1 - shares @ (inside**arms @ weights) - alpha)

    if arms == 1 or passed(widest) > 0:
        return widest
    return float(scipy.optimize.brentq(passed, 0.1, widest, xtol=1e-6))


def _shrunken(gains: "np.typing.NDArray[np.float64]", variance: float) -> list[float]:
    """Draw estimates whose own errors have `variance` towards their mean."""
    number = gains.size
    spread = float(gains.var(ddof=1)) if number > 1 else 0.0
    if number < _LEAST_TO_SHRINK or spread == 0:
        return [float(gain) for gain in gains]
    kept = max(0.0, 1 - (number - 3) / (number - 1) * variance / spread)
    return [float(gains.mean() + kept * (gain - gains.mean())) for gain in gains]
