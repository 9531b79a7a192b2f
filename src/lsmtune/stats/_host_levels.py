"""Hosts against each other by equal runs: whose level differs from the others', and whose runs scatter more."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

from lsmtune.errors import StatisticsError
from lsmtune.stats._logs import RESOLUTION, FloatArray, logs_of, ratio_of

_LEVEL = 0.95
_LEAST_SCATTER, _LEAST_RATIO = 0.02, 1.5
"""Below, a host is not called noisier: it is of no concern how significant that is."""


@dataclass(frozen=True)
class HostLevel:
    """What equal runs on one host show beside those on the others.

    Attributes:
        n: number of runs.
        ratio: geometric mean over the mean of the other hosts that do not differ.
        low, high: its 95 % interval (Welch).
        differs: shown to differ from them.
        sd_log: standard deviation of the logarithms of its runs.
        noisier: shown to scatter more than the others, by a factor that matters.
    """

    n: int
    ratio: float
    low: float
    high: float
    differs: bool
    sd_log: float
    noisier: bool


def host_levels(values: Mapping[str, Sequence[float]], alpha: float = 0.05) -> dict[str, HostLevel]:
    """Compare each host with all others, by the values of equal runs.

    The level of a host is compared with the mean of the means of the others, each mean with the variance of its own
    host and Satterthwaite's degrees of freedom, as hosts scatter unequally. The host that differs most is taken out and
    the rest are compared without it, until none differs: else one slow host would make all others look fast. Of two
    that differ nobody knows which is odd. The scatter is compared with the pooled one of the others by F.

    Args:
        values: positive, by host.
        alpha: chance to call any of equal hosts different, and any of them noisier (Bonferroni and Holm 1979).

    Raises:
        StatisticsError: there are fewer than two hosts, or one has fewer than two values or one that is not positive.
    """
    if len(values) < 2:
        raise StatisticsError(f"{len(values)} hosts cannot be compared with each other; start two workers or more")
    logs = {host: logs_of(each, f"host {host}", 2) for host, each in values.items()}
    alike = _alike(logs, alpha)
    noisier = _holm({host: _scatter_p(host, logs) for host in logs}, alpha)
    levels = {}
    for host, own in logs.items():
        shift, half, _ = _shift(own, [logs[name] for name in alike or logs if name != host])
        ends = (ratio_of(shift), ratio_of(shift - half), ratio_of(shift + half))
        sd = float(own.std(ddof=1))
        levels[host] = HostLevel(int(own.size), *ends, host not in alike, sd, host in noisier and sd > _LEAST_SCATTER)
    return levels


def _alike(logs: Mapping[str, FloatArray], alpha: float) -> list[str]:
    """Return the hosts whose levels are not shown to differ from each other's; none where there are two that do."""
    left = list(logs)
    while len(left) > 1:
        ps = {host: _shift(logs[host], [logs[name] for name in left if name != host])[2] for host in left}
        odd = min(left, key=lambda host: ps[host])
        if ps[odd] > alpha / len(left):
            return left
        left.remove(odd)
    return []


def _shift(own: FloatArray, others: Sequence[FloatArray]) -> tuple[float, float, float]:
    """Return the difference of a host from the mean of the others, half its 95 % interval, and its p."""
    parts = [(own, 1.0), *((each, 1 / len(others)) for each in others)]
    variances = [weight**2 * max(float(each.var(ddof=1)), RESOLUTION**2) / each.size for each, weight in parts]
    total = sum(variances)
    freedom = total**2 / sum(one**2 / (each.size - 1) for one, (each, _) in zip(variances, parts, strict=True))
    difference = float(own.mean()) - float(np.mean([each.mean() for each in others]))
    error = math.sqrt(total)
    half = float(scipy.special.stdtrit(freedom, 1 - (1 - _LEVEL) / 2)) * error
    p = 1.0 if abs(difference) <= RESOLUTION else 2 * float(scipy.special.stdtr(freedom, -abs(difference) / error))
    return difference, half, p


def _scatter_p(host: str, logs: Mapping[str, FloatArray]) -> float:
    """Return the probability that a host scatters so much more than the others, pooled, by chance."""
    others = [each for name, each in logs.items() if name != host]
    freedom = sum(each.size - 1 for each in others)
    pooled = sum(float(((each - each.mean()) ** 2).sum()) for each in others) / freedom
    own = logs[host]
    ratio = float(own.var(ddof=1)) / max(pooled, RESOLUTION**2)
    if ratio < _LEAST_RATIO**2:
        return 1.0
    return float(scipy.special.fdtrc(own.size - 1, freedom, ratio))


def _holm(ps: Mapping[str, float], alpha: float) -> set[str]:
    """Return which of some tests are significant together, step by step from the smallest p."""
    found: set[str] = set()
    for place, host in enumerate(sorted(ps, key=lambda name: ps[name])):
        if ps[host] > alpha / (len(ps) - place):
            break
        found.add(host)
    return found
