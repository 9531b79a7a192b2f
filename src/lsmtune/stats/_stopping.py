"""Whether it is worth going on drawing: the chance that further draws beat the best one by something that counts."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError

STOP_WINDOW = 20
"""Of so many draws the last ones are looked at by themselves; with fewer there is no answer."""

_LEAST_KNOWN = 6
_CONFIDENCE = 0.8


def chance_of_more(
    gains: Sequence[float], noise: float, further: int, minimum_effect: float, startup: int = 0
) -> float | None:
    """Return the chance that one of `further` draws is better than the best of all so far by `minimum_effect`.

    The draws are taken as exchangeable, with an exponential upper tail of scale a. Then the best of n + m draws is
    among the last m with probability m / (n + m) (Rényi 1962), and it exceeds the best of the others by more than the
    log gain I with probability exp(-I / a), since exponential excesses have no memory (Rényi 1953):

        chance = m / (n + m) * exp(-I / a)

    Normal tails are lighter, so for them the chance comes out too large, never too small. With the scale of the tail
    come these corrections:

    - The root mean square r of the excesses above the median holds the noise of single draws, too. For h excesses its
      upper bound at 80 % is taken, r^2 h / q with q the 20 % quantile of chi-square with h degrees of freedom, and
      from this the variance of the noise. What is left, s^2, is 0 where noise alone explains the scatter.
    - Who chooses by single noisy draws gets only the share s^2 / (s^2 + noise^2) of a difference, on average, of the
      square of which the root is taken: s sqrt(s^2 / (s^2 + noise^2)).
    - r is that of all draws after the startup or of the last `STOP_WINDOW`, whichever is larger: a sampler that learns
      draws from somewhere else by and by.

    An exponential's root mean square above its median is a sqrt(2), which gives a. A rare good region of which no draw
    has told cannot be known from the draws: a share p of the space is overlooked by n draws with probability (1 - p)^n.

    Args:
        gains: log gain of each draw, in order; nan where it has none or must not be chosen.
        noise: standard deviation of one draw's log gain about its truth.
        further: m, number of draws that could still be made.
        minimum_effect: smallest gain that counts, as ratio - 1.
        startup: so many draws at the beginning say nothing about how the others are drawn.

    Returns:
        The chance; None with fewer than `STOP_WINDOW` draws after the startup, or fewer than 6 of them with a gain.

    Raises:
        StatisticsError: an argument is out of its range.
    """
    _check(noise, further, minimum_effect, startup)
    drawn = np.asarray(gains[startup:], dtype=np.float64)
    if len(drawn) < STOP_WINDOW:
        return None
    bounds = [_scatter_bound(part[np.isfinite(part)]) for part in (drawn, drawn[-STOP_WINDOW:])]
    scatter = max((bound for bound in bounds if bound is not None), default=None)
    if scatter is None or bounds[-1] is None:
        return None
    truth = scatter**2 - noise**2
    if truth <= 0:
        return 0.0
    scale = truth / math.sqrt(truth + noise**2) / math.sqrt(2)
    return further / (len(gains) + further) * math.exp(-math.log1p(minimum_effect) / scale)


def _scatter_bound(known: npt.NDArray[np.float64]) -> float | None:
    """Return the upper bound of the root mean square above the median; None where too few draws have a gain."""
    if len(known) < _LEAST_KNOWN:
        return None
    middle = np.median(known)
    above = known[known >= middle] - middle
    return math.sqrt(float(np.sum(above**2)) / float(scipy.special.chdtri(len(above), _CONFIDENCE)))


def _check(noise: float, further: int, minimum_effect: float, startup: int) -> None:
    if not 0 <= noise < math.inf:
        raise StatisticsError(f"the noise of a draw is {noise:g}; give a finite standard deviation of at least 0")
    if not 0 < minimum_effect < math.inf:
        raise StatisticsError(
            f"the minimum effect of interest is {minimum_effect:g}; give a ratio - 1 above 0, such as 0.03 for 3 %"
        )
    if min(further, startup) < 0:
        raise StatisticsError(f"{further} further draws after a startup of {startup}; give counts of at least 0")
