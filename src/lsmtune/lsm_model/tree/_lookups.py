"""What reads of a tree come to: blocks that are looked into, found in the cache, and read from the device.

A lookup goes through the sorted runs, newest first, until one has the key. Rules are those of RocksDB 7.8 to 11.8:
db/version_set.cc (`Version::Get`, `FilePicker`: one file of each level whose range holds the key),
table/block_based/block_based_table_reader.cc (`Get`: filter, index, data block),
table/block_based/flush_block_policy.cc (`FlushBlockBySizePolicy::Update`: where a block ends), cache/lru_cache.cc. An
iterator looks into a block of every sorted run, whatever the filters say (table/merging_iterator.cc).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lsmtune.lsm_model.tree._cache import Strata, hit_shares
from lsmtune.lsm_model.tree._option_values import OptionValues
from lsmtune.lsm_model.tree._reads import Popularity, Reads
from lsmtune.lsm_model.tree._shape import Shape, SortedRun
from lsmtune.model import Value

Floats = npt.NDArray[np.float64]

_FALSE_POSITIVES = 0.6185
"""To the power of bits a key: the share of false positives of a Bloom filter with as many probes as suit it."""
_BLOCK_BYTES = 200
"""Of the cache for each block beside its contents, measured for docs/explanation/memory.md: 62,000 took 12 MiB more."""
_INDEX_ENTRY = 13
"""B of an index for each block beside a key."""
_PARTITION = 4096
"""metadata_block_size."""
_PAGE = 4096
_PINNED = 1e6
"""References for each read to what never leaves the cache; they count for nothing but that."""
_FULL = 0.9
"""Of a block from which on it ends before an entry that would pass its size: block_size_deviation is 10 %."""


@dataclass(frozen=True)
class ReadOutcome:
    """What a read comes to on average, once the caches are warm.

    Attributes:
        found: share of the lookups whose key is there; None where nothing is looked up.
        blocks_found, blocks_missing: data blocks of a lookup of a key that is there, and of one that never was,
            whether they are cached or not; the popularity of keys counts for the first.
        blocks_scan: the same of a scan; None where nothing is scanned.
        blocks: data blocks of a read, lookups and scans together.
        hit_share: share of those that the block cache has; None where none are looked into.
        cache_misses: blocks of a read, indexes and filters among them, that the block cache lacks.
        device_reads: blocks and values in blob files of a read that come from the device; None where the page cache is
            not known.
    """

    found: float | None
    blocks_found: float
    blocks_missing: float
    blocks_scan: float | None
    blocks: float
    hit_share: float | None
    cache_misses: float
    device_reads: float | None


def run_reads(
    options: Mapping[str, Value], shape: Shape, reads: Reads, page_cache_bytes: float | None = None
) -> ReadOutcome:
    """Return what reads of a tree come to.

    Args:
        options: values by name, in base units, at the size of the tree.
        shape: of the tree, after it was written.
        reads: what is read.
        page_cache_bytes: of the host, left for table files; None where that is not known. Direct reads pass it.
    """
    asked = _Asked(OptionValues(options), _meanwhile(shape, reads), reads)
    strata = asked.strata()
    shares = hit_shares(strata, asked.cache_bytes)
    is_data = strata.is_data == 1
    data = float(strata.references[is_data].sum())
    missed = strata.references * (1 - shares)
    lookups = 1 - reads.scans
    found = asked.found_share()
    blobs = 0.0
    if shape.blob_bytes > 0:
        blobs = lookups * found + reads.scans * reads.scan_length
    return ReadOutcome(
        found=found if lookups > 0 else None,
        blocks_found=asked.blocks_found(),
        blocks_missing=asked.blocks_missing(),
        blocks_scan=float(sum(asked.span(run) for run in asked.runs)) if reads.scans > 0 else None,
        blocks=data,
        hit_share=1 - float(missed[is_data].sum()) / data if data > 0 else None,
        cache_misses=float(missed.sum()),
        device_reads=asked.device_reads(strata, missed, blobs, page_cache_bytes),
    )


def lookup_blocks(options: Mapping[str, Value], shape: Shape, reads: Reads) -> tuple[float, float]:
    """Return the data blocks of a lookup of a key that is there, and of one that never was, as `run_reads` does."""
    asked = _Asked(OptionValues(options), _meanwhile(shape, reads), reads)
    return asked.blocks_found(), asked.blocks_missing()


def _meanwhile(shape: Shape, reads: Reads) -> Shape:
    """Return the shape that reads find: where writes go on, level 0 as it was on average while the last phase wrote."""
    if reads.writes <= 0 or not shape.is_leveled or shape.level_0 <= 0:
        return shape
    rewritten = max((run.rewritten for run in shape.runs if run.level == 0), default=0.0)
    below = [run for run in shape.runs if run.level > 0]
    count = int(np.ceil(shape.level_0))
    part = shape.level_0 / count
    size = sum(shape.flushed) * shape.entry_bytes * _stored_share(shape)
    one = SortedRun(
        0, part, tuple(each * part for each in shape.flushed), (0.0,) * len(shape.keys), size * part, rewritten
    )
    return replace(shape, runs=(*[one] * count, *below))


def _stored_share(shape: Shape) -> float:
    """Return the stored bytes of a byte of an entry, on average."""
    entries = sum(run.entries for run in shape.runs) * shape.entry_bytes
    return sum(run.stored_bytes for run in shape.runs) / entries if entries > 0 else 1.0


@dataclass(frozen=True)
class _Run:
    """A sorted run as it is read: `SortedRun` by the classes of the reads, with what lookups do to it.

    Attributes:
        level: where it is.
        covers: see `SortedRun`.
        there: entries of each class that are the newest of their keys.
        sets: of them, those that are no deletions, as a share.
        absent: keys of each class that come here and are not here, though its files' ranges hold them.
        older: keys of each class that come here and are not here.
        passes: share of the absent ones that the filter lets through.
        blocks: data blocks.
        files: that hold it.
        entries: in it.
        stored_bytes: of its files.
        replaced: of each of its blocks, for each read.
    """

    level: int
    covers: float
    there: Floats
    sets: Floats
    absent: Floats
    older: Floats
    passes: float
    blocks: float
    files: float
    entries: float
    stored_bytes: float
    replaced: float


class _Asked:
    """Reads of a tree under options."""

    def __init__(self, known: OptionValues, shape: Shape, reads: Reads) -> None:
        self._known, self._shape, self._reads = known, shape, reads
        edges = reads.edges()
        if reads.popularity is Popularity.UNIFORM and len(shape.keys) > 1:
            ranks = np.cumsum([0.0, *shape.keys]) * reads.keys / sum(shape.keys)
            edges = 1 + ranks
        self._keys = np.diff(edges)
        self._weights = reads.weights(edges)
        self._edges = edges - 1
        self._per_block = _pairs_of_block(known.number("block_size", 4096), shape.entry_bytes)
        self._block_bytes = self._per_block * shape.entry_bytes + _BLOCK_BYTES
        self._stored_share = _stored_share(shape)
        self.runs = tuple(self._runs())

    @property
    def cache_bytes(self) -> float:
        """Bytes of the block cache."""
        return 0.0 if self._known.number("no_block_cache", 0) else max(self._known.number("cache_size", 8 << 20), 0.0)

    def found_share(self) -> float:
        """Return the share of lookups whose key is there, in the memtable or a table."""
        there = np.asarray(sum((run.there * run.sets for run in self.runs), start=np.zeros(len(self._keys))))
        share = np.minimum(self._in_memtable() + there / self._keys, 1.0)
        return float((self._weights * share).sum()) * (1 - self._reads.absent)

    def blocks_found(self) -> float:
        """Return the data blocks of a lookup of a key that is there: one, and those by mistake in newer runs."""
        total, whole = 0.0, float((self._weights * self._in_memtable()).sum())
        before = np.zeros(len(self._keys))
        for run in self.runs:
            chance = self._weights * run.there * run.sets / self._keys
            total += float((chance * (1 + before)).sum())
            whole += float(chance.sum())
            before = before + run.passes * np.clip(run.absent / np.maximum(run.older, 1e-300), 0.0, 1.0)
        return total / whole if whole > 0 else float("nan")

    def blocks_missing(self) -> float:
        """Return the data blocks of a lookup of a key that never was: one of each run whose filter is mistaken."""
        return float(sum(run.passes * run.covers for run in self.runs))

    def span(self, run: _Run) -> float:
        """Return the data blocks of a run that a scan looks into."""
        entries = sum(each.entries for each in self.runs)
        return min(1 + self._reads.scan_length * run.entries / max(entries, 1.0) / self._per_block, run.blocks)

    def strata(self) -> Strata:
        """Return all blocks that may be looked into, by how often that is."""
        found = [each for run in self.runs for each in (self._data(run), *self._metadata(run))]
        empty = np.zeros(0)
        if not found:
            return Strata(empty, empty, empty, empty, empty)
        fields = ("counts", "rates", "sizes", "replaced", "is_data")
        return Strata(*(np.concatenate([getattr(each, name) for each in found]) for name in fields))

    def device_reads(
        self, strata: Strata, missed: Floats, blobs: float, page_cache_bytes: float | None
    ) -> float | None:
        """Return the blocks, and values in blob files, of a read that neither cache has.

        The page cache is taken for an LRU cache of what the block cache misses, with whole pages around each block.
        """
        if self._known.number("use_direct_reads", 0):
            return float(missed.sum()) + blobs
        if page_cache_bytes is None:
            return None
        values = sum(run.entries for run in self.runs) * self._shape.blob_bytes
        if sum(run.stored_bytes for run in self.runs) + values <= page_cache_bytes:
            return 0.0
        stored = (strata.sizes - _BLOCK_BYTES) * self._stored_share
        pages = (np.maximum(stored - 1, 0.0) / _PAGE + 1) * _PAGE
        second = Strata(
            strata.counts, missed / np.maximum(strata.counts, 1e-300), pages, strata.replaced, strata.is_data
        )
        shares = hit_shares(second, max(page_cache_bytes - values, 0.0) if values else page_cache_bytes)
        return float((missed * (1 - shares)).sum()) + blobs

    def _in_memtable(self) -> Floats:
        """Return the share of the keys of each class that lie in the memtable, which is half full on average."""
        if self._reads.writes <= 0:
            return np.zeros(len(self._keys))
        if self._reads.popularity is Popularity.LATEST:
            return np.clip(sum(self._shape.flushed) / 2 - self._edges[:-1], 0.0, self._keys) / self._keys
        return np.minimum(self._by_class(self._shape.flushed) / 2 / self._keys, 1.0)

    def _by_class(self, entries: tuple[float, ...]) -> Floats:
        """Return entries of the classes of writes as entries of the classes of reads."""
        ends = np.cumsum(self._shape.keys)
        middle = (self._edges[:-1] + self._edges[1:]) / 2 * ends[-1] / self._edges[-1]
        own = np.minimum(np.searchsorted(ends, middle), len(ends) - 1)
        return np.asarray(np.array(entries)[own] / np.array(self._shape.keys)[own] * self._keys)

    def _runs(self) -> Iterator[_Run]:
        is_latest = self._reads.popularity is Popularity.LATEST
        is_once = self._shape.is_once or is_latest
        reach = 1 - self._in_memtable()
        age = sum(self._shape.flushed) / 2 if self._reads.writes > 0 else 0.0
        present = self._shape.runs[-1] if self._shape.runs else None
        for run in self._shape.runs:
            if is_latest:
                # Keys of a newer run are younger; a run holds a stretch of ages.
                entries = np.clip(
                    np.minimum(self._edges[1:], age + run.entries) - np.maximum(self._edges[:-1], age), 0, None
                )
                deleted = np.zeros(len(self._keys))
                age += run.entries
            else:
                deleted = self._by_class(run.deletes)
                entries = self._by_class(run.sets) + deleted
            share = np.minimum(entries / self._keys, 1.0)
            arrives = reach if not is_once else np.ones(len(self._keys))
            there = share * arrives * self._keys
            rest = np.maximum(reach - share, 0.0) if is_once else reach * (1 - share)
            come = rest if run.covers >= 1 else np.minimum(rest, reach * np.maximum(run.covers - share, 0.0))
            blocks = max(run.entries / self._per_block, 1.0)
            yield _Run(
                run.level,
                run.covers,
                there,
                np.where(entries > 0, 1 - deleted / np.maximum(entries, 1e-300), 1.0),
                come * self._keys,
                rest * self._keys,
                self._passes(is_last=run is present),
                blocks,
                self._files(run),
                run.entries,
                run.stored_bytes,
                self._reads.writes * run.rewritten / max(run.stored_bytes, 1.0),
            )
            reach = rest

    def _passes(self, *, is_last: bool) -> float:
        """Return the share of absent keys that the filters of a run let through."""
        bits = self._known.number("bloom_bits", 0) or self._known.number("filter_bits", 0)  # the second is LevelDB's
        if bits <= 0 or not self._known.number("whole_key_filtering", 1):
            return 1.0
        return 1.0 if is_last and self._known.number("optimize_filters_for_hits", 0) else float(_FALSE_POSITIVES**bits)

    def _files(self, run: SortedRun) -> float:
        if run.level == 0:
            return 1.0
        growth = max(1.0, self._known.number("target_file_size_multiplier", 1)) ** max(
            run.level - self._shape.base_level - 1, 0
        )
        target = max(self._known.number("target_file_size_base", 64 << 20), 1.0) * growth
        return max(run.stored_bytes / target, 1.0)

    def _data(self, run: _Run) -> Strata:
        """Return the data blocks of a run, by the most popular key that makes them be looked into.

        Keys lie anywhere, so that how many of a class make a block be looked into is a matter of chance (Poisson).
        """
        reads, lookups = self._reads, 1 - self._reads.scans
        each = self._weights / self._keys * (1 - reads.absent)
        counts = np.concatenate([run.there, run.absent, self._keys * self.span(run)]) / run.blocks
        rates = np.concatenate([each * lookups, each * lookups * run.passes, each * reads.scans])
        beside = reads.absent * run.passes * run.covers / run.blocks
        kept = (counts > 0) & (rates > 0)
        counts, rates = counts[kept], rates[kept]
        if len(self._keys) == 1 or not len(counts):
            by_stratum = np.array([run.blocks]), np.array([float((counts * rates).sum()) + beside])
        else:
            order = np.argsort(-rates, kind="stable")
            counts, rates = counts[order], rates[order]
            none_before = np.exp(-np.concatenate([[0.0], np.cumsum(counts)]))
            some = -np.expm1(-counts)
            colder = np.concatenate([np.cumsum((counts * rates)[::-1])[::-1], [0.0]])
            own = rates * counts / some + colder[1:] + beside
            by_stratum = (
                run.blocks * np.concatenate([none_before[:-1] * some, none_before[-1:]]),
                np.concatenate([own, [beside]]),
            )
        return self._alike(*by_stratum, self._block_bytes, run, is_data=True)

    def _metadata(self, run: _Run) -> Iterator[Strata]:
        """Yield the indexes and filters of a run where they are in the block cache; those that are pinned take room.

        Parts of them are always there (table/block_based/block_based_table_reader.cc, `PrefetchIndexAndFilterBlocks`).
        """
        is_split = self._known.number("partition_index_and_filters", 0) != 0
        if not is_split and not self._known.number("cache_index_and_filter_blocks", 0):
            return
        reads = self._reads
        lookups = (1 - reads.scans) * (1 - reads.absent)
        there = float((self._weights * run.there / self._keys).sum()) * lookups
        absent = float((self._weights * run.absent / self._keys).sum()) * lookups
        absent += reads.absent * (1 - reads.scans) * run.covers
        is_filtered = self._known.number("bloom_bits", 0) > 0 and run.passes < 1
        is_pinned = run.level == 0 and self._known.number("pin_l0_filter_and_index_blocks_in_cache", 0)
        index = run.blocks * (self._shape.key_bytes + _INDEX_ENTRY)
        parts = [(index, there + absent * run.passes + reads.scans)]
        if is_filtered:
            parts.append((run.entries * self._known.number("bloom_bits", 0) / 8, there + absent))
        for size, rate in parts:
            blocks = max(size / _PARTITION, 1.0) if is_split else run.files
            often = _PINNED if is_pinned else rate / blocks
            yield self._alike(np.array([blocks]), np.array([often]), size / blocks + _BLOCK_BYTES, run, is_data=False)

    def _alike(self, counts: Floats, rates: Floats, size: float, run: _Run, *, is_data: bool) -> Strata:
        one = np.ones(len(counts))
        return Strata(counts, rates, one * size, one * run.replaced, one * float(is_data))


def _pairs_of_block(block_bytes: float, entry_bytes: float) -> float:
    """Return how many pairs a data block has: it ends where it is full, or nearly and the next would not fit."""
    fit = np.floor(block_bytes / entry_bytes)
    return float(max(fit if fit * entry_bytes > _FULL * block_bytes else fit + 1, 1.0))
