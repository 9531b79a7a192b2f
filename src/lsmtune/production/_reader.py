"""Reading the LOGs of a service in one pass; most lines are dismissed by a substring, or all of a block at once."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsmtune.errors import UsageError
from lsmtune.production._clock import time_of
from lsmtune.production._dump import DB_STATS, FAMILY_STATS, DumpReader
from lsmtune.production._events import Events
from lsmtune.production._files import CutOffError, blocks_of, find_logs
from lsmtune.production._leveldb_lines import PRODUCT, of_leveldb, take_leveldb
from lsmtune.production._over_time import OverTime
from lsmtune.production._service_log import (
    DEFAULT,
    FamilyStats,
    Moment,
    Opening,
    ServiceLog,
    StallKind,
    StatsDump,
    Unread,
    WalStats,
)

_VERSION = re.compile(r"\b([A-Z]\w+) version: (\d+\.\d+(?:\.\d+)?)")
_OPTION = re.compile(r"\bOptions\.([\w.\[\]]+) *: ?(.*)")
_TABLE = re.compile(r"^\s+([\w.]+) ?: ?(.*)")
_FAMILY_OPTIONS = re.compile(r"Options for column family \[(.*?)\]")
_SESSION = re.compile(r"DB Session ID: +(\S+)")
_SEQUENCE = re.compile(r"\blast_sequence is (\d{1,20})\b")
_STALL = re.compile(r"\[([^\[\]]*)\] (Stalling|Stopping) writes(.*)")
_SETTING = " on column family ["
_GIVEN_TO = re.compile(r"\bon column family \[(.*?)\].*, inputs:")
_GIVEN = re.compile(r"\] ([a-z]\w*): (.*)")
_SET = re.compile(r"\bSet ?[Oo]ptions(?:\(\))?.* (succeeded|failed)\b")
_WAL_THERE, _WAL_FULL = "Write Ahead Log file in ", "Flushing all column families with data in WAL"
_WAL_SIZE = re.compile(r"\d+\.log size: (\d{1,18})\b")
_WAL_FULL_SIZES = re.compile(r"Total log size is (\d{1,18}) while max_total_(?:wal|log)_size is (\d{1,18})\b")
_RARE = (
    "Options.",
    "table_factory options",
    " version: ",
    "Options for column family [",
    "DB Session ID:",
    _SETTING,
    " from manifest",
    "DB pointer",
    _WAL_THERE,
    _WAL_FULL,
)
"""Words of lines that are read, which most blocks of a LOG do not have."""
_CAUSES = (("immutable memtable", "memtables"), ("level-0 files", "L0 files"), ("pending compaction", "pending bytes"))
_MOST_UNREAD = 20
_MOST_IDLE = 7
"""Dumps in a row that RocksDB, since 7.8, leaves a column family out of in which nothing changes."""
_CACHE_OPTIONS = "block_cache_options"


def read_service(paths: Iterable[Path]) -> ServiceLog:
    """Read the LOGs of one database.

    Args:
        paths: see `find_logs`.

    Raises:
        UsageError: there is nothing to read, or no line of it is a LOG's.
    """
    files = find_logs(paths)
    reader = _Reader()
    for path in files:
        reader.begin(path)
        try:
            for text in blocks_of(path):
                reader.take(text)
        except CutOffError:
            reader.miss(reader.place, "what comes after, as the file is damaged or ends too early")
    log = reader.result(files)
    if log.first_s is None and log.last.dump is None:
        names = ", ".join(str(path) for path in files)
        raise UsageError(f"{names}: no line begins like one of a LOG; give the LOG of a database, not its data")
    if not any(_tells(opening) for opening in log.openings):
        names = ", ".join(str(path) for path in files)
        raise UsageError(f"{names}: nothing in it is known from a LOG of RocksDB or LevelDB; give older files")
    return log


def _tells(opening: Opening) -> bool:
    """Whether anything was understood."""
    found = (
        opening.version,
        opening.options,
        opening.dump,
        opening.stalls,
        opening.events.count,
    )
    return any(found)


@dataclass
class _Gathered:
    """An opening while it is read."""

    time_s: float | None = None
    product: str = ""
    version: str = ""
    session: str = ""
    opened_s: float | None = None
    recovered: bool = False
    sequence: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    set_later: dict[str, str] = field(default_factory=dict)
    set_in_families: dict[str, dict[str, str]] = field(default_factory=dict)
    families: dict[str, dict[str, str]] = field(default_factory=dict)
    dump: StatsDump | None = None
    moments: list[Moment] = field(default_factory=list)
    stalls: Counter[StallKind] = field(default_factory=Counter)
    places: dict[StallKind, tuple[str, str]] = field(default_factory=dict)
    events: Events = field(default_factory=Events)
    sizes: dict[str, OverTime] = field(default_factory=dict)
    wal: WalStats = field(default_factory=WalStats)

    def goes_on_as(self, later: "_Gathered") -> bool:
        """Whether `later` is the same opening: the head of a LOG is written again when the file is rotated."""
        if later.session or self.session:
            return later.session == self.session
        return not later.recovered and later.version == self.version and later.product != PRODUCT

    def joined(self, later: "_Gathered") -> "_Gathered":
        """Return both as one opening."""
        files_bytes = self.events.files_bytes
        grown = Counter({name: each.grown for name, each in self.events.families.items()})
        dump = self.dump
        if later.dump is not None:
            grown.update(later.dump.grown)
            dump = replace(later.dump, grown=dict(grown))
        self.events.add(later.events)
        for name, sizes in later.sizes.items():
            self.sizes.setdefault(name, OverTime()).add(sizes)
        first = {kind: begin for kind, (begin, _) in self.places.items()}
        return replace(
            self,
            options={**later.options, **self.options},  # a rotated LOG says the same again, or is damaged
            set_later={**self.set_later, **later.set_later},
            set_in_families=_laid_over(self.set_in_families, later.set_in_families),
            families=_laid_over(later.families, self.families),
            dump=dump,
            moments=[
                *self.moments,
                *(replace(each, files_bytes=each.files_bytes + files_bytes) for each in later.moments),
            ],
            stalls=self.stalls + later.stalls,
            wal=self.wal.joined(later.wal),
            places=self.places | {kind: (first.get(kind, begin), end) for kind, (begin, end) in later.places.items()},
        )

    def opening(self) -> Opening:
        took_s = None if self.opened_s is None or self.time_s is None else round(self.opened_s - self.time_s, 6)
        return Opening(
            time_s=self.time_s,
            product=self.product,
            version=self.version,
            took_s=took_s if self.recovered and (took_s or 0.0) >= 0 else None,  # a clock may be set back
            options=self.options,
            families=self.families,
            dump=self.dump,
            moments=tuple(self.moments),
            stalls=dict(self.stalls),
            places=self.places,
            events=self.events,
            sizes=self.sizes,
            wal=self.wal,
            sequence=self.sequence,
            set_later=self.set_later,
            set_in_families=self.set_in_families,
        )


class _Reader:
    def __init__(self) -> None:
        self._lines = 0
        self._path, self._number = Path(), 0
        self._first_s: float | None = None
        self._last = ""
        self._now = _Gathered()
        self._before: list[_Gathered] = []
        self._family: str | None = None
        self._set_family, self._settings = "", dict[str, dict[str, str]]()
        self._in_table, self._in_cache = False, False
        self._dump: DumpReader | None = None
        self._dump_place, self._dump_files_bytes, self._dump_net_bytes = "", 0, 0
        self._dump_grown: dict[str, int] = {}
        self._dump_line = ""
        self._idle: dict[str, int] = {}
        self._is_bare, self._bare_begin = True, ""
        self._unread: list[Unread] = []
        self._unread_count = 0

    def begin(self, path: Path) -> None:
        """Go on with another file; LevelDB begins one whenever it opens a database, and only then."""
        if self._now.product == PRODUCT:
            self._end_dump()
            self._close()
        self._path, self._number = path, 0
        self._is_bare, self._bare_begin = True, ""

    @property
    def place(self) -> str:
        """File and line that were read last."""
        return f"{self._path}:{self._number}"

    def take(self, text: str) -> None:
        """Read many lines; those that a LOG has only when a database is opened are looked for all at once."""
        lines = text.split("\n")
        has_rare = any(words in text for words in _RARE)
        self._lines += len(lines)
        number = self._number
        for number, line in enumerate(lines, self._number + 1):
            mark = line[4:5]
            if (mark in ("/", "-") and line[:4].isdecimal()) or (line[:1] == "[" and line[1:5].isdecimal()):
                self._last = line
                if self._first_s is None:
                    self._first_s = time_of(line)
                self._in_table = self._is_bare = False
                if "EVENT_LOG_v1" in line:
                    self._now.events.take(line, DEFAULT)
                else:
                    self._number = number
                    self._stamped(line, has_rare=has_rare)
            elif self._in_table:
                self._table_option(line)
            elif mark and line[:1] == "*":
                self._number = number
                self._heading(line)
            elif self._dump is not None:
                self._dump.take(line)
        self._number = number

    def _stamped(self, line: str, *, has_rare: bool) -> None:
        """Take a line that begins with a time and is no event."""
        if (self._settings or (has_rare and _SETTING in line)) and self._takes_setting(line):
            return
        if has_rare and ("Options." in line or "table_factory options" in line):
            self._option(line)
        elif has_rare and " version: " in line:
            self._opens(line)
        elif " writes" in line and ("Stalling" in line or "Stopping" in line):
            self._stalled(line, self.place)
        elif "DUMPING STATS" in line:
            self._begin_dump(time_of(line))
        elif not self._now.version and (text := of_leveldb(line)) is not None:
            self._of_leveldb(text, line, self.place)
        elif has_rare:
            self._head(line)

    def miss(self, place: str, what: str) -> None:
        """Keep that something could not be read."""
        self._unread_count += 1
        if len(self._unread) < _MOST_UNREAD:
            self._unread.append(Unread(place, what))

    def result(self, files: list[Path]) -> ServiceLog:
        self._end_dump(is_last=True)
        self._close()
        openings = [
            each
            for each in self._before
            if each.version or each.moments or each.options or each.stalls or each.events.count
        ]
        return ServiceLog(
            files=tuple(str(path) for path in files),
            lines=self._lines,
            first_s=self._first_s,
            last_s=time_of(self._last),
            openings=tuple(each.opening() for each in openings or [_Gathered()]),
            unread=tuple(self._unread),
            unread_count=self._unread_count,
        )

    def _heading(self, line: str) -> None:
        """Take the heading of a part of a dump, which may have no line that says that it is dumped."""
        is_whole, is_family = line.startswith(DB_STATS), line.startswith(FAMILY_STATS)
        if self._is_bare and (is_whole or is_family):  # the property rocksdb.stats, whose parts have either order
            begin = DB_STATS if is_whole else FAMILY_STATS
            if not self._bare_begin:
                self._bare_begin = begin
                self._begin_dump(None)
            elif begin == self._bare_begin and self._dump is not None and self._dump.has_db_stats:
                self._begin_dump(None)
        elif is_whole and self._dump is not None and self._dump.has_db_stats:  # the line that says it was lost
            self._begin_dump(time_of(self._last))
        if self._dump is not None:
            self._dump_line = self._last
            self._dump.take(line)

    def _opens(self, line: str) -> None:
        match = _VERSION.search(line)
        if match is not None:
            self._end_dump()
            self._close()
            self._now = _Gathered(time_s=time_of(line), product=match[1], version=match[2])
            self._settings = {}
            self._family = None

    def _close(self) -> None:
        if self._before and self._before[-1].goes_on_as(self._now):
            self._before[-1] = self._before[-1].joined(self._now)
        else:
            self._before.append(self._now)
        self._now = _Gathered()

    def _head(self, line: str) -> None:
        if "Options for column family [" in line:
            match = _FAMILY_OPTIONS.search(line)
            if match is not None:
                self._family = match[1]
                self._now.families.setdefault(match[1], {})
        elif "DB Session ID:" in line:
            match = _SESSION.search(line)
            if match is not None:
                self._now.session = match[1]
        elif " from manifest" in line:
            self._recovers(line)
        elif "DB pointer" in line and self._now.opened_s is None:
            self._now.opened_s = time_of(line)
        elif _WAL_THERE in line and self._now.wal.files is None:
            sizes = [int(size) for size in _WAL_SIZE.findall(line.partition(_WAL_THERE)[2])]
            self._now.wal = self._now.wal.joined(WalStats(len(sizes), sum(sizes)))
        elif _WAL_FULL in line:
            match = _WAL_FULL_SIZES.search(line)
            if match is not None:
                self._now.wal = self._now.wal.joined(WalStats(None, None, 1, int(match[1]), int(match[2])))

    def _recovers(self, line: str) -> None:
        self._now.recovered = self._now.recovered or "Recovering from manifest" in line
        match = _SEQUENCE.search(line)
        if match is not None and self._now.sequence is None:
            self._now.sequence = int(match[1])

    def _option(self, line: str) -> None:
        if "table_factory options" in line:
            self._in_table, self._in_cache = True, False
            self._table_option("  " + line.partition("table_factory options:")[2].strip())
            return
        match = _OPTION.search(line)
        if match is None:
            self._head(line)
            return
        name, value = match[1], match[2].strip()
        if self._family is None:
            self._now.options.setdefault(name, value)
        elif name in self._now.options:  # SetDBOptions prints them as the head does, behind those of column families
            self._now.set_later[name] = value
        else:
            self._now.families.setdefault(self._family, {}).setdefault(name, value)

    def _takes_setting(self, line: str) -> bool:
        """Take a line of ``SetOptions``, which says what it is given and then whether that is set; return whether.

        Old versions set options of one column family at a time, new ones of several.
        """
        family, given, end = _GIVEN_TO.search(line), _GIVEN.search(line), _SET.search(line)
        if family is not None:
            self._set_family = family[1]
            self._settings[family[1]] = {}
        elif end is not None:
            if end[1] == "succeeded":
                self._now.set_in_families = _laid_over(self._now.set_in_families, self._settings)
            self._settings = {}
        elif given is not None and self._settings:
            self._settings[self._set_family][given[1]] = given[2].strip()
        return (family or end or given) is not None

    def _table_option(self, line: str) -> None:
        match = _TABLE.match(line)
        if match is None or self._family is None:
            return
        name, value = match[1], match[2].strip()
        self._in_cache = line.startswith("    ") and self._in_cache
        if not value and name == _CACHE_OPTIONS:
            self._in_cache = True
            return
        name = f"{_CACHE_OPTIONS}.{name}" if self._in_cache else name
        self._now.families.setdefault(self._family, {}).setdefault(name, value)

    def _stalled(self, line: str, place: str) -> None:
        match = _STALL.search(line)
        if match is None:
            return
        cause = next((name for words, name in _CAUSES if words in match[3]), "other")
        self._keep_stall(StallKind(match[1], match[2] == "Stopping", cause), place)

    def _keep_stall(self, kind: StallKind, place: str) -> None:
        self._now.stalls[kind] += 1
        self._now.places[kind] = self._now.places.get(kind, (place, place))[0], place

    def _of_leveldb(self, text: str, line: str, place: str) -> None:
        if not self._now.product:
            known = self._now.events
            if self._now.options or known.count or known.recovered_logs is not None:
                return  # lines of two engines in one file
            self._now.product, self._now.time_s = PRODUCT, time_of(line)
        kind = take_leveldb(text, time_of(line), self._now.events)
        if kind is not None:
            self._keep_stall(kind, place)

    def _begin_dump(self, time_s: float | None) -> None:
        self._end_dump()
        self._dump, self._dump_place = DumpReader(time_s or 0.0), self.place
        self._dump_files_bytes, self._dump_net_bytes = self._now.events.files_bytes, self._now.events.mark()
        self._dump_grown = {name: each.grown for name, each in self._now.events.families.items()}

    def _end_dump(self, *, is_last: bool = False) -> None:
        if self._dump is None:
            return
        found, before = self._dump.result(), self._now.dump
        for what in self._dump.unread:
            self.miss(self._dump_place, what)
        if found is None:
            self.miss(self._dump_place, "a dump of statistics without its uptime")
        elif before is not None and before.time_s and not found.time_s and found.uptime_s < before.uptime_s:
            self.miss(self._dump_place, "a dump without a time that is older than those of the LOG")
        else:
            known = self._families_before()
            is_cut = is_last and self._dump_line == self._last and _lacks(found, known, self._dump)
            found = found if is_cut or not found.time_s else self._with_idle(found, known)
            is_whole = found.is_whole and not is_cut
            self._keep(found, is_whole=is_whole)
            if not is_whole:
                self.miss(self._dump_place, "the rest of a dump of statistics, which ends too early")
            if is_whole or before is None:
                self._now.dump = replace(found, grown=self._dump_grown)
        self._dump = None

    def _families_before(self) -> Mapping[str, FamilyStats]:
        """Return what the dump before said of each column family, also where the LOG was rolled since."""
        dump = self._now.dump
        if dump is None and self._before and self._before[-1].goes_on_as(self._now):
            dump = self._before[-1].dump
        return {} if dump is None else dump.families

    def _with_idle(self, dump: StatsDump, known: Mapping[str, FamilyStats]) -> StatsDump:
        """Add the column families that a dump leaves out, as it was said before, unless they must be dropped ones."""
        self._idle = {name: self._idle.get(name, 0) + 1 for name in known if name not in dump.families}
        kept = {name: stats for name, stats in known.items() if self._idle.get(name, 0) <= _MOST_IDLE}
        return replace(dump, families={**kept, **dump.families})

    def _keep(self, dump: StatsDump, *, is_whole: bool) -> None:
        """Keep what is kept of every dump."""
        growth = self._now.events.top_bytes - self._dump_net_bytes
        self._now.moments.append(_moment(dump, self._dump_files_bytes, growth, is_whole=is_whole))
        for name, stats in dump.families.items():
            if stats.total is not None and dump.time_s:
                self._now.sizes.setdefault(name, OverTime()).put(dump.time_s, int(stats.total.size_bytes))


def _laid_over(
    under: Mapping[str, Mapping[str, str]], over: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return options by column family; those of `over` count where both have one."""
    return {name: {**under.get(name, {}), **over.get(name, {})} for name in (*over, *under)}


def _lacks(dump: StatsDump, known: Mapping[str, FamilyStats], reader: DumpReader) -> bool:
    """Whether a dump with which a LOG ends has lost column families, and does not leave out idle ones.

    It leaves them out whole, so behind the end of a part nothing is lost. A dump without a time is of one alone.
    """
    return not known.keys() <= dump.families.keys() and not (dump.time_s and reader.has_ended)


def _moment(dump: StatsDump, files_bytes: int, growth_bytes: int, *, is_whole: bool) -> Moment:
    """Return what is kept of every dump; `growth_bytes` is the most that came to its size until the next one."""
    return Moment(
        time_s=dump.time_s,
        uptime_s=dump.uptime_s,
        ingest_gb=dump.ingest_gb,
        stall_s=dump.stall_s,
        files_bytes=files_bytes,
        compaction_s=dump.total("Comp(sec)") if is_whole else None,
        size_bytes=dump.size_bytes if is_whole else None,
        peak_bytes=dump.size_bytes + growth_bytes if is_whole else None,
        cache_bytes=dump.cache_bytes,
        wal_gb=dump.wal_gb,
        cache_hits=dump.counted("block.cache.hit"),
        cache_misses=dump.counted("block.cache.miss"),
        filter_useful=dump.counted("bloom.filter.useful"),
        filter_positive=dump.counted("bloom.filter.full.positive"),
        filter_true=dump.counted("bloom.filter.full.true.positive"),
        skipped=dump.counted("number.iter.skip"),
        moved=dump.counted("number.db.next", "number.db.prev", "number.db.seek"),
        reads=dump.counted("number.keys.read"),
        timed_reads=dump.counted("db.get.micros.count"),
        timed_us=dump.counted("db.get.micros.sum"),
    )
