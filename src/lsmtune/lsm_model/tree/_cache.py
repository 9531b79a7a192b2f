"""A block cache in miniature: hit ratios of a cache of any size from a small one over a sample of the blocks.

Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015, and "Cache Modeling and Optimization using
Miniature Simulations", USENIX ATC 2017: of blocks whose hash is small enough, all references, in a cache that is
smaller by the same factor. Here the references are not recorded but follow from a law, so that those of the sample are
drawn at once: blocks come in strata, of which each holds blocks that are asked for equally often.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lsmtune.extras import need

Floats = npt.NDArray[np.float64]

_UNITS = 1000
"""Blocks that the miniature of a cache holds."""
_REFERENCES = 60_000
_LEAST_OF_STRATUM = 16
"""Blocks of a stratum in the miniature, where it has as many; the sampling rate is larger for small strata."""
_NAMED = 20_000
"""Blocks of a stratum in the miniature that are told apart; further ones, of which hardly one is asked for again while
it is cached, only push others out."""
_SURE = 12.0
"""References while everything in the cache is replaced once, at least, from which on a block never leaves it: it is
missing with a probability below exp(-12)."""
_HALVINGS = 100


@dataclass(frozen=True)
class Strata:
    """Blocks by what they have in common, all of shape (strata,).

    Attributes:
        counts: blocks.
        rates: references to each of them, for each read.
        sizes: B of the cache that each takes.
        replaced: how often each is written anew, for each read: what is cached of it is worth nothing then.
        is_data: 1 for data blocks, 0 for indexes and filters.
    """

    counts: Floats
    rates: Floats
    sizes: Floats
    replaced: Floats
    is_data: Floats

    @property
    def references(self) -> Floats:
        """References to all blocks of each stratum, for each read."""
        return self.counts * self.rates

    def where(self, kept: npt.NDArray[np.bool_]) -> "Strata":
        """Return some of the strata."""
        return Strata(self.counts[kept], self.rates[kept], self.sizes[kept], self.replaced[kept], self.is_data[kept])


def hit_shares(strata: Strata, capacity: float) -> Floats:
    """Return the share of the references to each stratum that an LRU cache of a capacity in B answers, once warm.

    Takes some ms, whatever the number of blocks. A block that was written anew is not found, and keeps its place.
    """
    found = np.zeros(len(strata.counts))
    total = float((strata.counts * strata.sizes).sum())
    if capacity <= 0 or total <= 0:
        return found
    fresh = strata.rates / np.maximum(strata.rates + strata.replaced, 1e-300)
    if total <= capacity:
        return fresh
    always = strata.rates >= 1
    inflow = float((strata.references * strata.sizes)[~always].sum())
    stays = always | (strata.rates * capacity >= _SURE * inflow)
    found[stays] = fresh[stays]
    left = capacity - float((strata.counts * strata.sizes)[stays].sum())
    moving = ~stays & (strata.references > 0)
    if left > 0 and moving.any():
        found[moving] = _simulated(strata.where(moving), left)
    return found


def kept_for(strata: Strata, capacity: float) -> float:
    """Return for how many reads a block stays in an LRU cache after its last reference, as Che's approximation has it.

    Che, Tung, and Wang, "Hierarchical Web Caching Systems: Modeling, Design and Experimental Results", IEEE JSAC 2002.
    """
    sizes = strata.counts * strata.sizes
    if float(sizes[strata.rates > 0].sum()) <= capacity:
        return np.inf
    low, high = 0.0, 1.0
    while float((sizes * -np.expm1(-strata.rates * high)).sum()) < capacity:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if float((sizes * -np.expm1(-strata.rates * middle)).sum()) < capacity:
            low = middle
        else:
            high = middle
    return high


def _simulated(strata: Strata, capacity: float) -> Floats:
    """Return the shares of references that a miniature of the cache answers, which has not to be warmed up."""
    need("the model of a tree", "numba")
    from lsmtune.lsm_model.tree._miniature import Sample, run_miniature

    references = strata.references
    mean = float((references * strata.sizes).sum() / references.sum())
    factor = max(capacity / (_UNITS * mean), 1.0)
    blocks = np.maximum(np.round(strata.counts / factor), np.minimum(np.ceil(strata.counts), _LEAST_OF_STRATUM))
    named = np.minimum(blocks, _NAMED).astype(np.int64)
    kept = kept_for(strata, capacity)
    cached = -np.expm1(-strata.rates * kept) if np.isfinite(kept) else np.ones(len(blocks))
    first = np.concatenate([[0], np.cumsum(named)])
    sizes = strata.sizes * strata.counts / blocks
    hits, asked = run_miniature(
        Sample(blocks, first, strata.rates, sizes, strata.replaced, cached, float(capacity)), _REFERENCES
    )
    # A stratum that the sample hardly asks for is told by what would be cached of it.
    fresh = strata.rates / (strata.rates + strata.replaced)
    prior = 8.0
    return np.asarray((hits + prior * cached * fresh) / (asked + prior), dtype=np.float64)
