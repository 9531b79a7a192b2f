"""The parameters of db_bench's mixgraph that fit how popular ranges of neighbouring keys are in a trace.

``InitiateExpDistribution`` in RocksDB's ``tools/db_bench_tool.cc`` (7.8.3, 11.8.1), after Cao et al., FAST 2020: ranges
by falling popularity x = 1, 2, ... get a e^(b x) + c e^(d x) of the queries.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsmtune.production._trace_fits import Floats
from lsmtune.production._trace_profile import KeyCounts

_RANGES = (5, 10, 15, 30)
_AS_TELLING = 0.9
"""Part of what the best number of ranges tells of where queries go, from which fewer ranges are taken."""
_LEAST_KEYS_IN_RANGE = 20
_PERMUTATIONS = 200
_HOTTEST = 1.5
"""Share of the queries that the hottest key range has, at least, by that of an equal one."""
_SHARE_OF_SPACE = 10
_PLACED_BYTES, _FINE = 256, 1e-9
_SMALLEST = 1e-16  # mixgraph takes less for nothing


@dataclass(frozen=True)
class Ranges:
    """Popularity of equal ranges of keys, by falling popularity x = 1, 2, ...: a e^(b x) + c e^(d x).

    Attributes:
        number: of ranges.
        a, b, c, d: parameters.
        shares: what the formula gives, summing to 1.
        hottest: share of the queries that the hottest range has in the trace.
    """

    number: int
    a: float
    b: float
    c: float
    d: float
    shares: tuple[float, ...]
    hottest: float


def fit_ranges(keys: KeyCounts, space: int) -> Ranges | None:
    """Fit how popular ranges of neighbouring keys are; None where chance explains how they differ.

    Chance is what popular keys do that lie anywhere: counts are permuted over the keys.

    Args:
        keys: that were counted.
        space: keys that mixgraph is going to have; it can tell ranges apart only while this is large beside the inverse
            of the smallest share.
    """
    listed, counts, weights = columns(keys)
    asked, places, random = counts * weights, _places(listed), np.random.default_rng(1)
    telling: dict[int, tuple[float, Floats]] = {}
    for number in _RANGES:
        if len(listed) < number * _LEAST_KEYS_IN_RANGE:
            continue
        place = (places * number).astype(np.int64)
        found = _shares(place, asked, number)
        chance = [_apart(_shares(place, random.permutation(asked), number)) for _ in range(_PERMUTATIONS)]
        if _apart(found) > max(chance) and found.max() >= _HOTTEST / number:
            telling[number] = _apart(found) - float(np.mean(chance)), np.sort(found)[::-1]
    most = max((gain for gain, _ in telling.values()), default=0.0)
    for number, (gain, falling) in telling.items():
        ranges = _ranges(number, falling)
        if gain >= _AS_TELLING * most and space * min(filter(None, ranges.shares)) >= _SHARE_OF_SPACE:
            return ranges
    return None


def _ranges(number: int, falling: Floats) -> Ranges:
    a, b, c, d = _two_terms(falling)
    x = np.arange(1, number + 1)
    shares = a * np.exp(b * x) + c * np.exp(d * x)
    shares = np.where(shares < _SMALLEST, 0.0, shares)
    return Ranges(number, a, b, c, d, tuple(float(each) for each in shares / shares.sum()), float(falling[0]))


def _apart(shares: Floats) -> float:
    """Return how far shares are from equal ones, as a divergence in nats."""
    there = shares[shares > 0]
    return float((there * np.log(there * len(shares))).sum())


def columns(keys: KeyCounts) -> tuple[list[bytes], Floats, Floats]:
    """Return keys, their queries, and how many keys each stands for."""
    listed = keys.listed()
    counts = np.array([each.queries for each in listed], dtype=float)
    return [each.key for each in listed], counts, np.array([each.weight for each in listed])


def _places(keys: list[bytes]) -> Floats:
    """Return where each key lies between the smallest and the largest, from 0 to below 1.

    A key is read as a number whose digits are the bytes that are seen at each place: so decimal keys and binary ones
    lie evenly. Keys that nobody asked for leave gaps, which ranks would close.
    """
    longest = min(_PLACED_BYTES, max(map(len, keys)))
    table = np.frombuffer(b"".join(key[:longest].ljust(longest, b"\0") for key in keys), dtype=np.uint8)
    place, unit = np.zeros(len(keys)), 1.0
    for column in table.reshape(len(keys), longest).T:
        digits, digit = np.unique(column, return_inverse=True)
        unit /= len(digits)
        place += digit * unit
        if unit < _FINE:
            break
    place -= place.min()
    return np.asarray(np.minimum(place / max(place.max(), unit), 1 - _FINE))


def _shares(place: NDArray[np.int64], asked: Floats, number: int) -> Floats:
    by_range = np.bincount(place, asked, minlength=number)
    shares: Floats = by_range / by_range.sum()
    return shares


def _two_terms(falling: Floats) -> tuple[float, float, float, float]:
    """Return a, b, c, d of the sum of two falling exponentials that fits shares by rank, scaled to sum to 1."""
    from scipy.optimize import least_squares

    x = np.arange(1, len(falling) + 1)

    def shares(at: Floats) -> Floats:
        first, fast, second, slow = np.exp(np.clip(at, -40, 10))
        return np.asarray(first * np.exp(-fast * x) + second * np.exp(-slow * x))

    def apart(at: Floats) -> Floats:
        return np.asarray((shares(at) - falling) / falling.mean())

    starts = [(falling[0], fast, falling[-1] + 1e-6, slow) for fast in (0.3, 1.0, 3.0) for slow in (0.01, 0.1)]
    tried = [np.asarray(least_squares(apart, np.log(start), max_nfev=400).x) for start in starts]
    best = min(tried, key=lambda at: float((apart(at) ** 2).sum()))
    first, fast, second, slow = (float(each) for each in np.exp(np.clip(best, -40, 10)))
    total = float(shares(best).sum())
    a, b, c, d = (float(f"{each:.6g}") for each in (first / total, -fast, second / total, -slow))
    return a, b, c, d
