"""A RocksDB LOG as a time line."""

from collections.abc import Callable

from lsmtune.backends.rocksdb._log import Compaction, EventLog, Flush
from lsmtune.backends.rocksdb._log_reader import read_events
from lsmtune.model import Job, JobKind, Move, Timeline, TreeState, WriteStall

_RECOVERY = "Recovery"


def rocksdb_timeline(log: EventLog) -> Timeline:
    """Return what a LOG tells over time, from its first line on.

    Blobs count with the tables. A clock that was set back while the database was open does not show in its events:
    what would lie before the first line is put there, and what would end before it starts takes no time.
    """
    known = [each for each in (log.opened_s, log.first_event_s) if each is not None]
    opened_s = min(known, default=0.0)
    ends = [each for each in (log.last_line_s, log.last_event_s) if each is not None]

    def after_s(time_s: float) -> float:
        # Whole microseconds: what a LOG tells, without the noise of subtracting large numbers.
        return max(round(time_s - opened_s, 6), 0.0)

    jobs = [_flush(each, after_s(each.started_s), _end(each, after_s)) for each in log.flushes]
    jobs += [_compaction(each, after_s(each.started_s), _end(each, after_s)) for each in log.compactions]
    ended: tuple[Flush | Compaction, ...] = (*log.flushes, *log.compactions)
    states = [
        TreeState(after_s(each.finished_s), each.lsm_state)
        for each in ended
        if each.finished_s is not None and each.lsm_state is not None
    ]
    return Timeline(
        engine="rocksdb",
        end_s=after_s(max(ends, default=opened_s)),
        jobs=tuple(sorted(jobs, key=lambda job: job.started_s)),
        moves=tuple(Move(after_s(each.time_s), each.level, each.bytes, each.files) for each in log.moves),
        stalls=tuple(WriteStall(after_s(each.time_s), each.kind == "stop", each.reason) for each in log.stalls),
        states=tuple(sorted(states, key=lambda state: state.time_s)),
        unreadable=len(log.problems),
    )


def _end(job: Flush | Compaction, after_s: Callable[[float], float]) -> float | None:
    return None if job.finished_s is None else max(after_s(job.finished_s), after_s(job.started_s))


def _flush(flush: Flush, started_s: float, ended_s: float | None) -> Job:
    return Job(
        kind=JobKind.FLUSH,
        level=0,
        started_s=started_s,
        ended_s=ended_s,
        written_bytes=flush.bytes + flush.blob_bytes,
        entries=flush.entries,
        reason=flush.reason,
        recovered=flush.reason == _RECOVERY,
    )


def _compaction(compaction: Compaction, started_s: float, ended_s: float | None) -> Job:
    return Job(
        kind=JobKind.COMPACTION,
        level=compaction.output_level,
        started_s=started_s,
        ended_s=ended_s,
        written_bytes=compaction.output_bytes + compaction.output_blob_bytes,
        read_bytes=compaction.input_bytes,
        reason=compaction.reason,
    )


def read_timeline(lines: list[str]) -> Timeline | None:
    """Return a LOG as a time line; None where no line has a time."""
    events = read_events(lines)
    known = events.opened_s is not None or events.first_event_s is not None
    return rocksdb_timeline(events) if known else None
