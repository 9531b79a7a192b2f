"""The parameters of db_bench's mixgraph that fit how queries of a trace spread over keys.

``MixGraph`` in RocksDB's ``tools/db_bench_tool.cc`` (7.8.3, 11.8.1), after Cao et al., FAST 2020: the share of queries
of the s most popular keys is a s^b.
"""

import math
from dataclasses import dataclass

import numpy as np

from lsmtune.production._trace_fits import Floats, lowest
from lsmtune.production._trace_profile import KeyCounts
from lsmtune.production._trace_ranges import Ranges, columns

_AS_GOOD = 0.02
"""Largest difference between shares at which keys count as equally popular."""
_SIMULATED, _STEPS, _MOST_RANKS = 200_000, 5, 50
_MOST_UNSEEN = 20.0
"""Keys that are asked for, at most, by those that were seen."""
_DISTINCT = 0.02
"""Weight of the number of keys beside the shares: draws of mixgraph repeat, so few keys are no proof of skew."""


@dataclass(frozen=True)
class Popularity:
    """How queries spread over keys: the s most popular of `keys` keys have the share (s / keys)^exponent.

    Attributes:
        exponent: 1.0 is uniform, smaller is more skewed.
        keys: that are asked for at all, those that the trace happens not to have included.
        distance: the largest difference between the shares of queries by how often their key occurs.
    """

    exponent: float
    keys: float
    distance: float

    @property
    def is_uniform(self) -> bool:
        """Whether the keys are as good as equally popular."""
        return self.exponent == 1


def fit_popularity(keys: KeyCounts, shares: tuple[float, ...] = (1.0,)) -> Popularity:
    """Fit how queries spread over keys.

    What is compared is the share of queries that go to keys with 1, 2, 3, 4 to 5, ... queries each, which the model
    gives by a Poisson law for each key: ranks of keys by their counts alone would make chance look like skew. Where
    equal popularity explains them as well, it is taken.

    Args:
        keys: that were counted.
        shares: of the queries by key range; within each range keys have the same law.
    """
    _, counts, weights = columns(keys)
    found = _Recurrence.of(counts, weights, shares)
    uniform = found.fit(uniform=True)
    return uniform if uniform.distance <= _AS_GOOD else found.fit()


def mixgraph_law(popularity: Popularity, operations: int, space: int, ranges: Ranges | None) -> tuple[float, float]:
    """Return a and b for which mixgraph's draws recur as the trace's.

    mixgraph hashes ranks into the space of keys, where they collide, and draws from no more numbers than there are
    keys: so its draws are simulated, fitted as the trace was, and the parameters moved until both fits agree.

    Args:
        popularity: what was fitted.
        operations: of a run.
        space: keys of a run.
        ranges: in which keys have the law; None where they have it together.
    """
    shares = (1.0,) if ranges is None else ranges.shares
    wanted = np.array([popularity.exponent, math.log(popularity.keys)])
    number = min(operations, _SIMULATED)
    at, best = wanted, (math.inf, wanted)
    for _ in range(_STEPS):
        drawn = _simulated(float(at[0]), math.exp(at[1]) / len(shares), number, space, shares)
        fit = _Recurrence.of(drawn, np.ones(len(drawn)), shares).fit()
        apart = wanted - np.array([fit.exponent, math.log(fit.keys)])
        best = min(best, (abs(apart[0]) / popularity.exponent + abs(apart[1]) / 4, at), key=lambda each: each[0])
        at = np.array([min(max(at[0] + apart[0], 0.01), 1.0), min(at[1] + apart[1], math.log(_MOST_RANKS * space))])
    exponent, own = float(best[1][0]), max(1.0, math.exp(best[1][1]) / len(shares))
    return own**-exponent, exponent


def _simulated(exponent: float, own: float, number: int, space: int, shares: tuple[float, ...]) -> Floats:
    """Return the counts of the keys that mixgraph draws; see ``MixGraph`` and ``DistGetKeyID``."""
    size = max(1, space // len(shares))
    first = np.random.default_rng(2).integers(0, space, number)
    drawn = (first % size) / size
    rank = np.ceil((drawn * max(1.0, own) ** exponent) ** (1 / exponent)).astype(np.uint64)
    mixed = (rank + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)  # any hash does
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    least = min(each for each in shares if each > 0)
    parts = np.floor(np.array(shares) * (math.floor(1 / least) + 1))
    place = np.searchsorted(np.cumsum(parts), first % int(parts.sum()), side="right")
    key = place * size + ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(size)).astype(np.int64)
    return np.unique(key, return_counts=True)[1].astype(float)


@dataclass(frozen=True)
class _Recurrence:
    """How queries are shared by the number of queries of their key.

    Attributes:
        lows: least number of queries of each class of keys.
        found: share of the queries that each class has.
        queries, seen: queries, and keys that have one.
        shares: of the queries by key range.
    """

    lows: Floats
    found: Floats
    queries: float
    seen: float
    shares: Floats

    @classmethod
    def of(cls, counts: Floats, weights: Floats, shares: tuple[float, ...]) -> "_Recurrence":
        queries, lows = float(counts @ weights), _classes(counts.max())
        place = np.searchsorted(lows, counts, side="right") - 1
        found = np.bincount(place, weights * counts, minlength=len(lows)) / queries
        return cls(lows, found, queries, float(weights.sum()), np.array(shares))

    def fit(self, *, uniform: bool = False) -> Popularity:
        """Return the law that comes closest."""
        exponents = (1.0,) if uniform else (0.02, 0.1, 0.25, 0.5, 0.75, 0.99)
        grid = [np.array([b, more]) for b in exponents for more in (0.01, 0.5, 1.5)]

        def cost(at: Floats) -> float:
            exponent, more = 1.0 if uniform else float(at[0]), float(at[1])
            if not 0.005 <= exponent <= 1 or not 0 <= more <= math.log(_MOST_UNSEEN):
                return 10.0 + abs(exponent) + abs(more)
            return self._apart(exponent, self.seen * math.exp(more))

        best, _ = lowest(cost, [min(grid, key=cost)], 400)
        exponent, keys = 1.0 if uniform else float(best[0]), self.seen * math.exp(float(best[1]))
        expected, _ = _expected(exponent, keys, self.queries, self.lows, self.shares)
        return Popularity(exponent, keys, float(np.abs(np.cumsum(expected) - np.cumsum(self.found)).max()))

    def _apart(self, exponent: float, keys: float) -> float:
        expected, distinct = _expected(exponent, max(keys, 1.0), self.queries, self.lows, self.shares)
        apart = np.cumsum(expected) - np.cumsum(self.found)
        return float((apart**2).mean() + _DISTINCT * math.log(max(distinct, 1e-9) / self.seen) ** 2)


def _classes(most: float) -> Floats:
    """Return the least count of each class of counts: 1, 2, 3, 4, 6, 8, 12, ..."""
    lows = [1.0, 2.0, 3.0]
    while lows[-1] <= most:
        lows.append(max(lows[-1] + 1, math.floor(lows[-1] * 1.42)))
    return np.array(lows)


def _expected(exponent: float, keys: float, queries: float, lows: Floats, shares: Floats) -> tuple[Floats, float]:
    """Return the share of queries by class of their key's count, and how many keys have a query."""
    from scipy.special import gammaincc

    own = max(1.0, keys / len(shares))
    edges = np.unique(np.floor(np.concatenate([np.arange(min(own, 64.0) + 1), np.geomspace(1, own, 160)])))
    edges[-1] = own
    number = np.diff(edges)
    mass = np.diff((edges / own) ** exponent)
    mean = (queries * np.outer(shares, mass / number)).ravel()
    keys_of = np.outer(np.ones_like(shares), number).ravel()
    # Pr(count - 1 < low - 1) of a Poisson law: each query's key has that many others beside it
    below = np.array([np.zeros_like(mean) if low <= 1 else gammaincc(low - 1, mean) for low in lows])
    inside = np.vstack([np.diff(below, axis=0), 1 - below[-1]])
    by_class = inside @ (keys_of * mean) / queries
    return by_class, float(keys_of @ -np.expm1(-mean))
