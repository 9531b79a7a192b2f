"""Reading what ``DUMPING STATS`` writes: a few lines of the database, a table and counts for each column family."""

import re
from dataclasses import dataclass, field, replace

from lsmtune.production._service_log import CacheStats, FamilyStats, LevelRow, StatsDump

_COUNTED = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SIZED = {"B": 1.0, "KB": 2.0**10, "MB": 2.0**20, "GB": 2.0**30, "TB": 2.0**40}
_NUMBER = r"(-?\d{1,18}(?:\.\d{1,18})?)"
_UPTIME = re.compile(rf"^Uptime\(secs\): {_NUMBER} total")
_WRITES = re.compile(rf"^Cumulative writes: {_NUMBER}([KMGT]?) writes, {_NUMBER}([KMGT]?) (?:keys|batches)")
_INGEST = re.compile(rf"ingest: {_NUMBER} GB")
_WAL = re.compile(rf"^Cumulative WAL: .*written: {_NUMBER} GB")
_STALL = re.compile(rf"^Cumulative stall: (\d{{1,9}}):(\d{{1,9}}):{_NUMBER} H:M:S, {_NUMBER} percent")
_FAMILY = re.compile(r"^\*\* Compaction Stats \[(.*)\] \*\*")
_FLUSHED = re.compile(rf"^Flush\(GB\): cumulative {_NUMBER}")
_OLD_STALL = re.compile(r"\b(\d{1,18}) ([a-zA-Z0-9_ ]+)")
_NEW_STALL = re.compile(r"([\w-]+): (\d{1,18})\b")
_CACHE = re.compile(  # 8.3.2 and later have a seed in between, 8.0.0 does not
    rf"^Block cache (\S+) capacity: {_NUMBER} ([KMGT]?B)(?: seed: \d+)?(?: usage: {_NUMBER} ([KMGT]?B))?"
)
_CACHE_AGE = re.compile(r"secs_since: (\d{1,9})\b")
_CACHE_ENTRIES = "Block cache entry stats("
_CACHE_ENTRY = re.compile(rf"(\w+)\(\d{{1,18}},{_NUMBER} ([KMGT]?B),")
_CELL = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)([KMGT]?)")  # nothing that is counted is negative
DB_STATS = "** DB Stats **"
"""Line with which the part on the whole database begins."""
FAMILY_STATS = "** Compaction Stats ["
"""Line with which the part on a column family begins."""
_READ_TIMES = "** File Read Latency Histogram By Level ["
"""Line with which the part on a column family ends; in older versions all of them follow behind all tables."""
_DATABASE_END = "Interval stall: "
"""Beginning of the line with which the part on the whole database ends, or nearly so."""
_BEGINNINGS = frozenset("*LPUCBSWFI")
_COUNT = " COUNT : "
_TIMES = "rocksdb.db.get.micros"
"""The histogram of which count and sum are kept; the others are passed over, as they are most lines."""
_SUM = re.compile(r"(\d{1,18}) SUM : (\d{1,18})")
_MOST_DIGITS = 18
_TOTALS = ("total", "interval")
_FILES, _SIZE, _SCORE = "Files", "Size", "Score"
_LEADING = 3  # columns before those whose cells are one number each: name, files, size


@dataclass
class DumpReader:
    """Takes the lines of one dump; what cannot be read stands in `unread`.

    What a dump says twice is another dump's whose beginning was lost, so what was said first counts.

    Attributes:
        time_s: when it was written.
        has_db_stats: whether the part on the whole database has begun.
        has_ended: whether the part that came last is there to its end; False where that has no mark.
        unread: lines that look like a part of the dump and are none, in words.
    """

    time_s: float
    has_db_stats: bool = False
    has_ended: bool = False
    unread: list[str] = field(default_factory=list)
    _fields: dict[str, float] = field(default_factory=dict)
    _families: dict[str, FamilyStats] = field(default_factory=dict)
    _tickers: dict[str, int] = field(default_factory=dict)
    _family: str | None = None
    _headings: list[str] = field(default_factory=list)
    _rows: dict[str, list[LevelRow]] = field(default_factory=dict)
    _stalls: dict[str, dict[str, int]] = field(default_factory=dict)
    _flushed: dict[str, float] = field(default_factory=dict)
    _caches: dict[str, CacheStats] = field(default_factory=dict)
    _cache: str = ""

    def take(self, line: str) -> None:
        """Read a line that has no time of its own."""
        begin = line[:1]
        if _COUNT in line:
            self._ticker(line)
        elif begin == " ":
            if self._headings:
                self._row(line)
        elif begin in _BEGINNINGS:  # else of a histogram, as most lines
            self._part(begin, line)

    def result(self) -> StatsDump | None:
        """Return what was read; None where the dump does not even say how long the database was open."""
        if "uptime_s" not in self._fields:
            return None
        families = {
            name: FamilyStats(tuple(rows), self._stalls.get(name, {}), self._flushed.get(name))
            for name, rows in self._rows.items()
        }
        return StatsDump(
            self.time_s, families=families, tickers=self._tickers, caches=self._caches, grown={}, **self._fields
        )

    def _part(self, begin: str, line: str) -> None:
        match begin:
            case "*":
                self._heading(line)
            case "L" | "P":
                self._columns(line)
            case "U":
                self._uptime(line)
            case "C":
                self._cumulative(line)
            case "I":
                self.has_ended = self.has_ended or line.startswith(_DATABASE_END)
            case "B":
                self._of_cache(line)
            case _:
                self._of_family(line)

    def _ticker(self, line: str) -> None:
        name, _, text = line.partition(_COUNT)
        name, text = name.lstrip(" "), text.rstrip()
        if text.isdecimal() and len(text) <= _MOST_DIGITS and " " not in name:
            self._tickers.setdefault(name, int(text))
        elif name.startswith(_TIMES) and (match := _SUM.fullmatch(text)) is not None:
            self._tickers.setdefault(f"{_TIMES}.count", int(match[1]))
            self._tickers.setdefault(f"{_TIMES}.sum", int(match[2]))

    def _heading(self, line: str) -> None:
        self.has_db_stats = self.has_db_stats or line.startswith(DB_STATS)
        match = _FAMILY.match(line)
        self.has_ended = line.startswith(_READ_TIMES) or (self.has_ended and match is None)
        self._family = match[1] if match is not None else None
        self._headings = []

    def _columns(self, line: str) -> None:
        if line.startswith("Level ") and self._family is not None:
            self._headings = line.split()
        elif line.startswith("Priority "):
            self._headings = []  # the same again by priority

    def _uptime(self, line: str) -> None:
        match = _UPTIME.match(line)
        if match is not None:
            self._fields.setdefault("uptime_s", float(match[1]))

    def _cumulative(self, line: str) -> None:
        writes, wal, stall = _WRITES.match(line), _WAL.match(line), _STALL.match(line)
        if writes is not None:
            self._fields.setdefault("writes", float(writes[1]) * _COUNTED[writes[2]])
            self._fields.setdefault("keys", float(writes[3]) * _COUNTED[writes[4]])
            ingest = _INGEST.search(line)
            if ingest is not None:
                self._fields.setdefault("ingest_gb", float(ingest[1]))
        elif wal is not None:
            self._fields.setdefault("wal_gb", float(wal[1]))
        elif stall is not None:
            hours, minutes, seconds = int(stall[1]), int(stall[2]), float(stall[3])
            self._fields.setdefault("stall_s", (hours * 60 + minutes) * 60 + seconds)
            self._fields.setdefault("stall_percent", float(stall[4]))

    def _of_family(self, line: str) -> None:
        name = self._family
        if name is None:
            return
        flushed = _FLUSHED.match(line)
        if flushed is not None:
            self._flushed.setdefault(name, float(flushed[1]))
        elif line.startswith("Stalls(count):"):
            found = {words.strip(): int(count) for count, words in _OLD_STALL.findall(line.partition(":")[2])}
            self._stall(name, found)
        elif line.startswith("Write Stall (count):"):
            counts = {words: int(count) for words, count in _NEW_STALL.findall(line.partition(":")[2])}
            self._stall(name, counts)

    def _of_cache(self, line: str) -> None:
        """Read a block cache, which each column family that uses it prints, and what is in it."""
        match = _CACHE.match(line)
        if match is not None:
            self._cache = "" if match[1] in self._caches else match[1]
            usage = None if match[4] is None else float(match[4]) * _SIZED[match[5]]
            age = _CACHE_AGE.search(line)
            stats = CacheStats(float(match[2]) * _SIZED[match[3]], usage, 0 if age is None else int(age[1]))
            self._caches.setdefault(match[1], stats)
        elif self._cache and line.startswith(_CACHE_ENTRIES):
            entries = {name: float(size) * _SIZED[unit] for name, size, unit in _CACHE_ENTRY.findall(line)}
            self._caches[self._cache] = replace(self._caches[self._cache], entries=entries)
            self._cache = ""

    def _stall(self, name: str, counts: dict[str, int]) -> None:
        kept = {words: count for words, count in counts.items() if not words.startswith(_TOTALS)}
        self._stalls.setdefault(name, kept)

    def _row(self, line: str) -> None:
        """Read a row of the table: ``L0  1/0  149.99 MB  0.6 ...``; sizes are two words, all else is one."""
        words = line.split()
        name = words[0] if words else ""
        if not (name == "Sum" or (name[:1] == "L" and name[1:].isdecimal())):
            return  # Int: since the last dump
        names = self._headings[_LEADING:]
        try:
            files = int(_count(words[1].partition("/")[0]))
            size_bytes = _count(words[2]) * _SIZED[words[3]]
            figures = dict(zip(names, map(_figure, words[_LEADING + 1 :]), strict=True))
        except (IndexError, KeyError, ValueError):
            self.unread.append(f"a row {name} of Compaction Stats [{self._family}]")
            return
        rows = self._rows.setdefault(self._family or "", [])
        if all(row.name != name for row in rows):
            rows.append(LevelRow(name, files, size_bytes, figures))


def _figure(word: str) -> float:
    """Read a number as `_count` does, or a difference, such as that in ``Wnew(GB)``, which may be negative.

    Raises:
        ValueError: it is none.
    """
    return -_count(word[1:]) if word.startswith("-") else _count(word)


def _count(word: str) -> float:
    """Read a number that may end in K, M, G or T.

    Raises:
        ValueError: it is none.
    """
    match = _CELL.fullmatch(word)
    if match is None:
        raise ValueError(word)
    return float(match[1]) * _COUNTED[match[2]]
