"""What work costs on a host with a build of an engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lsmtune.lsm_model._tree_known import CODEC_NS
from lsmtune.lsm_model.tree._writes import Rules

_ENTROPY_CODED = frozenset({"zlib", "zstd", "bzip2"})
_REMAINS, _ENTROPY_REMAINS = 1.18, 0.966
"""What remains of a value, against its `compression_ratio`: references to repeats, and what entropy coders save of
db_bench's printable characters. Tables of db_bench 7.8.3 at values of 100 to 1024 B, 2026-11-24."""
PLAIN_ENTRY_BYTES = 4.7
"""B of an entry beside its pair where nothing is compressed. From the same tables."""
_COMPRESSED_ENTRY, _INDEX = 5, 1.0105
"""B of an entry beside what remains of its value, with a key of db_bench, of which 8 B are not zeros; and what index
and block trailers add. From the same tables."""
_LEAST_WRITE = 0.2
"""Of a write that remains in any case, whatever was measured."""
_NOT_WORTH = 0.875
"""RocksDB keeps a block uncompressed unless it saves an eighth."""


@dataclass(frozen=True)
class Step:
    """A part of a calibration: its number, how many there are, and what it measures."""

    number: int
    of: int
    measures: str


@dataclass(frozen=True)
class Costs:
    """Constants of the model of a tree; the defaults are those of decision 0016, of another machine and build.

    Attributes:
        write_us: of a write by a single writer, by the bytes of the memtable that it goes into, ascending: searching a
            skip list takes longer as it grows past the processor's caches. Between them by their logarithm.
        write_ns: of each byte of a pair, beside that.
        wal_us, wal_ns: of a write into the log, and of each byte of it; part of both, taken off where there is no log.
        merge_entry_ns, merge_ns: of an entry that a compaction reads, and of each of its bytes, uncompressed.
        flush_entry_ns, flush_ns, flush_us: of an entry of a flush, of each of its bytes, and of a flush.
        job_us, file_us: of a compaction, and of each file that is written.
        codec_ns: to compress a byte, by codec.
        bandwidth: B/s that the device writes.
        sync_us: of a small write into a log that is synced to the device.
        crowded: speed of each of as many merges as there are cores (8 at most), against that of a merge by itself: they
            share caches and memory.
        delay: rate at which delayed writes really go, against `delayed_write_rate`.
        assumed: names of those that nobody measured here.
        rules: of the engine whose work was measured.
        origin: where they are from, in words.
    """

    write_us: tuple[tuple[float, float], ...] = ((1e6, 3.8),)
    write_ns: float = 0.0
    wal_us: float = 0.0
    wal_ns: float = 0.0
    merge_entry_ns: float = 0.0
    merge_ns: float = 0.68
    flush_entry_ns: float = 0.0
    flush_ns: float = 1.4
    flush_us: float = 480.0
    job_us: float = 350.0
    file_us: float = 39.0
    codec_ns: Mapping[str, float] = field(default_factory=lambda: CODEC_NS)
    bandwidth: float = 1e9
    sync_us: float = 500.0
    crowded: float = 1.0
    delay: float = 1.9
    assumed: tuple[str, ...] = ("all",)
    rules: Rules = Rules.ROCKSDB
    origin: str = "another machine: a 2-core VM with an assertion build of 7.8.3 (decision 0016)"

    def stored_share(self, codec: str, pair_bytes: int, value_bytes: int, compression_ratio: float) -> float:
        """Return the stored bytes of a byte of a pair, of values of which so much remains."""
        plain = _INDEX + PLAIN_ENTRY_BYTES / pair_bytes
        remains = compression_ratio * (_ENTROPY_REMAINS if codec in _ENTROPY_CODED else _REMAINS)
        share = (remains * value_bytes + _COMPRESSED_ENTRY) / pair_bytes
        return plain if codec == "none" or share > _NOT_WORTH * plain else share

    def write_time_us(self, memtable_bytes: float, pair_bytes: int, has_log: bool) -> float:
        """Return what a write costs on average while a memtable fills to so many bytes, in us."""
        sizes, times = np.log([size for size, _ in self.write_us]), [time for _, time in self.write_us]
        whole = float(np.interp(np.log(max(memtable_bytes, 1.0)), sizes, times)) + self.write_ns * pair_bytes * 1e-3
        log = 0.0 if has_log else self.wal_us + self.wal_ns * pair_bytes * 1e-3
        return max(whole - log, _LEAST_WRITE * whole)
