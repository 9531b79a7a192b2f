"""Reading a RocksDB LOG: one pass, most lines dismissed by a substring."""

import json
import re
from calendar import timegm
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from lsmtune.backends.rocksdb._log import Compaction, EventLog, Flush, LogProblem, Stall, TrivialMove

_MARK = "EVENT_LOG_v1 "
# Table events are long (1.8 kB) and many, and of their text three numbers count: a regex is 8x as fast as JSON.
_FILE_EVENT = re.compile(
    r'\{"time_micros": (\d+), .*?"job": (\d+), "event": "(?:table|blob)_file_creation",'
    r'.*?"(?:file_size|total_blob_bytes)": (\d+)'
)
_STALL = re.compile(r"(Stalling|Stopping) writes because (.*)")
# Of several column families each has a line, "default" the first; an atomic flush has one for all.
_MANUAL_FLUSH = re.compile(r"(?:\[default\] Manual|Manual atomic) flush start\.")
_VERSION = re.compile(r"RocksDB version: (\S+)")
_STAMP = re.compile(r"(\d{4})/(\d\d)/(\d\d)-(\d\d):(\d\d):(\d\d)\.(\d{6}) ")
_KIND = {"Stalling": "stall", "Stopping": "stop"}
# Time zones lie whole quarters of an hour apart.
_QUARTER_S = 900


def read_events(lines: Iterable[str]) -> EventLog:
    """Read the lines of a LOG.

    Times of events are their ``time_micros``. Other lines bear local time; its distance to the epoch is taken from the
    first event line, which has both, or from this machine's time zone where there is no event.
    A line that cannot be read becomes a `LogProblem`.
    """
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        reader.pass_by(line)
        if _MARK in line:
            reader.event(number, line)
        elif "writes because " in line or " flush start." in line:
            reader.remark(number, line)
        elif reader.version is None and "RocksDB version: " in line:
            match = _VERSION.search(line)
            reader.version = match[1] if match is not None else None
    return reader.result()


@dataclass
class _Job:
    """A flush or compaction while the log is read; `kind` is None until a start or finish tells.

    With ``atomic_flush`` a job flushes column families one after the other, and all of their ends follow: `earlier` is
    what it flushed before this one.
    """

    number: int
    started_s: float
    line: int
    kind: str | None = None
    finished_s: float | None = None
    bytes: int = 0
    blob_bytes: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    earlier: "_Job | None" = field(default=None, repr=False)


class _Reader:
    def __init__(self) -> None:
        self.version: str | None = None
        self._jobs: list[_Job] = []
        self._open: dict[int, _Job] = {}
        self._moves: list[TrivialMove] = []
        self._problems: list[LogProblem] = []
        self._stalls: list[tuple[float, re.Match[str]]] = []
        self._manual_flushes: list[float] = []
        self._first_s: float | None = None
        self._last_s: float | None = None
        self._offset_s: float | None = None
        self._opened_s: float | None = None
        self._last_line = ""
        self._handlers: dict[str, Callable[[int, float, dict[str, Any]], None]] = {
            "flush_started": self._flush_started,
            "recovery_started": self._flush_started,
            "flush_finished": self._flush_finished,
            "recovery_finished": self._flush_finished,
            "compaction_started": self._compaction_started,
            "compaction_finished": self._compaction_finished,
            "trivial_move": self._moved,
        }

    def pass_by(self, line: str) -> None:
        """Keep the first time of all, and the last line that begins as one with a time does."""
        if line[4:5] == "/" and line[:4].isdecimal():
            if self._opened_s is None:
                self._opened_s = _local_s(line)
            self._last_line = line

    def event(self, number: int, line: str) -> None:
        if "_file_deletion" in line:
            return
        start = line.index(_MARK) + len(_MARK)
        if '_file_creation"' in line:
            match = _FILE_EVENT.match(line, start)
            if match is None:
                self._problem(number, "a file event without time, job or size")
                return
            time_s = self._time(int(match[1]), line)
            self._written(number, time_s, int(match[2]), int(match[3]), is_blob="blob_file_creation" in line)
            return
        try:
            facts = json.loads(line[start:])
            time_s = self._time(int(facts["time_micros"]), line)
            handler = self._handlers.get(facts["event"])
            if handler is not None:
                handler(number, time_s, facts)
        except (ValueError, KeyError, TypeError) as error:
            self._problem(number, f"an event that cannot be read ({type(error).__name__}: {error})")

    def remark(self, number: int, line: str) -> None:
        stamp_s = _local_s(line)
        if stamp_s is None:
            self._problem(number, "a line without a time stamp")
            return
        stall = _STALL.search(line)
        if stall is not None:
            self._stalls.append((stamp_s, stall))
        elif _MANUAL_FLUSH.search(line):
            self._manual_flushes.append(stamp_s)

    def result(self) -> EventLog:
        for job in self._jobs:
            if job.kind is None:
                self._problem(job.line, f"job {job.number} wrote a file, but neither starts nor finishes here")
        stalls = (Stall(self._epoch_s(stamp_s), _KIND[stall[1]], stall[2].strip()) for stamp_s, stall in self._stalls)
        jobs = sorted(self._jobs, key=lambda job: job.started_s)
        last_s = _local_s(self._last_line)
        return EventLog(
            rocksdb_version=self.version,
            opened_s=None if self._opened_s is None else self._epoch_s(self._opened_s),
            last_line_s=None if last_s is None else self._epoch_s(last_s),
            first_event_s=self._first_s,
            last_event_s=self._last_s,
            flushes=tuple(_flush(job) for job in jobs if job.kind == "flush"),
            compactions=tuple(_compaction(job) for job in jobs if job.kind == "compaction"),
            moves=tuple(self._moves),
            stalls=tuple(stalls),
            manual_flushes_s=tuple(map(self._epoch_s, self._manual_flushes)),
            problems=tuple(sorted(self._problems, key=lambda problem: problem.line)),
        )

    def _problem(self, number: int, reason: str) -> None:
        self._problems.append(LogProblem(number, reason))

    def _time(self, time_micros: int, line: str) -> float:
        time_s = time_micros / 1e6
        if self._offset_s is None:
            stamp_s = _local_s(line)
            if stamp_s is not None:
                self._offset_s = round((time_s - stamp_s) / _QUARTER_S) * float(_QUARTER_S)
        self._first_s = time_s if self._first_s is None else min(self._first_s, time_s)
        self._last_s = time_s if self._last_s is None else max(self._last_s, time_s)
        return time_s

    def _epoch_s(self, stamp_s: float) -> float:
        if self._offset_s is not None:
            return stamp_s + self._offset_s
        # A naive datetime counts as local time.
        return datetime.fromtimestamp(stamp_s, UTC).replace(tzinfo=None).timestamp()

    def _job(self, number: int, time_s: float, line: int) -> _Job:
        job = self._open.get(number)
        if job is None:
            job = _Job(number, time_s, line)
            self._jobs.append(job)
            self._open[number] = job
        return job

    def _written(self, line: int, time_s: float, number: int, size_bytes: int, *, is_blob: bool) -> None:
        job = self._job(number, time_s, line)
        if is_blob:
            job.blob_bytes += size_bytes
        else:
            job.bytes += size_bytes

    def _flush_started(self, line: int, time_s: float, facts: dict[str, Any]) -> None:
        self._start("flush", line, time_s, facts)

    def _compaction_started(self, line: int, time_s: float, facts: dict[str, Any]) -> None:
        self._start("compaction", line, time_s, facts)

    def _start(self, kind: str, line: int, time_s: float, facts: dict[str, Any]) -> None:
        # A job number that starts again belongs to a later open of the database, or flushes another column family.
        earlier = self._open.pop(facts["job"], None)
        job = self._job(facts["job"], time_s, line)
        job.kind = kind
        job.earlier = earlier if earlier is not None and earlier.kind == kind == "flush" else None
        job.facts.update(facts)

    def _flush_finished(self, line: int, time_s: float, facts: dict[str, Any]) -> None:
        job = self._finish("flush", line, time_s, facts)
        if job.earlier is not None:
            self._open[job.number] = job.earlier
        if facts["event"] == "recovery_finished" and job.bytes + job.blob_bytes == 0:
            self._jobs.remove(job)

    def _compaction_finished(self, line: int, time_s: float, facts: dict[str, Any]) -> None:
        if facts["job"] not in self._open:
            self._job(facts["job"], time_s - facts.get("compaction_time_micros", 0) / 1e6, line)
        job = self._finish("compaction", line, time_s, facts)
        job.bytes = facts.get("total_output_size", job.bytes)

    def _finish(self, kind: str, line: int, time_s: float, facts: dict[str, Any]) -> _Job:
        job = self._job(facts["job"], time_s, line)
        del self._open[job.number]
        job.kind = kind
        job.finished_s = time_s
        job.facts.update({name: value for name, value in facts.items() if name != "event"})
        return job

    def _moved(self, _line: int, time_s: float, facts: dict[str, Any]) -> None:
        move = TrivialMove(time_s, facts["destination_level"], facts["total_files_size"], facts["files"])
        self._moves.append(move)


def _local_s(line: str) -> float | None:
    """Return the line's local time stamp, read as if it were UTC, in s; None without one, or with a month 13."""
    match = _STAMP.match(line)
    if match is None:
        return None
    year, month, day, hour, minute, second, micros = map(int, match.groups())
    try:
        return timegm((year, month, day, hour, minute, second)) + micros / 1e6
    except ValueError:
        return None


def _flush(job: _Job) -> Flush:
    facts = job.facts
    return Flush(
        job=job.number,
        started_s=job.started_s,
        finished_s=job.finished_s,
        bytes=job.bytes,
        blob_bytes=job.blob_bytes,
        # Renamed between 7.8.3 and 11.8.1.
        entries=facts.get("num_entries", facts.get("total_num_input_entries")),
        reason="Recovery" if facts.get("event") == "recovery_started" else facts.get("flush_reason", ""),
        lsm_state=_state(facts),
    )


def _compaction(job: _Job) -> Compaction:
    facts = job.facts
    levels = sorted(int(name[7:]) for name in facts if name.startswith("files_L"))
    return Compaction(
        job=job.number,
        started_s=job.started_s,
        finished_s=job.finished_s,
        reason=facts.get("compaction_reason", ""),
        input_levels=tuple(levels),
        output_level=facts.get("output_level"),
        input_bytes=facts.get("input_data_size"),
        output_bytes=job.bytes,
        output_blob_bytes=job.blob_bytes,
        input_records=facts.get("num_input_records"),
        output_records=facts.get("num_output_records"),
        output_files=facts.get("num_output_files"),
        merge_time_s=facts["compaction_time_micros"] / 1e6 if "compaction_time_micros" in facts else None,
        lsm_state=_state(facts),
    )


def _state(facts: dict[str, Any]) -> tuple[int, ...] | None:
    return tuple(facts["lsm_state"]) if "lsm_state" in facts else None
