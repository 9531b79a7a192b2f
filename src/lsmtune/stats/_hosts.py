"""Gains on several hosts: what each shows by itself, whether they agree, and what to expect of others like them.

The claim on *these* hosts needs nothing of this: pairs are made within hosts, and the mean over all pairs is tested as
ever, so that what differs between hosts only widens its interval. The claim on *hosts like these* takes hosts as drawn
from many: a random effect of the host with the variance of restricted maximum likelihood (REML; Viechtbauer 2005, J.
Educ. Behav. Statist. 30) and the interval of Hartung and Knapp (2001, Statist. Med. 20), whose t has as many degrees of
freedom as there are hosts but one. With fewer than five hosts it can show next to nothing and is not computed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.stats._logs import RESOLUTION, FloatArray, finite, ratio_of

LEAST_HOSTS = 5
"""Hosts below which nothing is said of others like them."""

_BOUND = 2.0  # of a host's effect: the search for its variance ends at twice the observed spread


@dataclass(frozen=True)
class HostGain:
    """What the pairs of one host show.

    Attributes:
        n: number of pairs.
        gain: geometric mean ratio; above 1 is better.
        opposite: its mean has the other sign than the mean over all pairs, by more than one standard error.
    """

    n: int
    gain: float
    opposite: bool


@dataclass(frozen=True)
class LikelyGain:
    """The gain to be expected on another host like those that were measured.

    Attributes:
        hosts: number of hosts.
        gain: mean over hosts, as a ratio.
        low, high: its interval (Hartung and Knapp).
        level: confidence of the interval.
        sd_log: standard deviation of the logarithms of gains between hosts, noise taken off (REML).
    """

    hosts: int
    gain: float
    low: float
    high: float
    level: float
    sd_log: float

    @property
    def shown(self) -> bool:
        """Whether hosts like these gain."""
        return self.low > 1


def gains_by_host(log_gains: Mapping[str, Sequence[float]]) -> dict[str, HostGain]:
    """Return what each host shows by itself.

    Its sign is the other one where its mean passes 0 by more than one standard error, from the scatter of pairs within
    all hosts. That is Gail and Simon's question (1985, Biometrics 41) with a lower bar than a test has: the two to six
    pairs of a host would show a test next to nothing, and what is at stake is a claim, not an alarm.

    Args:
        log_gains: natural log of the gain of each pair, by host; hosts without pairs are left out.

    Raises:
        StatisticsError: a logarithm is not finite.
    """
    found = {host: finite(logs, f"host {host}") for host, logs in log_gains.items() if len(logs)}
    if not found:
        return {}
    overall = float(np.concatenate(list(found.values())).mean())
    within = _variance_within(list(found.values()))
    seen = {}
    for host, logs in found.items():
        mean = float(logs.mean())
        reach = math.inf if within is None else math.sqrt(within / logs.size)
        opposite = mean * overall < 0 and abs(mean) > max(reach, RESOLUTION)
        seen[host] = HostGain(int(logs.size), ratio_of(mean), opposite)
    return seen


def likely_gain(log_gains: Mapping[str, Sequence[float]], alpha: float = 0.05) -> LikelyGain | None:
    """Return what is to be expected of another host like these; None below `LEAST_HOSTS`, or without scatter to judge.

    The interval is never narrower than the one with a known variance of the means (the modification of Hartung and
    Knapp that Rover et al. 2015, BMC Med. Res. Methodol. 15, advise for few groups).

    Args:
        log_gains: natural log of the gain of each pair, by host; hosts without pairs are left out.
        alpha: 1 - confidence level.

    Raises:
        StatisticsError: a logarithm is not finite.
    """
    found = [finite(logs, f"host {host}") for host, logs in log_gains.items() if len(logs)]
    within = _variance_within(found)
    if len(found) < LEAST_HOSTS or within is None:
        return None
    means = np.array([logs.mean() for logs in found])
    errors = np.array([max(within, RESOLUTION**2) / logs.size for logs in found])
    between = _reml(means, errors)
    weights = 1 / (errors + between)
    mean = float((weights * means).sum() / weights.sum())
    scatter = float((weights * (means - mean) ** 2).sum()) / (means.size - 1)
    error = math.sqrt(max(1.0, scatter) / float(weights.sum()))
    half = float(scipy.special.stdtrit(means.size - 1, 1 - alpha / 2)) * error
    return LikelyGain(
        hosts=int(means.size),
        gain=ratio_of(mean),
        low=ratio_of(mean - half),
        high=ratio_of(mean + half),
        level=1 - alpha,
        sd_log=math.sqrt(between),
    )


def _variance_within(groups: Sequence[FloatArray]) -> float | None:
    """Return the variance of pairs within hosts; None where no host has two."""
    freedom = sum(group.size - 1 for group in groups)
    if not freedom:
        return None
    return float(sum(((group - group.mean()) ** 2).sum() for group in groups)) / freedom


def _reml(means: FloatArray, errors: FloatArray) -> float:
    """Return the variance between hosts that maximises the restricted likelihood.

    Args:
        means: of each host.
        errors: variance of each mean.
    """

    def loss(between: float) -> float:
        weights = 1 / (errors + between)
        mean = (weights * means).sum() / weights.sum()
        rest = (weights * (means - mean) ** 2).sum()
        return float(rest - np.log(weights).sum() + np.log(weights.sum())) / 2

    most = _BOUND**2 * float(means.var(ddof=1))
    if most <= RESOLUTION**2:
        return 0.0
    found = scipy.optimize.minimize_scalar(loss, bounds=(0.0, most), method="bounded", options={"xatol": most * 1e-6})
    best = float(found.x)
    return best if loss(best) < loss(0.0) else 0.0
