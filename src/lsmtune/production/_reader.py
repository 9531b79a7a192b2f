"""Reading the LOGs of a service in one pass; most lines are dismissed by a substring."""

import re
from calendar import timegm
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsmtune.errors import UsageError
from lsmtune.production._dump import DumpReader
from lsmtune.production._files import CutOffError, find_logs, lines_of
from lsmtune.production._service_log import DEFAULT, Moment, Opening, ServiceLog, StallKind, StatsDump, Unread

_STAMP = re.compile(r"\[?(\d{4})[-/](\d\d)[-/](\d\d)[-T ] ?(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,18}))?")
_VERSION = re.compile(r"\b([A-Z]\w+) version: (\d+\.\d+(?:\.\d+)?)")
_OPTION = re.compile(r"\bOptions\.([\w.\[\]]+) *: ?(.*)")
_TABLE = re.compile(r"^\s+([\w.]+) ?: ?(.*)")
_FAMILY_OPTIONS = re.compile(r"Options for column family \[(.*?)\]")
_SESSION = re.compile(r"DB Session ID: +(\S+)")
_STALL = re.compile(r"\[([^\[\]]*)\] (Stalling|Stopping) writes(.*)")
_EVENT = re.compile(r'"job": (\d+), "event": "(\w+)"')
_NAMED = re.compile(r'"cf_name": "([^"]*)"')
_COMPRESSION = re.compile(r'"compression": "([^"]*)"')
_CAUSES = (("immutable memtable", "memtables"), ("level-0 files", "L0 files"), ("pending compaction", "pending bytes"))
_MOST_UNREAD = 20
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
        number = 0
        try:
            for number, line in enumerate(lines_of(path), 1):
                reader.take(line, path, number)
        except CutOffError:
            reader.miss(f"{path}:{number}", "what comes after, as the file is damaged or ends too early")
    log = reader.result(files)
    if log.first_s is None:
        names = ", ".join(str(path) for path in files)
        raise UsageError(f"{names}: no line begins like one of a LOG; give the LOG of a database, not its data")
    if not any(_tells(opening) for opening in log.openings):
        names = ", ".join(str(path) for path in files)
        raise UsageError(
            f"{names}: nothing in it is known from a LOG of RocksDB, and LevelDB's is not read yet; give older files"
        )
    return log


def _tells(opening: Opening) -> bool:
    """Whether anything was understood."""
    found = (opening.version, opening.options, opening.dump, opening.stalls, opening.flushes, opening.compactions)
    return any(found) or bool(opening.tables)


@dataclass
class _Gathered:
    """An opening while it is read."""

    time_s: float | None = None
    product: str = ""
    version: str = ""
    session: str = ""
    opened_s: float | None = None
    recovered: bool = False
    options: dict[str, str] = field(default_factory=dict)
    families: dict[str, dict[str, str]] = field(default_factory=dict)
    dump: StatsDump | None = None
    moments: list[Moment] = field(default_factory=list)
    stalls: Counter[StallKind] = field(default_factory=Counter)
    flushes: Counter[str] = field(default_factory=Counter)
    compactions: Counter[str] = field(default_factory=Counter)
    tables: Counter[tuple[str, str]] = field(default_factory=Counter)
    jobs: dict[str, str] = field(default_factory=dict)

    def goes_on_as(self, later: "_Gathered") -> bool:
        """Whether `later` is the same opening: the head of a LOG is written again when the file is rotated."""
        if later.session or self.session:
            return later.session == self.session
        return not later.recovered and later.version == self.version

    def joined(self, later: "_Gathered") -> "_Gathered":
        """Return both as one opening."""
        return replace(
            self,
            options={**self.options, **later.options},
            families={**self.families, **later.families},
            dump=later.dump or self.dump,
            moments=self.moments + later.moments,
            stalls=self.stalls + later.stalls,
            flushes=self.flushes + later.flushes,
            compactions=self.compactions + later.compactions,
            tables=self.tables + later.tables,
        )

    def opening(self) -> Opening:
        took_s = None if self.opened_s is None or self.time_s is None else round(self.opened_s - self.time_s, 6)
        return Opening(
            time_s=self.time_s,
            product=self.product,
            version=self.version,
            took_s=took_s if self.recovered else None,
            options=self.options,
            families=self.families,
            dump=self.dump,
            moments=tuple(self.moments),
            stalls=dict(self.stalls),
            flushes=dict(self.flushes),
            compactions=dict(self.compactions),
            tables=dict(self.tables),
        )


class _Reader:
    def __init__(self) -> None:
        self._lines = 0
        self._first_s: float | None = None
        self._last = ""
        self._now = _Gathered()
        self._before: list[_Gathered] = []
        self._family: str | None = None
        self._in_table, self._in_cache = False, False
        self._dump: DumpReader | None = None
        self._dump_place = ""
        self._unread: list[Unread] = []
        self._unread_count = 0

    def take(self, line: str, path: Path, number: int) -> None:
        self._lines += 1
        is_stamped = (line[:4].isdecimal() and line[4:5] in "/-") or (line[:1] == "[" and line[1:5].isdecimal())
        if not is_stamped:
            self._go_on(line)
            return
        self._last, self._in_table = line, False
        if self._first_s is None:
            self._first_s = _time_s(line)
        if "EVENT_LOG_v1" in line:
            self._event(line)
        elif "Options." in line or "table_factory options" in line:
            self._option(line)
        elif " version: " in line:
            self._opens(line)
        elif " writes" in line and ("Stalling" in line or "Stopping" in line):
            self._stalled(line)
        elif "DUMPING STATS" in line:
            self._end_dump()
            self._dump, self._dump_place = DumpReader(_time_s(line) or 0.0), f"{path}:{number}"
        else:
            self._head(line)

    def miss(self, place: str, what: str) -> None:
        """Keep that something could not be read."""
        self._unread_count += 1
        if len(self._unread) < _MOST_UNREAD:
            self._unread.append(Unread(place, what))

    def result(self, files: list[Path]) -> ServiceLog:
        self._end_dump(is_last=True)
        self._close()
        openings = [each for each in self._before if each.version or each.moments or each.options or each.stalls]
        return ServiceLog(
            files=tuple(str(path) for path in files),
            lines=self._lines,
            first_s=self._first_s,
            last_s=_time_s(self._last),
            openings=tuple(each.opening() for each in openings or [_Gathered()]),
            unread=tuple(self._unread),
            unread_count=self._unread_count,
        )

    def _go_on(self, line: str) -> None:
        """Take a line without a time: of tables' options, else of a dump, between whose parts others may write."""
        if self._in_table:
            self._table_option(line)
        elif self._dump is not None:
            self._dump.take(line)

    def _opens(self, line: str) -> None:
        match = _VERSION.search(line)
        if match is not None:
            self._end_dump()
            self._close()
            self._now = _Gathered(time_s=_time_s(line), product=match[1], version=match[2])
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
        elif "Recovering from manifest" in line:
            self._now.recovered = True
        elif "DB pointer" in line and self._now.opened_s is None:
            self._now.opened_s = _time_s(line)

    def _option(self, line: str) -> None:
        if "table_factory options" in line:
            self._in_table, self._in_cache = True, False
            self._table_option("  " + line.partition("table_factory options:")[2].strip())
            return
        match = _OPTION.search(line)
        if match is None:
            self._head(line)
            return
        holder = self._now.options if self._family is None else self._now.families.setdefault(self._family, {})
        holder.setdefault(match[1], match[2].strip())

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

    def _stalled(self, line: str) -> None:
        match = _STALL.search(line)
        if match is None:
            return
        cause = next((name for words, name in _CAUSES if words in match[3]), "other")
        self._now.stalls[StallKind(match[1], match[2] == "Stopping", cause)] += 1

    def _event(self, line: str) -> None:
        match = _EVENT.search(line)
        if match is None:
            return
        job, event, named = match[1], match[2], _NAMED.search(line)
        if named is not None:
            self._now.jobs[job] = named[1]
        family = self._now.jobs.get(job, DEFAULT)
        if event == "flush_finished":
            self._now.flushes[family] += 1
        elif event == "compaction_finished":
            self._now.compactions[family] += 1
        elif event == "table_file_creation":
            codec = _COMPRESSION.search(line)
            self._now.tables[family, codec[1] if codec is not None else ""] += 1

    def _end_dump(self, *, is_last: bool = False) -> None:
        if self._dump is None:
            return
        found, before = self._dump.result(), self._now.dump
        for what in self._dump.unread:
            self.miss(self._dump_place, what)
        if found is None:
            self.miss(self._dump_place, "a dump of statistics without its uptime")
        else:
            self._now.moments.append(Moment(found.time_s, found.uptime_s, found.ingest_gb, found.stall_s))
            gone = before.families.keys() - found.families if is_last and before is not None else ()
            is_whole = found.is_whole and not gone
            if not is_whole:
                self.miss(self._dump_place, "the rest of a dump of statistics, which ends too early")
            if is_whole or before is None:
                self._now.dump = found
        self._dump = None


def _time_s(line: str) -> float | None:
    """Return the time with which a line begins, in s since the epoch if the service's clock was UTC."""
    match = _STAMP.match(line)
    if match is None:
        return None
    *whole, part = match.groups(default="0")
    try:
        return timegm(tuple(map(int, whole))) + float(f"0.{part}")
    except (ValueError, OverflowError):
        return None
