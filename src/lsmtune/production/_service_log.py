"""What the LOG of a service tells: who ran when, under which options, and what its periodic dumps said."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsmtune.production._events import Events
from lsmtune.production._over_time import OverTime

DEFAULT = "default"
_FRESH_S = 1


@dataclass(frozen=True)
class LevelRow:
    """A row of ``** Compaction Stats [family] **``, as the LOG prints it.

    Attributes:
        name: ``L0``, ``L1``, ... or ``Sum``.
        files: number of files.
        size_bytes: of them, in B, as exact as the three digits that are printed.
        figures: the other columns by the LOG's own heading, such as ``Write(GB)``, ``W-Amp`` or ``Comp(sec)``; a
            heading that a version does not have is missing.
    """

    name: str
    files: int
    size_bytes: float
    figures: Mapping[str, float]


@dataclass(frozen=True)
class FamilyStats:
    """What one dump says of a column family; all counts since the database was opened.

    Attributes:
        levels: rows of the levels that have files or were written to, and the row ``Sum``.
        stalls: how often writes were slowed down or stopped, by the LOG's own words.
        flushed_gb: written by flushes, in the LOG's GB of 2^30 B; None where it is not said.
    """

    levels: tuple[LevelRow, ...] = ()
    stalls: Mapping[str, int] = field(default_factory=dict)
    flushed_gb: float | None = None

    @property
    def total(self) -> LevelRow | None:
        """The row ``Sum``."""
        return next((row for row in self.levels if row.name == "Sum"), None)


@dataclass(frozen=True)
class CacheStats:
    """What a dump says of a block cache.

    Attributes:
        capacity_bytes: in B, as exact as it is printed.
        usage_bytes: what is in it; None where the version does not say it.
        age_s: how long ago the engine counted that; it does so at most every three minutes.
        entries: the same by what it is for, in the LOG's own words.
    """

    capacity_bytes: float
    usage_bytes: float | None = None
    age_s: int = 0
    entries: Mapping[str, float] = field(default_factory=dict)

    @property
    def used_bytes(self) -> float | None:
        """What is in it, summed up where the version says only that; None where it says neither."""
        if self.usage_bytes is not None:
            return self.usage_bytes
        return sum(self.entries.values()) if self.entries else None


@dataclass(frozen=True)
class StatsDump:
    """What ``DUMPING STATS`` wrote.

    Attributes:
        time_s: s since the epoch by the service's clock, taken as UTC; 0 where only its text was given, without a time.
        uptime_s: since the database was opened.
        writes, keys: since then; None where they are not said.
        ingest_gb, wal_gb: written by users and to the write-ahead log since then.
        stall_s: time for which writes were slowed down or stopped since then.
        stall_percent: the same as a share of the uptime, as the LOG prints it.
        families: by name of the column family.
        tickers: counts of the statistics, of times of look-ups also ``.count`` and ``.sum``; empty where they were off.
        caches: block caches by the name that the LOG gives them, which column families may share.
        grown: by how many records tables grew since then, by column family, as the lines of jobs before it say.
    """

    time_s: float
    uptime_s: float
    writes: float | None = None
    keys: float | None = None
    ingest_gb: float | None = None
    wal_gb: float | None = None
    stall_s: float | None = None
    stall_percent: float | None = None
    families: Mapping[str, FamilyStats] = field(default_factory=dict)
    tickers: Mapping[str, int] = field(default_factory=dict)
    caches: Mapping[str, CacheStats] = field(default_factory=dict)
    grown: Mapping[str, int] = field(default_factory=dict)

    def total(self, heading: str) -> float | None:
        """Return a column's sum over all levels and column families; None where no table has it."""
        rows = [stats.total for stats in self.families.values()]
        known = [row.figures[heading] for row in rows if row is not None and heading in row.figures]
        return sum(known) if known else None

    @property
    def size_bytes(self) -> float:
        """Size of all tables in B."""
        return sum(stats.total.size_bytes for stats in self.families.values() if stats.total is not None)

    @property
    def cache_bytes(self) -> float | None:
        """What is in all block caches; None where it is not said, or was not counted anew for this dump."""
        known = [each.used_bytes for each in self.caches.values() if each.age_s <= _FRESH_S]
        return sum(used for used in known if used is not None) if known and None not in known else None

    def counted(self, *names: str) -> int | None:
        """Return the sum of tickers, given without the engine's name; None where one is not there."""
        known = [self.tickers.get(f"rocksdb.{name}") for name in names]
        return None if None in known else sum(count for count in known if count is not None)

    @property
    def is_whole(self) -> bool:
        """Whether its tables are there to their last row."""
        return bool(self.families) and all(stats.total is not None for stats in self.families.values())


@dataclass(frozen=True)
class StallKind:
    """What the engine says when it slows writes down or stops them.

    Attributes:
        family: the column family; empty where the line does not say it.
        is_stop: whether writes stopped.
        cause: ``L0 files``, ``memtables``, ``pending bytes`` or ``other``.
    """

    family: str
    is_stop: bool
    cause: str


@dataclass(frozen=True, slots=True)
class Moment:
    """What one dump says of the whole database, kept of all dumps; see `StatsDump`.

    Attributes:
        time_s, uptime_s, ingest_gb, stall_s: as there.
        files_bytes: size of all tables and blob files that were written, as its lines before this one say.
        compaction_s: time of flushes and compactions since the database was opened.
        size_bytes: of all tables.
        peak_bytes: the most that, until the next dump, this and what jobs wrote since took, with room for what running
            compactions are to write: the size of their inputs. As far as events tell it.
        cache_bytes: what is in the block caches.
        wal_gb: as there.
        cache_hits, cache_misses, filter_useful, filter_positive, filter_true: tickers of the block cache and of filters
            since the database was opened; None where they are not told, as all below.
        skipped, moved: records that iterators skipped as they were deleted or overwritten, and moves that users asked
            for.
        reads: keys that were looked up.
        timed_reads, timed_us: look-ups whose time was taken, and the sum of these times in us.
    """

    time_s: float
    uptime_s: float
    ingest_gb: float | None
    stall_s: float | None
    files_bytes: int = 0
    compaction_s: float | None = None
    size_bytes: float | None = None
    peak_bytes: float | None = None
    cache_bytes: float | None = None
    wal_gb: float | None = None
    cache_hits: int | None = None
    cache_misses: int | None = None
    filter_useful: int | None = None
    filter_positive: int | None = None
    filter_true: int | None = None
    skipped: int | None = None
    moved: int | None = None
    reads: int | None = None
    timed_reads: int | None = None
    timed_us: int | None = None


@dataclass(frozen=True)
class WalStats:
    """What the lines of a LOG say of write-ahead logs.

    Attributes:
        files, size_bytes: of those that were there when the database was opened; None where that is not said.
        flushes: how often all column families were flushed as the logs had grown too large.
        largest_bytes: what they had then taken at most; None where it never happened.
        bound_bytes: what they may take then.
    """

    files: int | None = None
    size_bytes: int | None = None
    flushes: int = 0
    largest_bytes: int | None = None
    bound_bytes: int | None = None

    def joined(self, later: "WalStats") -> "WalStats":
        """Return both as those of one opening."""
        most = max((each for each in (self.largest_bytes, later.largest_bytes) if each is not None), default=None)
        return WalStats(
            later.files if self.files is None else self.files,
            later.size_bytes if self.size_bytes is None else self.size_bytes,
            self.flushes + later.flushes,
            most,
            later.bound_bytes if self.bound_bytes is None else self.bound_bytes,
        )


@dataclass(frozen=True)
class Opening:
    """One opening of the database, up to the next one.

    Attributes:
        time_s: when it began, as in `StatsDump`; None where the LOG begins in the middle of it.
        product: such as ``RocksDB``; forks name themselves.
        version: as printed; empty where the LOG does not say it.
        took_s: until the database was open; None where that is not said.
        options: of the database by name, as printed.
        families: options of each column family by its name, those of its tables among them.
        dump: the last one; None where there is none.
        moments: of all dumps, in order.
        stalls: how often the engine said so.
        places: file and line of the first and of the last line that said so, by kind of stall.
        events: what the lines of jobs add up to.
        sizes: of the tables of each column family, in B over time.
        wal: of write-ahead logs.
        sequence: number of the last record when it was opened, 0 in a new database; None where that is not said.
        set_later: options of the database as ``SetDBOptions`` printed them last, changed or not; empty where it never
            did.
        set_in_families: options of column families as ``SetOptions`` was given them last, where it took them.
    """

    time_s: float | None
    product: str
    version: str
    took_s: float | None
    options: Mapping[str, str]
    families: Mapping[str, Mapping[str, str]]
    dump: StatsDump | None
    moments: tuple[Moment, ...]
    stalls: Mapping[StallKind, int]
    places: Mapping[StallKind, tuple[str, str]] = field(default_factory=dict)
    events: Events = field(default_factory=Events)
    sizes: Mapping[str, OverTime] = field(default_factory=dict)
    wal: WalStats = field(default_factory=WalStats)
    sequence: int | None = None
    set_later: Mapping[str, str] = field(default_factory=dict)
    set_in_families: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def timed_moments(self) -> tuple[Moment, ...]:
        """The moments that have a time, and so a place over time."""
        return tuple(each for each in self.moments if each.time_s)

    @property
    def flushes(self) -> dict[str, int]:
        """How many ended, by column family."""
        return {name: count for name, each in self.events.families.items() if (count := each.flushes.total())}

    @property
    def compactions(self) -> dict[str, int]:
        """How many ended, by column family."""
        return {name: count for name, each in self.events.families.items() if (count := each.compactions.total())}

    @property
    def tables(self) -> Mapping[tuple[str, str], int]:
        """How many table files were written, by column family and compression."""
        return self.events.tables


@dataclass(frozen=True)
class ServiceOptions:
    """What an OPTIONS file says.

    Attributes:
        place: the file.
        version: of the engine that wrote it; empty where it does not say.
        database: options of the database by name, as the file has them, nested ones with dots.
        families: options of each column family, those of its tables among them.
    """

    place: str
    version: str
    database: Mapping[str, str]
    families: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Unread:
    """A line that could not be understood although it should have been.

    Attributes:
        place: file and line.
        what: what it was taken for.
    """

    place: str
    what: str


@dataclass(frozen=True)
class ServiceLog:
    """All that was read of a service's LOGs.

    Attributes:
        files: the files in the order of their time.
        lines: how many lines they have.
        first_s, last_s: times of the first and last line that has one; None where none has.
        openings: in order.
        unread: lines that could not be understood, the first of them.
        unread_count: how many there are.
        options_file: the newest OPTIONS file that was given; None without one.
    """

    files: tuple[str, ...]
    lines: int
    first_s: float | None
    last_s: float | None
    openings: tuple[Opening, ...]
    unread: tuple[Unread, ...]
    unread_count: int
    options_file: ServiceOptions | None = None

    @property
    def last(self) -> Opening:
        """The opening that the LOG ends with."""
        return self.openings[-1]


def number_in(options: Mapping[str, str], name: str) -> float | None:
    """Return an option as a number; None where it is not said."""
    try:
        found = float(options[name])
        return found if abs(found) < float("inf") else None  # NaN is not, either
    except (KeyError, ValueError):
        return None
