"""What a service asks of its engine, as far as its LOG tells it: records and their size, reads, skew of keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from lsmtune.errors import UsageError
from lsmtune.production._events import FamilyEvents, Written
from lsmtune.production._service_log import Opening, StatsDump
from lsmtune.production._skew import exponent_of

_ADDED_TO_KEYS = 8  # sequence number and type
_LEAST_READS = 0.01
_LEAST_SCANS = 0.001
_LEAST_DELETED = 0.01
_LEAST_DROPPED = 0.1
_NEW_KEYS = 1.6
"""Writes for each key that is there, up to which they are those of a random fill."""
_NEARLY_ALL = 0.9
_RECENT = 0.8
"""Share of the flushed records that the last dump has to know of, so that its levels are those of the end."""

# How db_bench and the driver store their own values, by fills of both at compression ratios of 0.2, 0.5 and 0.8 with
# values of 100, 400 and 1,000 B under Snappy, LZ4 and ZSTD (RocksDB 7.8.3): a record takes a share of its key, the
# ratio of its value, and what the copies of the repeated part cost.
_STAYS_OF_KEYS = 0.5
_COPIES, _COPIES_CODED = 0.052, 0.042
_BARE = frozenset({"NoCompression", ""})
_WITHOUT_ENTROPY_CODING = frozenset({"Snappy", "LZ4", "LZ4HC"})


@dataclass(frozen=True)
class ServiceWorkload:
    """What one column family was asked for since the database was opened.

    Attributes:
        opening: what the LOG tells of it.
        family: the column family.
    """

    opening: Opening
    family: str

    @cached_property
    def dump(self) -> StatsDump | None:
        return self.opening.dump

    @cached_property
    def tickers(self) -> Mapping[str, int]:
        """Counts of the statistics; empty where they were off."""
        return {} if self.dump is None else self.dump.tickers

    @cached_property
    def events(self) -> FamilyEvents:
        return self.opening.events.families.get(self.family, FamilyEvents())

    @cached_property
    def flushed(self) -> Written:
        """What users wrote, as flushes saw it; all tables where no flush is there.

        Raises:
            UsageError: no table was written.
        """
        for found in (self.events.flushed, self.events.levels.get(0, Written()), self.events.written):
            if found.entries:
                return found
        raise UsageError(
            f'the LOG has no line about a table that column family "{self.family}" wrote, so sizes of keys and '
            "values are not known; give older LOGs, or wait for the first flush"
        )

    @property
    def key_bytes(self) -> int:
        """Mean size of a key in B."""
        return max(1, round(self.flushed.key_bytes / self.flushed.entries) - _ADDED_TO_KEYS)

    @property
    def value_bytes(self) -> int:
        """Mean size of a value in B, what lies in blob files included as it is stored there."""
        values = self.flushed.entries - self.flushed.deletions
        blob_bytes = self.flushed.file_bytes - self.flushed.table_bytes
        return max(1, round((self.flushed.value_bytes + blob_bytes) / values)) if values > 0 else 1

    @cached_property
    def writes(self) -> int:
        """Records that users wrote, of all column families where only those are told."""
        told = (
            0
            if self.dump is None or self.dump.keys is None or len(self.opening.events.families) > 1
            else self.dump.keys
        )
        return max(round(told), self.flushed.entries, self.events.buffered)

    @property
    def reads(self) -> int:
        """Look-ups, those of multi-gets among them."""
        return self.tickers.get("rocksdb.number.keys.read", 0) + self.multi_reads

    @property
    def multi_reads(self) -> int:
        """Look-ups of multi-gets."""
        return self.tickers.get("rocksdb.number.multiget.keys.read", 0)

    @property
    def scans(self) -> int:
        """Seeks of iterators."""
        return self.tickers.get("rocksdb.number.db.seek", 0)

    @property
    def scan_length(self) -> int | None:
        """Records of a scan, in the mean; None without scans."""
        steps = self.tickers.get("rocksdb.number.db.next", 0) + self.tickers.get("rocksdb.number.db.prev", 0)
        return max(1, round(steps / self.scans)) if self.scans else None

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """Shares of operations: ``read``, ``scan``, ``delete`` and ``put``; counted at one moment where they can be."""
        written = self.tickers.get("rocksdb.number.keys.written", 0) or self.writes
        total = self.reads + self.scans + written
        deleted = self.flushed.deletions / self.flushed.entries
        return {
            "read": self.reads / total,
            "scan": self.scans / total,
            "delete": written * deleted / total,
            "put": written * (1 - deleted) / total,
        }

    @property
    def only_writes(self) -> bool:
        """Whether nothing but puts matters, as far as it is counted."""
        shares = self.shares
        return shares["read"] < _LEAST_READS and shares["scan"] < _LEAST_SCANS and shares["delete"] < _LEAST_DELETED

    @property
    def operations(self) -> int:
        """Operations since the opening, as many as shares and writes make."""
        shares = self.shares
        return max(1, round(self.writes / (shares["put"] + shares["delete"])))

    @property
    def is_new(self) -> bool | None:
        """Whether the database was empty when it was opened; None where that is not said."""
        if self.opening.sequence is None:
            return None
        return self.opening.sequence == 0 and not self.opening.events.recovered_logs

    @property
    def has_late_dump(self) -> bool:
        """Whether the sizes of the levels are known near the end; without them, as many keys as writes are assumed."""
        stats = None if self.dump is None else self.dump.families.get(self.family)
        dumped = None if self.dump is None else self.dump.keys
        has_sizes = stats is not None and stats.total is not None
        return has_sizes and dumped is not None and dumped >= _RECENT * self.flushed.entries

    @cached_property
    def keys(self) -> int:
        """Keys that are there.

        Of a database that was there before, the records that it had then: those of now, without what flushes brought,
        with what compactions dropped. Where nearly nothing that was written replaced anything, and in a new database,
        those of now, less those of upper levels that replace one of the lowest.
        """
        if self.dump is None or not self.has_late_dump:
            return self.writes
        stats = self.dump.families[self.family]
        rows = [row for row in stats.levels if row.name != "Sum" and row.size_bytes > 0]
        records = [row.size_bytes / self._record_bytes(row.name) for row in rows]
        before = sum(records) - self.dump.grown.get(self.family, 0)
        if self.is_new is False and before > 0 and self._new_share < _NEARLY_ALL:
            return round(before)
        return max(1, round(records[-1] + sum(records[:-1]) * self._new_share)) if records else self.writes

    def _record_bytes(self, level: str) -> float:
        """Return what a record takes in a level, by the tables that were written there, else by all of them."""
        place = int(level[1:]) if level[1:].isdecimal() else 0
        found = self.events.levels.get(place, Written())
        found = found if found.entries else self.events.written
        return found.table_bytes / found.entries if found.entries and found.table_bytes else 1.0

    @property
    def _new_share(self) -> float:
        """The share of what was written that neither a flush nor a compaction dropped."""
        began = self.events.buffered or self.flushed.entries
        dropped = began - self.flushed.entries + self.events.records_in - self.events.records_out
        return min(1.0, max(0.0, 1 - dropped / began))

    @cached_property
    def skew(self) -> float | None:
        """Exponent of the Zipf distribution that keys are chosen by, 0 for uniform; None where it cannot be told.

        Flushes drop a record whose key has a newer one in the same memtables: the more, the more often keys come again.
        """
        flushes = sum(self.events.flushes.values())
        if not flushes or not self.events.buffered:
            return None
        return exponent_of(self.events.buffered / flushes, self.events.flushed.entries / flushes, self.keys)

    @property
    def comes_in_order(self) -> bool:
        """Whether no compaction had to merge anything."""
        return not self.events.compactions and sum(self.events.flushes.values()) > 4

    @property
    def is_fill(self) -> bool:
        """Whether writes are those of a random fill, into a database that was empty."""
        written = self.writes if self.dump is None or not self.dump.keys else self.dump.keys
        few = written <= _NEW_KEYS * self.keys or self.events.dropped < _LEAST_DROPPED
        return few and not self.skew and self.is_new is not False

    @cached_property
    def compressed(self) -> Written | None:
        """The level with the most values of those where every table is compressed; None without one."""
        levels = [each for each in self.events.levels.values() if each.value_bytes and not _BARE & each.codecs.keys()]
        found = max(levels, key=lambda each: each.value_bytes, default=None)
        return None if found is None or found.file_bytes > 2 * found.table_bytes else found

    def compression_ratio(self, entropy: float) -> float | None:
        """Return the ``compression_ratio`` at which a tool's values take as much room as the service's do.

        Args:
            entropy: share that an entropy coder leaves of bytes of this tool which nothing else makes smaller.

        Returns:
            None where no table is compressed, or values are in blob files, whose compression no LOG tells.
        """
        found = self.compressed
        if found is None:
            return None
        is_entropy_coded = not found.codecs.keys() & _WITHOUT_ENTROPY_CODING
        stored = found.table_bytes - found.index_bytes - found.filter_bytes - _STAYS_OF_KEYS * found.key_bytes
        share = stored / found.value_bytes - (_COPIES_CODED if is_entropy_coded else _COPIES)
        return round(min(1.0, max(0.05, share / (entropy if is_entropy_coded else 1.0))), 2)
