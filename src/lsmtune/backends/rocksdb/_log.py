"""What a RocksDB LOG says about flushes, compactions, moves and stalls."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar


@dataclass(frozen=True)
class Flush:
    """Memtables written to level 0; times in seconds since the epoch, sizes in bytes.

    Attributes:
        job: number of the job, unique while the database is open.
        started_s, finished_s: when; `finished_s` is None where the log ends before the flush does.
        bytes: of the table files that it wrote, as far as the log goes.
        blob_bytes: of the blob files that it wrote.
        entries: entries in the memtables, overwritten ones included; None where the log does not say.
        reason: in RocksDB's words, ``"Recovery"`` for what an open found in the write-ahead log.
        lsm_state: files per level afterwards; None while unfinished.
    """

    job: int
    started_s: float
    finished_s: float | None
    bytes: int
    blob_bytes: int
    entries: int | None
    reason: str
    lsm_state: tuple[int, ...] | None


@dataclass(frozen=True)
class Compaction:
    """Files merged into a level; times in seconds since the epoch, sizes in bytes.

    Attributes:
        job: number of the job, unique while the database is open.
        started_s, finished_s: when; `finished_s` is None where the log ends before the compaction does.
        reason: in RocksDB's words; empty where the log begins after the start.
        input_levels: the levels that files came from, ascending.
        output_level: None while unfinished.
        input_bytes: size of the input files; None where the log begins after the start.
        output_bytes: of the table files that it wrote, as far as the log goes.
        output_blob_bytes: of the blob files that it wrote.
        input_records, output_records: None where the log does not say.
        output_files: table files that it wrote; None where the log does not say.
        merge_time_s: from its first record to its last, without what comes before and after; None where the log does
            not say.
        lsm_state: files per level afterwards; None while unfinished.
    """

    job: int
    started_s: float
    finished_s: float | None
    reason: str
    input_levels: tuple[int, ...]
    output_level: int | None
    input_bytes: int | None
    output_bytes: int
    output_blob_bytes: int
    input_records: int | None
    output_records: int | None
    output_files: int | None
    merge_time_s: float | None
    lsm_state: tuple[int, ...] | None


@dataclass(frozen=True)
class TrivialMove:
    """Files that went to a level unchanged: no byte was written."""

    time_s: float
    level: int
    bytes: int
    files: int


@dataclass(frozen=True)
class Stall:
    """RocksDB began to slow writes down (``"stall"``) or to hold them (``"stop"``); `reason` in its words."""

    time_s: float
    kind: str
    reason: str


@dataclass(frozen=True)
class LogProblem:
    """A line of the log, counted from 1, that could not be read, and why."""

    line: int
    reason: str


_Timed = TypeVar("_Timed", Flush, Compaction, TrivialMove, Stall)


@dataclass(frozen=True)
class EventLog:
    """The events of a LOG, each kind in the order in which they began.

    Attributes:
        rocksdb_version: as the log's head says; None without a head.
        opened_s, last_line_s: times of the first and last line that has one; None where none has.
        first_event_s, last_event_s: times of the first and last event line; None without events.
        manual_flushes_s: when manual flushes began, of all column families together; after a load the first one marks
            its end.
        problems: lines that could not be read.
    """

    rocksdb_version: str | None = None
    opened_s: float | None = None
    last_line_s: float | None = None
    first_event_s: float | None = None
    last_event_s: float | None = None
    flushes: tuple[Flush, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    moves: tuple[TrivialMove, ...] = ()
    stalls: tuple[Stall, ...] = ()
    manual_flushes_s: tuple[float, ...] = ()
    problems: tuple[LogProblem, ...] = ()

    def flush_bytes(self) -> int:
        """Bytes that flushes wrote, tables and blobs, as the ticker rocksdb.flush.write.bytes counts them."""
        return sum(flush.bytes + flush.blob_bytes for flush in self.flushes)

    def compaction_bytes_written(self) -> int:
        """Bytes that compactions wrote, tables and blobs, as the ticker rocksdb.compact.write.bytes counts them."""
        return sum(each.output_bytes + each.output_blob_bytes for each in self.compactions)

    def compaction_bytes_read(self) -> int:
        """Bytes of the table files that compactions took in; blobs that were read along are left out."""
        return sum(each.input_bytes or 0 for each in self.compactions)

    def blob_bytes(self) -> int:
        """Bytes of blob files that flushes and compactions wrote."""
        flushed = sum(flush.blob_bytes for flush in self.flushes)
        return flushed + sum(each.output_blob_bytes for each in self.compactions)

    def after(self, time_s: float) -> "EventLog":
        """Return the log of what began at `time_s` (seconds since the epoch) or later."""
        return self._where(lambda began_s: began_s >= time_s)

    def before(self, time_s: float) -> "EventLog":
        """Return the log of what began before `time_s` (seconds since the epoch), finished or not by then."""
        return self._where(lambda began_s: began_s < time_s)

    def ended_by(self, time_s: float) -> "EventLog":
        """Return the log without the flushes and compactions that ended after `time_s`, or not at all."""
        return replace(
            self,
            flushes=tuple(each for each in self.flushes if each.finished_s is not None and each.finished_s <= time_s),
            compactions=tuple(
                each for each in self.compactions if each.finished_s is not None and each.finished_s <= time_s
            ),
        )

    def _where(self, keep: Callable[[float], bool]) -> "EventLog":
        return replace(
            self,
            flushes=_kept(self.flushes, keep),
            compactions=_kept(self.compactions, keep),
            moves=_kept(self.moves, keep),
            stalls=_kept(self.stalls, keep),
            manual_flushes_s=tuple(filter(keep, self.manual_flushes_s)),
        )


def _kept(records: tuple[_Timed, ...], keep: Callable[[float], bool]) -> tuple[_Timed, ...]:
    return tuple(record for record in records if keep(_began_s(record)))


def _began_s(record: Flush | Compaction | TrivialMove | Stall) -> float:
    return record.started_s if isinstance(record, Flush | Compaction) else record.time_s
