"""Exact one-sided bounds of the share of runs or tests in which something happens (Clopper and Pearson 1934)."""

import scipy  # its parts load when they are used

from lsmtune.stats._logs import check_share, enough


def largest_share(seen: int, n: int, level: float = 0.95) -> float:
    """Return the largest share that fits `seen` of `n`: with a larger one, so few are seen in under ``1 - level``.

    Args:
        seen: how often it happened.
        n: how often it could have.
        level: one-sided confidence level.

    Raises:
        StatisticsError: `n` is 0, or the level is out of its range.
    """
    check_share(level, "level")
    enough(n, "share", 1)
    return 1.0 if seen >= n else float(scipy.special.betaincinv(seen + 1, n - seen, level))


def smallest_share(seen: int, n: int, level: float = 0.95) -> float:
    """Return the smallest share that fits `seen` of `n`; see `largest_share`."""
    return 1.0 - largest_share(n - seen, n, level)
