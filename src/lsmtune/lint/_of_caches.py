"""Rules about the block cache, asked before a study starts and of its runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from lsmtune.lint._rule import Finding, Rule
from lsmtune.units import format_bytes

_LEAST_BLOCKS = 256

_REASON = (
    f"Fewer than {_LEAST_BLOCKS} blocks. An iterator holds a block of each sorted run: of up to 20 files of level 0, "
    "where RocksDB begins to slow writes down by default, and of each of six levels. That is a tenth of as many; in a "
    "smaller cache a scan throws out what other reads are about to look for. No cache at all is a choice, and is not "
    "reported."
)

TINY_CACHE = Rule(
    code="tiny-cache",
    looks_at="Blocks of block_size that fit the block cache, at full size, where the workload reads.",
    threshold=_REASON,
    why="Nearly every read goes to the page cache or the disk and decompresses its block anew, so that options which "
    "spare such reads gain what they would not gain beside a cache as programs have it: block_size, compression, "
    "filters, the number of levels.",
    next='State the cache that your program has: cache_size = "512MiB" under [engine.options] or [space.fixed].',
)

SHRUNK_CACHE = Rule(
    code="shrunk-cache",
    looks_at="Blocks of block_size that fit the block cache at the scale of the runs, where the workload reads and the "
    "cache is no tiny one at full size. A scale shrinks the cache with the data and leaves blocks as they are.",
    threshold=_REASON,
    why="At full size blocks compete for thousands of places, here for a few dozen: the share of reads that the cache "
    "serves is another one, although the cache is as large a part of the data as before.",
    next="Take a larger scale, or the cache that your program has where that is larger.",
)


@dataclass(frozen=True)
class CacheBlocks:
    """A block cache and the blocks that it holds.

    Attributes:
        cache_bytes: of the cache as runs have it; 0 or less where there is none or its size is not known.
        full_bytes: the same at full size.
        block_bytes: of a block before compression; the scale leaves it as it is.
    """

    cache_bytes: int
    full_bytes: int
    block_bytes: int

    def facts(self) -> dict[str, str]:
        """Return what is not among the facts of `DataRead` as facts of a measurement."""
        return {"full_cache_bytes": str(self.full_bytes), "block_bytes": str(self.block_bytes)}

    @classmethod
    def of(cls, facts: Mapping[str, str], cache_bytes: int) -> "CacheBlocks | None":
        """Return what `facts` wrote; None for a run that was made before it was kept."""
        if "block_bytes" not in facts:
            return None
        return cls(cache_bytes, int(facts["full_cache_bytes"]), int(facts["block_bytes"]))


def few_blocks(cache: CacheBlocks) -> Finding | None:
    """Judge whether a block cache is one, at full size and at the scale of the runs."""
    block = cache.block_bytes
    if cache.cache_bytes <= 0 or block <= 0 or cache.cache_bytes // block >= _LEAST_BLOCKS:
        return None
    number, of = cache.cache_bytes // block, f"blocks of {format_bytes(block)}"
    if cache.full_bytes // block < _LEAST_BLOCKS:
        return TINY_CACHE.says(
            f"the block cache of {format_bytes(cache.full_bytes)} holds {cache.full_bytes // block} {of}, fewer than "
            f"{_LEAST_BLOCKS}; state the cache that your program has"
        )
    return SHRUNK_CACHE.says(
        f"the scale makes {format_bytes(cache.cache_bytes)} of the block cache of {format_bytes(cache.full_bytes)}: "
        f"{number} {of}, fewer than {_LEAST_BLOCKS}; take a larger scale or the cache that your program has"
    )
