"""How unevenly keys are chosen, from the share of records that flushes drop because a newer one was there, too."""

import numpy as np
import scipy  # its parts load when they are used

_ITEMS = 10_000_000_000
"""Ranks that YCSB's scrambled Zipf distribution draws from, before they are hashed onto the keys."""
_ONE_BY_ONE = 1_000
_POINTS = 2_001
_UNIFORM = 0.99
"""Share of the different keys that uniform choice gives, from which on nothing speaks against it."""
_LEAST, MOST = 0.05, 0.999
"""Exponents that are looked for; YCSB takes no more than 0.9999."""


def expected_distinct(draws: float, keys: float, exponent: float) -> float:
    """Return how many different keys are expected among `draws` of `keys`, chosen as YCSB's ``zipfian`` does.

    A rank r of 10^10 is drawn with a probability in proportion to r^-exponent and hashed onto a key; 0 is uniform.
    """
    if not exponent:
        return float(-keys * np.expm1(-draws / keys))
    first = np.arange(1, _ONE_BY_ONE + 1, dtype=float)
    rest = np.geomspace(_ONE_BY_ONE + 0.5, _ITEMS, _POINTS)
    whole = np.sum(first**-exponent) + (rest[-1] ** (1 - exponent) - rest[0] ** (1 - exponent)) / (1 - exponent)
    drawn = np.sum(-np.expm1(-draws * first**-exponent / whole))
    tail = -np.expm1(-draws * rest**-exponent / whole)
    drawn += scipy.integrate.simpson(tail * rest, x=np.log(rest))
    return float(-keys * np.expm1(-drawn / keys))


def exponent_of(draws: float, distinct: float, keys: float) -> float:
    """Return the exponent at which `draws` of `keys` hold `distinct` ones; 0 where uniform ones would, too."""
    if distinct >= _UNIFORM * expected_distinct(draws, keys, 0.0):
        return 0.0
    if expected_distinct(draws, keys, MOST) >= distinct:
        return MOST
    return float(
        scipy.optimize.brentq(lambda each: expected_distinct(draws, keys, each) - distinct, _LEAST, MOST, xtol=1e-4)
    )
