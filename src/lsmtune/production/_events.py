"""What the events in a LOG add up to: jobs by level and reason, what was written where, files of level 0 over time."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from lsmtune.backends.rocksdb import compressors_of
from lsmtune.production._clock import time_of
from lsmtune.production._over_time import OverTime, ShareOverTime

_DAY_S, _QUARTER_S = 86_400.0, 900.0
"""Most that the service's clock may be away from UTC, in which events are told."""
_MOST_JOBS = 10_000
"""Jobs whose end the LOG has not told; of more of them the oldest are forgotten, as their ends were lost."""
_MOST_LEVEL = 999
_NOT_SAID = "not said"
_OF_JOBS = frozenset(
    {
        "flush_started",
        "flush_finished",
        "compaction_started",
        "compaction_finished",
        "table_file_creation",
        "blob_file_creation",
    }
)

_EVENT = re.compile(r'"job": (\d+), "event": "(\w+)"')
_NAMED = '"cf_name": "'
_REASONS = ('"flush_reason": "', '"compaction_reason": "')
_BUFFERED = ('"num_entries": ', '"total_num_input_entries": ')
"""Records that a flush begins with, as 7.8 and 11.8 name them."""
_STATE = '"lsm_state": ['
_CODEC = '"compression": "'
_DIGITS = re.compile(r"\d{1,18}\b")
_LOG_FILES = re.compile(r'"(?:log|wal)_files": \[([\d, ]*)\]')  # the second since RocksDB 7
_RECORDS = re.compile(r'"num_input_records": (\d{1,18}), "num_output_records": (\d{1,18})')
_STAMP_LENGTH = 20
_second_of = lru_cache(maxsize=64)(time_of)  # many events have the same


@dataclass
class Written:
    """What jobs wrote into one level.

    Attributes:
        tables: how many table files.
        file_bytes: size of them and of blob files.
        table_bytes: of that, what is in table files.
        key_bytes, value_bytes: in them before compression, keys with the 8 B that the engine adds to each; 0 where the
            version does not say it.
        least_value, most_value: mean size of a value in the table where that is least, and most; None without values.
        index_bytes, filter_bytes: of that size, uncompressed as the LOG has them.
        entries, deletions: records, and how many of them delete.
        codecs: tables by their compression.
    """

    tables: int = 0
    file_bytes: int = 0
    table_bytes: int = 0
    key_bytes: int = 0
    value_bytes: int = 0
    least_value: float | None = None
    most_value: float | None = None
    index_bytes: int = 0
    filter_bytes: int = 0
    entries: int = 0
    deletions: int = 0
    codecs: Counter[str] = field(default_factory=Counter)

    @property
    def raw_bytes(self) -> int:
        """Keys and values before compression."""
        return self.key_bytes + self.value_bytes

    def take(self, line: str) -> None:
        """Take in a table or blob file that an event says was written."""
        blob_bytes = _number(line, '"total_blob_bytes": ')
        if blob_bytes is not None:
            self.file_bytes += blob_bytes
            return
        size = _number(line, '"file_size": ') or 0
        entries, deletions = _number(line, '"num_entries": ') or 0, _number(line, '"num_deletions": ') or 0
        value_bytes = _number(line, '"raw_value_size": ')
        self.tables += 1
        self.file_bytes += size
        self.table_bytes += size
        self.key_bytes += _number(line, '"raw_key_size": ') or 0
        self.index_bytes += _number(line, '"index_size": ') or 0
        self.filter_bytes += _number(line, '"filter_size": ') or 0
        self.entries += entries
        self.deletions += deletions
        if value_bytes is not None:
            self.value_bytes += value_bytes
            if entries > deletions:
                mean = value_bytes / (entries - deletions)
                self.least_value = mean if self.least_value is None else min(mean, self.least_value)
                self.most_value = mean if self.most_value is None else max(mean, self.most_value)
        codec = _text(line, _CODEC)
        if codec:
            self.codecs[compressors_of(codec)] += 1

    def add(self, other: "Written") -> None:
        """Take in what another has."""
        self.tables += other.tables
        self.file_bytes += other.file_bytes
        self.table_bytes += other.table_bytes
        self.key_bytes += other.key_bytes
        self.value_bytes += other.value_bytes
        means = [each for each in (self.least_value, other.least_value) if each is not None]
        self.least_value = min(means, default=None)
        means = [each for each in (self.most_value, other.most_value) if each is not None]
        self.most_value = max(means, default=None)
        self.index_bytes += other.index_bytes
        self.filter_bytes += other.filter_bytes
        self.entries += other.entries
        self.deletions += other.deletions
        if other.codecs:
            self.codecs += other.codecs


@dataclass
class FamilyEvents:
    """What the jobs of a column family did, as far as the LOG has their lines.

    Attributes:
        flushes: ended flushes by the reason that the LOG gives.
        compactions: ended compactions by output level and reason.
        levels: what was written, by level.
        flushed: of that, what flushes wrote.
        buffered: records in the memtables that these flushes began with; 0 where the LOG does not say it.
        taken_bytes: size of what compactions began with.
        records_in, records_out: records that compactions read and kept, without those that were cancelled.
        deletions: share of the records in written tables that delete, over time.
        memtables: memory of the memtables that a flush took, in B over time.
    """

    flushes: Counter[str] = field(default_factory=Counter)
    compactions: Counter[tuple[int, str]] = field(default_factory=Counter)
    levels: dict[int, Written] = field(default_factory=dict)
    flushed: Written = field(default_factory=Written)
    buffered: int = 0
    taken_bytes: int = 0
    records_in: int = 0
    records_out: int = 0
    deletions: ShareOverTime = field(default_factory=ShareOverTime)
    memtables: OverTime = field(default_factory=OverTime)

    def add(self, other: "FamilyEvents") -> None:
        """Take in what another has."""
        self.flushes += other.flushes
        self.compactions += other.compactions
        self.flushed.add(other.flushed)
        self.buffered += other.buffered
        self.taken_bytes += other.taken_bytes
        self.records_in += other.records_in
        self.records_out += other.records_out
        for level, written in other.levels.items():
            self.levels.setdefault(level, Written()).add(written)
        self.deletions.add(other.deletions)
        self.memtables.add(other.memtables)

    @property
    def dropped(self) -> float:
        """Share of the records that compactions read and did not keep; 0 without any."""
        return 1 - self.records_out / self.records_in if self.records_in else 0.0

    @property
    def grown(self) -> int:
        """Records that flushes brought and compactions did not drop."""
        return self.flushed.entries - (self.records_in - self.records_out)

    @property
    def written(self) -> Written:
        """All levels together."""
        found = Written()
        for each in self.levels.values():
            found.add(each)
        return found


@dataclass
class Events:
    """What the events of one opening add up to; memory does not grow with them.

    Attributes:
        families: by column family.
        l0_files: of the column family with the most of them, over time.
        recovered_logs: write-ahead logs that the opening had to read; None where that is not said.
        count: lines that were understood.
        tables: table files that were written, by column family and compression, also of jobs that have not ended.
        files_bytes: size of table and blob files that were written.
        net_bytes: what ended jobs wrote more than they made superfluous, as far as it is said.
        top_bytes: the most that this and the inputs of running compactions came to since `mark`.
    """

    families: dict[str, FamilyEvents] = field(default_factory=dict)
    l0_files: OverTime = field(default_factory=OverTime)
    recovered_logs: int | None = None
    count: int = 0
    tables: Counter[tuple[str, str]] = field(default_factory=Counter)
    files_bytes: int = 0
    net_bytes: int = 0
    top_bytes: int = 0
    _running_bytes: int = field(default=0, repr=False)
    _jobs: "dict[str, _Job]" = field(default_factory=dict, repr=False)

    def take(self, line: str, default: str) -> None:
        """Read an event line; a job that names no column family belongs to `default`."""
        match = _EVENT.search(line)
        if match is None:
            return
        job, event = match[1], match[2]
        if event == "recovery_started":
            self._recovers(line)
            return
        if event not in _OF_JOBS:
            return
        known = self._job(job, event, default)
        named = _text(line, _NAMED)
        if named is not None:
            known.family = named
        if event in ("table_file_creation", "blob_file_creation"):
            self._written(known, line, is_table=event == "table_file_creation")
        elif event in ("flush_finished", "compaction_finished"):
            ended = known.before.pop(0) if known.before else known
            self._end(ended, line, is_flush=event == "flush_finished")
            if ended is known:
                del self._jobs[job]
        else:
            self._begin(known, line, is_flush=event == "flush_started")
            if len(self._jobs) > _MOST_JOBS:
                lost = self._jobs.pop(next(iter(self._jobs)))
                self._running_bytes -= lost.taken_bytes or 0
        self.count += 1

    def mark(self) -> int:
        """Return `net_bytes`, from which `top_bytes` begins anew."""
        self.top_bytes = self.net_bytes + self._running_bytes
        return self.net_bytes

    def add(self, other: "Events") -> None:
        """Take in what another has."""
        for name, family in other.families.items():
            self.families.setdefault(name, FamilyEvents()).add(family)
        self.l0_files.add(other.l0_files)
        self.count += other.count
        self.tables += other.tables
        self.files_bytes += other.files_bytes
        self.recovered_logs = other.recovered_logs if self.recovered_logs is None else self.recovered_logs

    def _job(self, number: str, event: str, default: str) -> "_Job":
        """Return the job of an event, which may begin with it."""
        known = self._jobs.get(number)
        if known is None:
            known = self._jobs[number] = _Job(default)
        elif event == "flush_started" and known.reason:  # atomic_flush: a job for all column families
            before, known.before = known.before, []
            known = self._jobs[number] = _Job(default, before=[*before, known])
        return known

    def _begin(self, job: "_Job", line: str, *, is_flush: bool) -> None:
        job.reason = _text(line, _REASONS[0 if is_flush else 1]) or job.reason
        if is_flush:
            job.memory_bytes = _number(line, '"memory_usage": ')
            job.buffered = next(filter(None, (_number(line, name) for name in _BUFFERED)), 0)
            return
        self._running_bytes -= job.taken_bytes or 0
        job.taken_bytes = _number(line, '"input_data_size": ')
        self._running_bytes += job.taken_bytes or 0
        self.top_bytes = max(self.top_bytes, self.net_bytes + self._running_bytes)

    def _written(self, job: "_Job", line: str, *, is_table: bool) -> None:
        written = job.written
        size, entries, deletions = written.file_bytes, written.entries, written.deletions
        written.take(line)
        self.files_bytes += written.file_bytes - size
        if not is_table:
            return
        self.tables[job.family, _text(line, _CODEC) or ""] += 1
        entries = written.entries - entries
        if entries:
            time_s = _time(line)
            if time_s is not None:
                self._family(job.family).deletions.put(time_s, written.deletions - deletions, entries)

    def _family(self, name: str) -> FamilyEvents:
        found = self.families.get(name)
        if found is None:
            found = self.families[name] = FamilyEvents()
        return found

    def _end(self, job: "_Job", line: str, *, is_flush: bool) -> None:
        family = self._family(job.family)
        level = None if is_flush else _number(line, '"output_level": ')
        place = 0 if level is None or level > _MOST_LEVEL else level
        time_s = _time(line)
        if is_flush:
            family.flushes[job.reason or _NOT_SAID] += 1
            family.flushed.add(job.written)
            family.buffered += job.buffered
            self.net_bytes += job.written.file_bytes
            if job.memory_bytes is not None and time_s is not None:
                family.memtables.put(time_s, job.memory_bytes)
        else:
            family.compactions[place, job.reason or _NOT_SAID] += 1
            if job.taken_bytes is not None:
                family.taken_bytes += job.taken_bytes
                self.net_bytes += job.written.file_bytes - job.taken_bytes
                self._running_bytes -= job.taken_bytes
            records = _RECORDS.search(line)
            if records is not None and int(records[2]) <= job.written.entries:  # a cancelled one leaves no tables
                family.records_in += int(records[1])
                family.records_out += int(records[2])
        self.top_bytes = max(self.top_bytes, self.net_bytes + self._running_bytes)
        if place in family.levels:
            family.levels[place].add(job.written)
        else:
            family.levels[place] = job.written
        l0_files = _number(line, _STATE)
        if l0_files is not None and time_s is not None:
            self.l0_files.put(time_s, l0_files)

    def _recovers(self, line: str) -> None:
        logs = _LOG_FILES.search(line)
        if logs is not None and self.recovered_logs is None:
            self.recovered_logs = len([each for each in logs[1].split(",") if each.strip()])


@dataclass
class _Job:
    """A job that has not ended; sizes are None where its beginning did not say them.

    With ``atomic_flush`` a job flushes column families one after the other, and all of their ends follow: `before` has
    those that it flushed before this one.
    """

    family: str
    reason: str = ""
    written: Written = field(default_factory=Written)
    taken_bytes: int | None = None
    memory_bytes: int | None = None
    buffered: int = 0
    before: "list[_Job]" = field(default_factory=list, repr=False)


def _number(line: str, name: str) -> int | None:
    """Return the number behind a name; None where there is none, or one of more than 18 digits."""
    at = line.find(name)
    match = _DIGITS.match(line, at + len(name)) if at >= 0 else None
    return None if match is None else int(match[0])


def _text(line: str, name: str) -> str | None:
    """Return the text behind a name, up to its quote."""
    at = line.find(name)
    if at < 0:
        return None
    begin = at + len(name)
    end = line.find('"', begin)
    return None if end < 0 else line[begin:end]


def _time(line: str) -> float | None:
    """Return when the event was, by the clock of the lines; None where it is far from its line, so damaged.

    Events count in UTC, lines in the local time of the service, which is off by quarters of an hour.
    """
    micros, time_s = _number(line, '"time_micros": '), _second_of(line[:_STAMP_LENGTH])
    if micros is None or time_s is None:
        return None
    event_s = micros / 1e6
    off_s = round((time_s - event_s) / _QUARTER_S) * _QUARTER_S
    return event_s + off_s if abs(event_s - time_s) <= _DAY_S else None
