"""An LRU cache over a sample of the blocks, as numba compiles it."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model._compiled import compiled, entry

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_UNNAMED = 20_000
"""Places for blocks that are not told apart; many more than are in the cache at a time."""


class Sample(NamedTuple):
    """Blocks in the miniature, by stratum, and the cache that they go through.

    Attributes:
        blocks: how many there are, shape (strata,).
        first: number of the first one that is told apart, and of all of them, shape (strata + 1,).
        rates: references to each, for each read.
        sizes: B of the real cache that each stands for.
        replaced: how often each is written anew, for each read.
        cached: share of them in a warm cache, to begin with.
        capacity: of the real cache, in B.
    """

    blocks: Floats
    first: npt.NDArray[np.int64]
    rates: Floats
    sizes: Floats
    replaced: Floats
    cached: Floats
    capacity: float


class Lru(NamedTuple):
    """A cache: a list of blocks from the last used one on, around a head, which is the last place of each array.

    Attributes:
        after, before: the neighbours of each block.
        inside: whether it is in the cache.
        takes: B that it takes.
        last: when it was last asked for, in reads.
        used: B of all of them, shape (1,).
    """

    after: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    inside: npt.NDArray[np.bool_]
    takes: Floats
    last: Floats
    used: Floats


@compiled
def _hashed(state: int) -> float:
    """Return a number from 0 to below 1 that a counter is hashed to (splitmix64)."""
    mixed = np.uint64(state) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def _to_front(cache: Lru, block: int) -> None:
    """Put a block that is in no list behind the head of the list, where the last used ones are."""
    head = len(cache.after) - 1
    cache.after[block], cache.before[block] = cache.after[head], head
    cache.before[cache.after[head]] = block
    cache.after[head] = block


@compiled
def _take_out(cache: Lru, block: int) -> None:
    cache.after[cache.before[block]], cache.before[cache.after[block]] = cache.after[block], cache.before[block]


@compiled
def _put(cache: Lru, block: int, size: float) -> None:
    cache.inside[block], cache.takes[block] = True, size
    cache.used[0] += size


@compiled
def _drop(cache: Lru, block: int) -> None:
    _take_out(cache, block)
    cache.inside[block] = False
    cache.used[0] -= cache.takes[block]


@compiled
def _draw(sample: Sample, ages: Floats, ids: Integers, of: Integers) -> tuple[int, int]:
    """Draw the blocks of a cache that is warm, with their ages and strata; return how many, and how many are unnamed.

    Under references that are independent of one another, the times since the last one are exponential, and those in
    the cache are the most recent.
    """
    names = sample.first[-1]
    most = len(ages)
    count, ghosts, state = 0, 0, 1_000_000_007
    for stratum in range(len(sample.blocks)):
        named, cached = sample.first[stratum + 1] - sample.first[stratum], sample.cached[stratum]
        further = int((sample.blocks[stratum] - named) * cached + 0.5)
        for place in range(named + further):
            state += 1
            drawn = _hashed(state) if place < named else _hashed(state) * cached
            if drawn >= cached or (place >= named and names + ghosts >= most):
                continue
            ages[count] = -np.log1p(-drawn) / sample.rates[stratum]
            ids[count], of[count] = sample.first[stratum] + place, stratum
            if place >= named:
                ids[count] = names + ghosts
                ghosts += 1
            count += 1
    return count, ghosts


@entry
def run_miniature(sample: Sample, references: int) -> tuple[Floats, Floats]:
    """Run references to a sample of blocks through an LRU cache; return hits and references by stratum.

    Args:
        sample: of the blocks.
        references: how many are drawn.
    """
    names, strata = sample.first[-1], len(sample.blocks)
    length = names + _UNNAMED + 1
    cache = Lru(
        np.full(length, length - 1, np.int64),
        np.full(length, length - 1, np.int64),
        np.zeros(length, np.bool_),
        np.zeros(length),
        np.zeros(length),
        np.zeros(1),
    )
    ages, ids, of = np.zeros(length - 1), np.zeros(length - 1, np.int64), np.zeros(length - 1, np.int64)
    count, ghosts = _draw(sample, ages, ids, of)
    for place in np.argsort(-ages[:count]):
        _to_front(cache, ids[place])
        _put(cache, ids[place], sample.sizes[of[place]])
        cache.last[ids[place]] = -ages[place]
    chances = np.cumsum(sample.blocks * sample.rates)
    hits, asked = np.zeros(strata), np.zeros(strata)
    now, state = 0.0, 0
    for _ in range(references):
        now += 1 / chances[-1]
        state += 3
        stratum = min(np.searchsorted(chances, _hashed(state) * chances[-1], side="right"), strata - 1)
        block = sample.first[stratum] + int(_hashed(state + 1) * sample.blocks[stratum])
        if block < sample.first[stratum + 1]:
            asked[stratum] += 1
        else:
            block = names + ghosts % _UNNAMED
            ghosts += 1
            if cache.inside[block]:
                _drop(cache, block)
        if cache.inside[block]:
            _take_out(cache, block)
            stale = -np.expm1(-sample.replaced[stratum] * (now - cache.last[block]))
            hits[stratum] += _hashed(state + 2) >= stale
        else:
            _put(cache, block, sample.sizes[stratum])
        cache.last[block] = now
        _to_front(cache, block)
        while cache.used[0] > sample.capacity and cache.before[length - 1] != block:
            _drop(cache, cache.before[length - 1])
    return hits, asked
