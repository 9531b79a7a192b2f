"""What the events in a LOG add up to: jobs by level and reason, what was written where, files of level 0 over time."""

import re
from collections import Counter
from dataclasses import dataclass, field

from lsmtune.production._clock import time_of

_BINS = 120
_DAY_S = 86_400.0
"""Most that the service's clock may be away from UTC, in which events are told."""
_MOST_JOBS = 10_000
"""Jobs whose end the LOG has not told; of more of them the oldest are forgotten, as their ends were lost."""
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
_STARTS = frozenset({"flush_started", "compaction_started"})

_EVENT = re.compile(r'"job": (\d+), "event": "(\w+)"')
_TIME = re.compile(r'"time_micros": (\d{1,18})')
_NAMED = re.compile(r'"cf_name": "([^"]*)"')
_REASON = re.compile(r'"(?:compaction|flush)_reason": "([^"]*)"')
_STATE = re.compile(r'"lsm_state": \[(\d{1,9})\b')
_LEVEL = re.compile(r'"output_level": (\d{1,3})\b')
_CODEC = re.compile(r'"compression": "([^"]*)"')
_LOG_FILES = re.compile(r'"(?:log|wal)_files": \[([\d, ]*)\]')  # the second since RocksDB 7
_RECORDS = re.compile(r'"num_input_records": (\d{1,18}), "num_output_records": (\d{1,18})')
_TAKEN = re.compile(r'"input_data_size": (\d{1,18})\b')
_BUFFERED = re.compile(r'"num_memtables": \d+, "num_entries": (\d{1,18})\b')
_SIZES = re.compile(
    r'"(file_size|index_size|filter_size|raw_key_size|raw_value_size|num_entries|num_deletions|total_blob_bytes)": '
    r"(\d{1,18})\b"
)


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
        self.codecs += other.codecs


@dataclass
class FamilyEvents:
    """What the jobs of a column family did, as far as the LOG has their lines.

    Attributes:
        flushes: ended flushes by the reason that the LOG gives.
        compactions: ended compactions by output level and reason.
        levels: what was written, by level.
        flushed: of that, what flushes wrote.
        buffered: records in the memtables that these flushes began with; 0 where the version does not say it.
        taken_bytes: size of what compactions began with.
        records_in, records_out: records that compactions read and kept, without those that were cancelled.
    """

    flushes: Counter[str] = field(default_factory=Counter)
    compactions: Counter[tuple[int, str]] = field(default_factory=Counter)
    levels: dict[int, Written] = field(default_factory=dict)
    flushed: Written = field(default_factory=Written)
    buffered: int = 0
    taken_bytes: int = 0
    records_in: int = 0
    records_out: int = 0

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
class OverTime:
    """The largest value in each of at most 120 equal parts of the time; parts grow as time goes on.

    Attributes:
        begin_s: s since the epoch; None where there is nothing.
        width_s: of a part.
        most: by part; None where it has no value.
    """

    begin_s: float | None = None
    width_s: float = 1.0
    most: list[int | None] = field(default_factory=list)

    def put(self, time_s: float, value: int) -> None:
        """Take a value in; one from before the beginning counts at the beginning."""
        if self.begin_s is None:
            self.begin_s = time_s
        place = max(0, int((time_s - self.begin_s) / self.width_s))
        while place >= _BINS:
            self.most = [_larger(self.most[at : at + 2]) for at in range(0, len(self.most), 2)]
            self.width_s *= 2
            place = max(0, int((time_s - self.begin_s) / self.width_s))
        self.most += [None] * (place + 1 - len(self.most))
        self.most[place] = _larger([self.most[place], value])

    def add(self, other: "OverTime") -> None:
        """Take in what another has."""
        for place, value in enumerate(other.most):
            if value is not None and other.begin_s is not None:
                self.put(other.begin_s + (place + 0.5) * other.width_s, value)


@dataclass
class Events:
    """What the events of one opening add up to; memory does not grow with them.

    Attributes:
        families: by column family.
        l0_files: of the column family with the most of them, over time.
        recovered_logs: write-ahead logs that the opening had to read; None where that is not said.
        created_bytes: size of all tables and blob files so far, those of jobs that have not ended among them.
        count: lines that were understood.
    """

    families: dict[str, FamilyEvents] = field(default_factory=dict)
    l0_files: OverTime = field(default_factory=OverTime)
    recovered_logs: int | None = None
    created_bytes: int = 0
    count: int = 0
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
        known = self._jobs.setdefault(job, _Job(default))
        named = _NAMED.search(line)
        if named is not None:
            known.family = named[1]
        reason = _REASON.search(line)
        if reason is not None:
            known.reason = reason[1]
        if event in ("table_file_creation", "blob_file_creation"):
            created = _written(line)
            known.written.add(created)
            self.created_bytes += created.file_bytes
        elif event in _STARTS:
            known.begin(line)
        elif event in ("flush_finished", "compaction_finished"):
            self._end(known, line, is_flush=event == "flush_finished")
            self._put_l0_files(line)
            del self._jobs[job]
        if len(self._jobs) > _MOST_JOBS:
            del self._jobs[next(iter(self._jobs))]
        self.count += 1

    def add(self, other: "Events") -> None:
        """Take in what another has."""
        for name, family in other.families.items():
            self.families.setdefault(name, FamilyEvents()).add(family)
        self.l0_files.add(other.l0_files)
        self.created_bytes += other.created_bytes
        self.count += other.count
        self.recovered_logs = other.recovered_logs if self.recovered_logs is None else self.recovered_logs

    def _end(self, job: "_Job", line: str, *, is_flush: bool) -> None:
        family = self.families.setdefault(job.family, FamilyEvents())
        level = _LEVEL.search(line)
        place = 0 if level is None or is_flush else int(level[1])
        if is_flush:
            family.flushes[job.reason or "not said"] += 1
            family.flushed.add(job.written)
            family.buffered += job.buffered
        else:
            family.compactions[place, job.reason or "not said"] += 1
            family.taken_bytes += job.taken_bytes
            records = _RECORDS.search(line)
            if records is not None and int(records[2]) <= job.written.entries:  # a cancelled one leaves no tables
                family.records_in += int(records[1])
                family.records_out += int(records[2])
        family.levels.setdefault(place, Written()).add(job.written)

    def _recovers(self, line: str) -> None:
        logs = _LOG_FILES.search(line)
        if logs is not None and self.recovered_logs is None:
            self.recovered_logs = len([each for each in logs[1].split(",") if each.strip()])

    def _put_l0_files(self, line: str) -> None:
        """Keep the files of level 0; a time far from that of the line is damaged, and would bend all others."""
        state, micros, time_s = _STATE.search(line), _TIME.search(line), time_of(line)
        if state is None or micros is None or time_s is None:
            return
        event_s = int(micros[1]) / 1e6
        if abs(event_s - time_s) <= _DAY_S:
            self.l0_files.put(event_s, int(state[1]))


@dataclass
class _Job:
    """A job that has not ended."""

    family: str
    reason: str = ""
    written: Written = field(default_factory=Written)
    taken_bytes: int = 0
    buffered: int = 0

    def begin(self, line: str) -> None:
        """Keep what the job begins with."""
        taken, buffered = _TAKEN.search(line), _BUFFERED.search(line)
        self.taken_bytes = 0 if taken is None else int(taken[1])
        self.buffered = 0 if buffered is None else int(buffered[1])


def _written(line: str) -> Written:
    found = {name: int(text) for name, text in _SIZES.findall(line)}
    codec = _CODEC.search(line)
    values = found.get("num_entries", 0) - found.get("num_deletions", 0)
    mean = found["raw_value_size"] / values if values > 0 and "raw_value_size" in found else None
    is_table = "total_blob_bytes" not in found
    return Written(
        tables=int(is_table),
        file_bytes=found.get("file_size", 0) + found.get("total_blob_bytes", 0),
        table_bytes=found.get("file_size", 0),
        key_bytes=found.get("raw_key_size", 0),
        value_bytes=found.get("raw_value_size", 0),
        least_value=mean,
        most_value=mean,
        index_bytes=found.get("index_size", 0),
        filter_bytes=found.get("filter_size", 0),
        entries=found.get("num_entries", 0),
        deletions=found.get("num_deletions", 0),
        codecs=Counter({codec[1]: 1} if is_table and codec is not None and codec[1] else {}),
    )


def _larger(values: "list[int | None]") -> int | None:
    return max((value for value in values if value is not None), default=None)
