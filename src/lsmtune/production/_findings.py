"""What is wrong, as far as a LOG shows it: rules with source, evidence and what to try. A measurement decides."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from lsmtune.production._differences import OFF, as_it_runs
from lsmtune.production._events import FamilyEvents, Written
from lsmtune.production._finding import ServiceFinding, Sure, Try
from lsmtune.production._leveldb_lines import PRODUCT
from lsmtune.production._reopening import reopening
from lsmtune.production._service_log import DEFAULT, FamilyStats, Opening, ServiceLog, number_in

_MIB = 1 << 20
_STALLED = 0.01
"""Share of the time from which on stalls are worth a word."""
_MANY_STALLED = 0.05
_MANY_LINES = 20
"""Lines of stalls that count where no dump tells their time."""
_BEHIND = 1.5
"""Score of a level, its size over its target, from which on compaction is behind; below it is due and on its way."""
_MANY_L0 = 2
"""Files of level 0 over the trigger of their compaction, as a factor."""
_TOMBSTONES = 0.3
_LEAST_ENTRIES = 10_000
_LEAST_READS = 10_000
_LOW_HITS = 0.8
_TURNED_OVER = 2
"""Times that the cache was filled anew, from which on it is too small and not cold."""
_INDEX_MISSES = 0.05
_SMALL_FILE = 4 * _MIB
_MANY_FILES = 50
_SAVES_NOTHING = 0.97
_LEAST_RAW = 32 * _MIB
_INTRA = 0.3
_LEAST_COMPACTIONS = 10
_SUBCOMPACTIONS = 4
_BEYOND = 0.5
_GONE = 0.5
_SPREAD = 1.5
_ASIDE = 0.1


def findings_of(log: ServiceLog) -> tuple[ServiceFinding, ...]:
    """Return what is wrong with the database since it was last opened, the surest first.

    Of a RocksDB whose LOG has lost its beginning nothing is proposed: what it runs is not known.
    """
    log = as_it_runs(log)
    opening = log.last
    families = dict.fromkeys(
        (*opening.families, *opening.events.families, *(opening.dump.families if opening.dump else ()))
    )
    found: list[ServiceFinding] = []
    for name in families or (DEFAULT,):
        about = _About(log, opening, name)
        for rule in _RULES:
            found += rule(about)
    found += reopening(log)
    if not _knows_options(opening):
        found = [replace(each, tries=()) for each in found]
    order = list(Sure)
    return tuple(sorted(found, key=lambda each: order.index(each.sure)))


def _knows_options(opening: Opening) -> bool:
    """Whether it is told what runs, so that options that are not named are at their defaults."""
    return bool(opening.version or opening.product)


@dataclass(frozen=True)
class _About:
    """A column family with what the rules ask of it."""

    log: ServiceLog
    opening: Opening
    family: str

    @cached_property
    def options(self) -> Mapping[str, str]:
        return {**self.opening.options, **self.opening.families.get(self.family, {})}

    @cached_property
    def stats(self) -> FamilyStats:
        dump = self.opening.dump
        return FamilyStats() if dump is None else dump.families.get(self.family, FamilyStats())

    @cached_property
    def events(self) -> FamilyEvents:
        return self.opening.events.families.get(self.family, FamilyEvents())

    @cached_property
    def tickers(self) -> Mapping[str, int]:
        return {} if self.opening.dump is None else self.opening.dump.tickers

    @property
    def is_busiest(self) -> bool:
        """Whether what is told of the whole database is told of this family, once."""
        written = {name: each.written.file_bytes for name, each in self.opening.events.families.items()}
        busiest = max(written, key=lambda name: written[name], default=next(iter(self.opening.families), DEFAULT))
        return self.family == busiest

    @property
    def is_leveled(self) -> bool:
        """Whether levels are merged into larger ones; where no option says it, the reasons of compactions do."""
        reasons = " ".join(reason for _, reason in self.events.compactions)
        said = self.options.get("compaction_style", reasons)
        return "Universal" not in said and "FIFO" not in said

    def is_on(self, name: str) -> bool:
        """Whether the LOG says that a switch is on."""
        return self.options.get(name, "") in ("1", "true")

    def number(self, name: str) -> float | None:
        """Return an option as a number; None where the LOG does not say it."""
        return number_in(self.options, name)

    def ticker(self, name: str) -> int:
        return self.tickers.get(f"rocksdb.{name}", 0)

    def lines(self, cause: str) -> int:
        return sum(
            count
            for kind, count in self.opening.stalls.items()
            if kind.cause == cause and kind.family in (self.family, "")
        )

    def places(self, cause: str) -> tuple[str, ...]:
        found = [
            places
            for kind, places in self.opening.places.items()
            if kind.cause == cause and kind.family in (self.family, "")
        ]
        return tuple(dict.fromkeys(place for both in found for place in both))


def _stalls(
    about: _About,
    cause: str,
    words: tuple[str, ...],
    code: str,
    sentence: str,
    tries: Callable[[_About], tuple[Try, ...]],
) -> Iterator[ServiceFinding]:
    """Yield a finding where writes waited for one cause, for long enough to matter.

    LevelDB says no options, so there is one thing to try: larger memtables, from its 4 MiB on.
    """
    dump, lines = about.opening.dump, about.lines(cause)
    counted = {
        name: count for name, count in about.stats.stalls.items() if count and any(word in name for word in words)
    }
    if _is_aside(sum(counted.values()), sum(about.stats.stalls.values())):
        return
    share = None if dump is None or dump.stall_percent is None else dump.stall_percent / 100
    if not (lines or counted) or (share is not None and share < _STALLED) or (share is None and lines < _MANY_LINES):
        return
    evidence = []
    if share is not None:
        evidence.append(
            f"writes were slowed down or stopped for {share * 100:g} % of the time, for all causes together"
        )
    if counted:
        evidence.append("counted: " + ", ".join(f"{name} {count}" for name, count in counted.items()))
    if lines:
        evidence.append(f"{lines} lines say so")
    sure = Sure.HIGH if share is not None and share >= _MANY_STALLED else Sure.MEDIUM
    source = "RocksDB wiki, Write Stalls; facebook/rocksdb issues 7313, 9423"
    yield ServiceFinding(
        code,
        about.family,
        sentence,
        tuple(evidence),
        source,
        sure,
        _OF_LEVELDB if about.opening.product == PRODUCT else tries(about),
        places=about.places(cause),
    )


def _is_aside(count: int, of: int) -> bool:
    """Whether a cause has so few of the stalls that the time, which is told for all causes together, is not its own."""
    return 0 < count < _ASIDE * of


_OF_LEVELDB = (Try("larger memtables", {"write_buffer_size": 16 * _MIB}, "fewer and larger flushes"),)


def _stalls_memtables(about: _About) -> Iterator[ServiceFinding]:
    yield from _stalls(
        about,
        "memtables",
        ("memtable",),
        "stalls-memtables",
        "Writes wait until memtables are flushed.",
        _more_memtables,
    )


def _more_memtables(about: _About) -> tuple[Try, ...]:
    number = int(about.number("max_write_buffer_number") or 2)
    return (
        Try("more memtables", {"max_write_buffer_number": number + 2}, "a flush that is late no longer stops writes"),
        *_more_jobs(about),
    )


def _more_jobs(about: _About) -> tuple[Try, ...]:
    compactions, flushes = (about.number(f"max_background_{each}") or -1 for each in ("compactions", "flushes"))
    if max(compactions, flushes) > 0:  # then RocksDB does not look at max_background_jobs
        wanted = max(4, 2 * int(max(compactions, 1)))
        return (
            Try("more compactions at once", {"max_background_compactions": wanted}, "compactions wait for threads"),
        )
    jobs = int(about.number("max_background_jobs") or 2)
    return (
        Try(
            "more background jobs",
            {"max_background_jobs": max(4, 2 * jobs)},
            "flushes and compactions wait for threads",
        ),
    )


def _unless(is_so: bool, proposed: Try) -> tuple[Try, ...]:
    """Return what is proposed, or nothing where it is so already."""
    return () if is_so else (proposed,)


def _subcompactions(about: _About, because: str) -> tuple[Try, ...]:
    is_there = (about.number("max_subcompactions") or 1) >= _SUBCOMPACTIONS
    return _unless(is_there, Try("subcompactions", {"subcompactions": _SUBCOMPACTIONS}, because))


def _stalls_l0(about: _About) -> Iterator[ServiceFinding]:
    yield from _stalls(
        about, "L0 files", ("level0", "l0-file"), "stalls-l0", "Writes wait for compactions of level 0.", _faster_l0
    )


def _faster_l0(about: _About) -> tuple[Try, ...]:
    buffer = int(about.number("write_buffer_size") or 64 * _MIB)
    slowdown = int(about.number("level0_slowdown_writes_trigger") or 20)
    tries = [
        Try("larger memtables", {"write_buffer_size": 2 * buffer}, "fewer and larger files of level 0"),
        *_subcompactions(about, "a compaction of level 0 runs alone, on one thread"),
        *_more_jobs(about),
    ]
    if slowdown < 20:
        tries.append(
            Try("later slowdown", {"level0_slowdown_writes_trigger": 20}, "the trigger is below RocksDB's default")
        )
    return tuple(tries)


def _stalls_pending(about: _About) -> Iterator[ServiceFinding]:
    yield from _stalls(
        about,
        "pending bytes",
        ("pending",),
        "stalls-pending-bytes",
        "Writes wait as compactions of the levels are far behind.",
        _faster_levels,
    )


def _faster_levels(about: _About) -> tuple[Try, ...]:
    base = int(about.number("max_bytes_for_level_base") or 256 * _MIB)
    return (
        *_more_jobs(about),
        *_subcompactions(about, "one compaction uses several threads"),
        Try(
            "larger first level",
            {"max_bytes_for_level_base": 2 * base},
            "fewer levels, each byte is written less often",
        ),
    )


def _behind(about: _About) -> Iterator[ServiceFinding]:
    if not about.is_leveled or about.is_on("disable_auto_compactions"):
        return
    trigger = about.number("level0_file_num_compaction_trigger") or (4 if _knows_options(about.opening) else None)
    late: list[str] = []
    for row in about.stats.levels:
        score = row.figures.get("Score", 0.0)
        if row.name == "L0" and trigger is not None and row.files > _MANY_L0 * trigger:
            late.append(f"level 0 has {row.files} files, its compaction is due at {trigger:g}")
        elif row.name not in ("L0", "Sum") and score >= _BEHIND and row.size_bytes >= 8 * _MIB:
            late.append(f"{row.name} is at {score:g} times its target")
    if late:
        yield ServiceFinding(
            "compaction-behind",
            about.family,
            "Compactions are behind at the last dump of statistics.",
            tuple(late),
            "RocksDB wiki, Leveled Compaction (score); Ceph issue 29027",
            Sure.MEDIUM,
            _faster_levels(about),
        )


def _memory(about: _About) -> Iterator[ServiceFinding]:
    """Indexes and filters that the cache does not hold take memory that nobody configured."""
    written, total = about.events.written, about.stats.total
    in_cache = about.options.get("cache_index_and_filter_blocks", "1") not in OFF or about.is_on("partition_filters")
    capacity = about.number("block_cache_options.capacity")
    buffers = (about.number("write_buffer_size") or 0) * (about.number("max_write_buffer_number") or 2)
    if in_cache or capacity is None or total is None or not written.table_bytes or not buffers:
        return
    share = (written.index_bytes + written.filter_bytes) / written.table_bytes
    files = about.number("max_open_files")
    opened = 1.0 if files is None or files < 0 else min(1.0, files / max(1, total.files))
    beyond, configured = opened * share * total.size_bytes, capacity + buffers
    if beyond < _BEYOND * configured or beyond < 64 * _MIB:
        return
    yield ServiceFinding(
        "memory-above-configured",
        about.family,
        "Indexes and filters lie outside of the block cache and take memory that no cache bounds.",
        (
            f"they are {share * 100:.1f} % of what was written, so about {_size(beyond)} of {_size(total.size_bytes)}"
            + (f" where {files:g} of {total.files:,} files are open" if opened < 1 else ""),
            f"block cache and memtables are {_size(configured)} together",
        ),
        "RocksDB wiki, Memory usage in RocksDB; facebook/rocksdb issues 4112, 3216, 12364",
        Sure.MEDIUM,
        (
            Try(
                "indexes and filters in the cache",
                {"cache_index_and_filter_blocks": True, "cache_size": int(capacity + beyond)},
                "the cache bounds them then, and is larger by as much",
            ),
        ),
    )


def _space(about: _About) -> Iterator[ServiceFinding]:
    levels = [row for row in about.stats.levels if row.name != "Sum" and row.size_bytes]
    total, events = about.stats.total, about.events
    if total is None or len(levels) < 2 or not about.is_leveled or events.records_in < _LEAST_ENTRIES:
        return
    largest = max(
        levels, key=lambda row: row.size_bytes
    )  # a level holds a key once, so the live data has its size at least
    spread, flushed = total.size_bytes / largest.size_bytes, events.levels.get(0, Written()).entries
    gone = (events.records_in - events.records_out) / flushed if flushed else 0.0
    if spread < _SPREAD or gone < _GONE or total.size_bytes < 64 * _MIB:
        return
    yield ServiceFinding(
        "space-peak",
        about.family,
        "Much of the space is taken by old versions beside the largest level.",
        (
            f"all levels have {spread:.2f} times the size of {largest.name}, the largest one",
            f"of {flushed:,} records that were flushed, compactions dropped {gone * 100:.0f} %",
        ),
        "RocksDB wiki, Leveled Compaction (dynamic levels); facebook/rocksdb issues 9561, 10533",
        Sure.LOW,
        _unless(
            about.is_on("level_compaction_dynamic_level_bytes"),
            Try(
                "levels sized from the last one",
                {"level_compaction_dynamic_level_bytes": True},
                "90 % of the data is in the last level then",
            ),
        ),
    )


def _tombstones(about: _About) -> Iterator[ServiceFinding]:
    written = about.events.written
    if written.entries < _LEAST_ENTRIES or written.deletions < _TOMBSTONES * written.entries:
        return
    evidence = [f"{written.deletions:,} of {written.entries:,} records in the tables that were written delete a key"]
    skipped, moved = about.ticker("number.iter.skip"), about.ticker("number.db.next") + about.ticker("number.db.seek")
    is_seen = moved and skipped > moved
    if is_seen:
        evidence.append(f"iterators skipped {skipped:,} records in {moved:,} moves")
    base = int(about.number("max_bytes_for_level_base") or 256 * _MIB)
    smaller = max(base // 4, 16 * _MIB)
    yield ServiceFinding(
        "tombstones",
        about.family,
        "Deletions pile up; scans over what was deleted read all of them.",
        tuple(evidence),
        "facebook/rocksdb issues 5265, 10300; tikv 8486; Ceph 47221",
        Sure.HIGH if is_seen else Sure.MEDIUM,
        _unless(
            base <= smaller or not about.is_leveled,
            Try("smaller first level", {"max_bytes_for_level_base": smaller}, "deletions sink faster"),
        ),
        "CompactOnDeletionCollector, set in code, compacts files with many deletions first; DeleteRange for ranges.",
    )


def _cache(about: _About) -> Iterator[ServiceFinding]:
    if not about.is_busiest:
        return
    # Compactions look for blocks, too, and put none in: what they miss says nothing of reads.
    hits = about.ticker("block.cache.data.hit")
    looked = hits + about.ticker("block.cache.data.add")
    capacity = about.number("block_cache_options.capacity")
    turned = about.ticker("block.cache.data.bytes.insert")
    if looked < _LEAST_READS or capacity is None:
        return
    share = hits / looked
    if share < _LOW_HITS and turned > _TURNED_OVER * capacity:
        yield ServiceFinding(
            "cache-too-small",
            about.family,
            "The block cache is too small for what is read.",
            (
                f"{share * 100:.1f} % of {looked:,} look-ups of data found their block, misses of compactions left out",
                f"blocks of {_size(turned)} went through a cache of {_size(capacity)}",
            ),
            "RocksDB wiki, Block Cache",
            Sure.HIGH,
            (
                Try(
                    "larger block cache",
                    {"cache_size": int(4 * capacity)},
                    "what was read is gone before it is read again",
                ),
            ),
        )


def _thrashing(about: _About) -> Iterator[ServiceFinding]:
    if not about.is_busiest:
        return
    kinds = ("index", "filter")
    hits = sum(about.ticker(f"block.cache.{kind}.hit") for kind in kinds)
    misses = sum(about.ticker(f"block.cache.{kind}.miss") for kind in kinds)
    again = misses - len(kinds) * about.ticker("no.file.opens")  # the first look-up of each table has to miss
    capacity = about.number("block_cache_options.capacity")
    if hits + misses < _LEAST_READS or capacity is None or again < _INDEX_MISSES * (hits + misses):
        return
    yield ServiceFinding(
        "filters-thrashing",
        about.family,
        "Indexes and filters fall out of the block cache and are read again.",
        (f"{misses:,} of {hits + misses:,} look-ups of them missed, in a cache of {_size(capacity)}",),
        "RocksDB wiki, Partitioned Index Filters; facebook/rocksdb issues 3961, 9816, 12579",
        Sure.HIGH,
        (
            Try("larger block cache", {"cache_size": int(4 * capacity)}, "they have room beside the data"),
            *_unless(
                about.is_on("partition_filters"),
                Try(
                    "partitioned indexes and filters",
                    {"partition_index_and_filters": True},
                    "parts of them are read, not all",
                ),
            ),
        ),
    )


def _no_filter(about: _About) -> Iterator[ServiceFinding]:
    reads, policy = about.ticker("number.keys.read"), about.options.get("filter_policy", "")
    if not about.is_busiest or reads < _LEAST_READS or policy not in ("nullptr", "NULL", "(nil)"):
        return
    read, found = about.ticker("number.keys.read"), about.ticker("bytes.read")
    yield ServiceFinding(
        "no-filter",
        about.family,
        "Keys are looked up and there is no filter, so every level that may have them is read.",
        (f"{read:,} keys were looked up, values of {_size(found)} were found; filter_policy is {policy}",),
        "RocksDB wiki, RocksDB Bloom Filter",
        Sure.MEDIUM,
        (Try("a filter of 10 bits", {"bloom_bits": 10}, "levels without the key are not read"),),
    )


def _small_files(about: _About) -> Iterator[ServiceFinding]:
    total = about.stats.total
    if total is None or total.files < _MANY_FILES or total.size_bytes / total.files >= _SMALL_FILE:
        return
    mean = total.size_bytes / total.files
    yield ServiceFinding(
        "many-small-files",
        about.family,
        "The data lies in many small files, each of which costs memory, an open file and work of compactions.",
        (f"{total.files:,} files of {_size(mean)} on average",),
        "RocksDB Tuning Guide (target_file_size_base)",
        Sure.MEDIUM,
        (
            *_unless(
                (about.number("target_file_size_base") or 0) >= 64 * _MIB,
                Try("larger files", {"target_file_size_base": 64 * _MIB}, "RocksDB's default"),
            ),
            *(
                (
                    Try(
                        "larger memtables",
                        {"write_buffer_size": 64 * _MIB},
                        "files of level 0 are as large as they are",
                    ),
                )
                if (about.number("write_buffer_size") or 64 * _MIB) < 16 * _MIB
                else ()
            ),
        ),
    )


def _compression(about: _About) -> Iterator[ServiceFinding]:
    written = about.events.written
    codecs = {name for name in written.codecs if name not in ("NoCompression", "")}
    if not codecs or set(written.codecs) != codecs or written.raw_bytes < _LEAST_RAW:
        return
    share = written.table_bytes / written.raw_bytes
    if share >= _SAVES_NOTHING:
        yield ServiceFinding(
            "compression-saves-nothing",
            about.family,
            "Compression costs processor time and saves nothing.",
            (f"{_size(written.raw_bytes)} became {_size(written.table_bytes)}, by {', '.join(sorted(codecs))}",),
            "RocksDB wiki, Compression",
            Sure.HIGH,
            (Try("no compression", {"compression_type": "none"}, "the values do not compress"),),
        )


def _intra_l0(about: _About) -> Iterator[ServiceFinding]:
    number = sum(about.events.compactions.values())
    inside = sum(count for (level, _), count in about.events.compactions.items() if level == 0)
    if not about.is_leveled or number < _LEAST_COMPACTIONS or inside < _INTRA * number:
        return
    yield ServiceFinding(
        "intra-l0-loop",
        about.family,
        "Compactions rewrite files of level 0 into level 0, again and again.",
        (f"{inside} of {number} compactions ended in level 0",),
        "facebook/rocksdb issues 6889, 10384",
        Sure.MEDIUM,
        _faster_l0(about),
    )


def _size(number: float) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", _MIB), ("KiB", 1 << 10)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.0f} B"


_RULES: tuple[Callable[[_About], Iterator[ServiceFinding]], ...] = (
    _stalls_memtables,
    _stalls_l0,
    _stalls_pending,
    _behind,
    _memory,
    _space,
    _tombstones,
    _cache,
    _thrashing,
    _no_filter,
    _small_files,
    _compression,
    _intra_l0,
)
