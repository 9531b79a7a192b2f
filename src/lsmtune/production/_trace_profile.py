"""What a trace of queries asks of an engine, counted in one pass and in memory that does not grow with the trace."""

import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lsmtune.backends.rocksdb import Query, QueryKind, QueryTrace
from lsmtune.errors import UsageError

MOST_KEYS = 262_144
"""Keys whose queries are counted one by one; with more, a sample of them."""
_MOST_KEY_BYTES = 64 << 20
_ROUND = 16_384
"""Queries after which keys are forgotten that have fewer than one of so many."""
_MOST_BINS = 4096
_FIRST_BIN_MICROS = 1000
_SAMPLE_BYTES = 2 << 20
_BLOCK = 4096
_EXACT = 4096
"""Sizes up to this are counted as they are, larger ones by their first 12 bits, so to 0.05 %."""
_READS = frozenset({QueryKind.GET, QueryKind.MULTI_GET})
_SEEKS = frozenset({QueryKind.SEEK, QueryKind.SEEK_FOR_PREV})
_VALUES = frozenset({QueryKind.PUT, QueryKind.MERGE})


@dataclass
class Sizes:
    """Sizes in bytes, with how often each occurs; `total` and `number` are exact."""

    counts: Counter[int] = field(default_factory=Counter)
    number: int = 0
    total: int = 0

    def add(self, size: int) -> None:
        """Count one."""
        self.number += 1
        self.total += size
        shift = 0 if size < _EXACT else size.bit_length() - 12
        self.counts[size >> shift << shift] += 1

    @property
    def mean(self) -> float:
        """Mean size; there has to be one."""
        return self.total / self.number


class Counted(NamedTuple):
    """A key with its queries.

    Attributes:
        key: the key.
        queries: for it.
        weight: how many keys it stands for.
    """

    key: bytes
    queries: float
    weight: float


class KeyCounts:
    """How often each key is asked for or written.

    Keys beyond `most` are counted as a sample: those whose checksum lies below a limit, which is halved whenever they
    are too many (spatial sampling, Waldspurger et al., FAST 2015). A sample can miss the few keys that have the most
    queries, so these are counted beside it, with an error of at most a sixteenth of the count from which a key is one
    of them (lossy counting, Manku and Motwani, VLDB 2002).

    Attributes:
        counts: queries by key, of the keys in the sample.
        share: of the keys that are in the sample; 1.0 while all are.
        reads, unwritten_reads: reads of keys in the sample, and those that came before any write of theirs.
    """

    def __init__(self, most: int = MOST_KEYS) -> None:
        self._most = most
        self._limit = 1 << 32
        self._bytes = 0
        self._queries = 0
        self._often: dict[bytes, int] = {}
        self._round = 0
        self._written: set[bytes] = set()
        self.counts: dict[bytes, int] = {}
        self.reads = 0
        self.unwritten_reads = 0

    def add(self, key: bytes, kind: QueryKind) -> None:
        """Count one query."""
        self._queries += 1
        if self._limit < 1 << 32:
            self._count_often(key)
            if zlib.crc32(key) >= self._limit:
                return
        count = self.counts.get(key, 0)
        self.counts[key] = count + 1
        if kind in _VALUES:
            self._written.add(key)
        elif kind in _READS:
            self.reads += 1
            self.unwritten_reads += key not in self._written
        if not count:
            self._bytes += len(key)
            if len(self.counts) > self._most or self._bytes > _MOST_KEY_BYTES:
                self._halve()

    @property
    def share(self) -> float:
        return self._limit / (1 << 32)

    @property
    def number(self) -> int:
        """Keys that there are, those included that are not in the sample."""
        return round(sum(each.weight for each in self.listed()))

    def listed(self) -> list[Counted]:
        """Return the keys; those of many queries stand for themselves, the rest of a sample for others, too."""
        if self._limit == 1 << 32:
            return [Counted(key, count, 1.0) for key, count in self.counts.items()]
        hot = 16 * self._queries / _ROUND
        often = [Counted(key, count, 1.0) for key, count in self._often.items() if count >= hot]
        known = {each.key for each in often}
        rest = [
            Counted(key, count, 1 / self.share)
            for key, count in self.counts.items()
            if key not in known and count < hot + self._round
        ]
        return often + rest

    def _count_often(self, key: bytes) -> None:
        self._often[key] = self._often.get(key, self._round) + 1
        if self._queries // _ROUND > self._round:
            self._round += 1
            self._often = {each: count for each, count in self._often.items() if count > self._round}

    def _halve(self) -> None:
        if self._limit == 1 << 32:
            self._often = dict(self.counts)
            self._round = self._queries // _ROUND
        self._limit //= 2
        self.counts = {key: count for key, count in self.counts.items() if zlib.crc32(key) < self._limit}
        self._written &= self.counts.keys()
        self._bytes = sum(map(len, self.counts))


class Bins:
    """Operations over time, in at most 4096 bins that grow with the time."""

    def __init__(self) -> None:
        self.width_micros = _FIRST_BIN_MICROS
        self.counts: list[int] = []
        self._first: int | None = None

    def add(self, micros: int) -> None:
        """Count one; what is stamped before the first one counts with it."""
        if self._first is None:
            self._first = micros
        place = max(0, micros - self._first) // self.width_micros
        while place >= _MOST_BINS:
            self.counts = [sum(self.counts[each : each + 2]) for each in range(0, len(self.counts), 2)]
            self.width_micros *= 2
            place //= 2
        self.counts.extend([0] * (place + 1 - len(self.counts)))
        self.counts[place] += 1


class _Values:
    """A sample of values over the whole trace, at most 2 MiB: blocks of what was written one after the other."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._block = bytearray()
        self._stride = 1
        self._seen = 0

    def add(self, value: bytes) -> None:
        self._block += value[:_BLOCK]
        if len(self._block) < _BLOCK:
            return
        if self._seen % self._stride == 0:
            self._blocks.append(bytes(self._block[:_BLOCK]))
        self._seen += 1
        self._block.clear()
        if len(self._blocks) * _BLOCK > _SAMPLE_BYTES:
            self._blocks = self._blocks[::2]
            self._stride *= 2

    def ratio(self) -> float | None:
        """Share that stays of blocks of 4 KiB; None without values.

        Deflate with its fixed code, in which a byte that is not repeated costs a byte: so repeats alone save, as in
        Snappy and LZ4.
        """
        blocks = self._blocks or [bytes(self._block)]
        stored = 0
        for block in blocks:
            packer = zlib.compressobj(6, zlib.DEFLATED, -15, 9, zlib.Z_FIXED)
            stored += min(len(block), len(packer.compress(block)) + len(packer.flush()))
        total = sum(map(len, blocks))
        return stored / total if total else None


@dataclass
class TraceProfile:
    """What a trace holds; every key of a batch and of a MultiGet is an operation.

    Attributes:
        trace: that was read, with what is wrong with it.
        kinds: operations by kind.
        families: operations by id of the column family.
        key_sizes, value_sizes: of all keys, and of what was put or merged.
        keys: how often each key is meant.
        bins: operations over time.
        first_micros, last_micros: the earliest and the latest time stamp.
        bounded: seeks with an upper bound.
        written, ascending: operations that write, and how many of them have a larger key than the one before.
        compression_ratio: share of values that stays when repeats are left out; None without values.
    """

    trace: QueryTrace
    kinds: Counter[QueryKind] = field(default_factory=Counter)
    families: Counter[int] = field(default_factory=Counter)
    key_sizes: Sizes = field(default_factory=Sizes)
    value_sizes: Sizes = field(default_factory=Sizes)
    keys: KeyCounts = field(default_factory=KeyCounts)
    bins: Bins = field(default_factory=Bins)
    first_micros: int = 0
    last_micros: int = 0
    bounded: int = 0
    written: int = 0
    ascending: int = 0
    compression_ratio: float | None = None

    @property
    def operations(self) -> int:
        """Keys that were asked for or written."""
        return self.key_sizes.number

    @property
    def seconds(self) -> float:
        """From the first operation to the last."""
        return (self.last_micros - self.first_micros) / 1e6

    @property
    def gets(self) -> int:
        """Keys that were looked up, by MultiGet too."""
        return sum(self.kinds[kind] for kind in _READS)

    @property
    def seeks(self) -> int:
        """Iterators that were placed, backwards too."""
        return sum(self.kinds[kind] for kind in _SEEKS)

    @property
    def puts(self) -> int:
        """Everything that writes."""
        return self.operations - self.gets - self.seeks

    @property
    def deletes(self) -> int:
        """Deletions, of ranges too."""
        return self.kinds[QueryKind.DELETE] + self.kinds[QueryKind.DELETE_RANGE]

    def count(self, queries: Iterable[Query]) -> None:
        """Count queries, in their order."""
        values, before = _Values(), b""
        for micros, kind, family, key, value, bounded in queries:
            if not self.key_sizes.number:
                self.first_micros = micros
            self.first_micros = min(self.first_micros, micros)
            self.last_micros = max(self.last_micros, micros)
            self.kinds[kind] += 1
            self.families[family] += 1
            self.key_sizes.add(len(key))
            self.keys.add(key, kind)
            self.bins.add(micros)
            self.bounded += bounded
            if kind not in _READS and kind not in _SEEKS:
                self.written += 1
                self.ascending += key > before
                before = key
            if value is not None:
                self.value_sizes.add(len(value))
                values.add(value)
        self.compression_ratio = values.ratio()


def read_trace(path: Path, most_keys: int = MOST_KEYS) -> TraceProfile:
    """Return what a trace of queries holds.

    Args:
        path: of the file; only read.
        most_keys: keys that are counted one by one; beyond, a sample of them.

    Raises:
        UsageError: it is no trace of queries, or has none that can be read.
    """
    profile = TraceProfile(QueryTrace(path), keys=KeyCounts(most_keys))
    profile.count(profile.trace)
    if not profile.operations:
        damage = profile.trace.damage
        reason = f": it is damaged at byte {damage.offset}, as {damage.reason}" if damage is not None else ""
        raise UsageError(f"{path} holds no query{reason}; record a longer one")
    return profile
