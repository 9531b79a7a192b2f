"""A LevelDB LOG as a time line."""

from lsmtune.backends.leveldb._log import Flush, LevelDbLog, Rewrite
from lsmtune.backends.leveldb._log_reader import read_log
from lsmtune.model import Job, JobKind, Move, Timeline, TreeState, WriteStall

_UNTOLD = (
    "LevelDB's LOG tells of the tree after compactions and moves alone, and neither where a flush went, nor what a "
    "compaction read, nor of a job that did not end."
)


def leveldb_timeline(log: LevelDbLog) -> Timeline:
    """Return what a LOG tells over time, from its first line on.

    It tells less than RocksDB's: nothing of what a compaction read, of entries, of a job that did not end, of the 1 ms
    by which level 0 slows writes down, or of the level that a flush reached (LevelDB may put it as deep as level 2).
    Where the clock was set back meanwhile, a job takes no time.
    """
    opened_s = log.opened_s or 0.0

    def after_s(time_s: float) -> float:
        return max(round(time_s - opened_s, 6), 0.0)

    def span_s(job: Flush | Rewrite) -> tuple[float, float]:
        ended_s = after_s(job.finished_s)
        started_s = ended_s if job.started_s is None else after_s(job.started_s)
        return min(started_s, ended_s), ended_s

    jobs = [
        Job(JobKind.FLUSH, None, *span_s(each), written_bytes=each.bytes, recovered=each.recovered)
        for each in log.flushes
    ]
    jobs += [
        Job(JobKind.COMPACTION, each.level + 1, *span_s(each), written_bytes=each.output_bytes)
        for each in log.compactions
    ]
    return Timeline(
        engine="leveldb",
        end_s=after_s(log.last_line_s or opened_s),
        jobs=tuple(sorted(jobs, key=lambda job: job.started_s)),
        moves=tuple(Move(after_s(each.time_s), each.level, each.bytes, 1) for each in log.moved),
        stalls=tuple(
            WriteStall(after_s(each.time_s), True, "level 0 is full" if each.level0 else "the memtable is full")
            for each in log.waits
        ),
        states=tuple(TreeState(after_s(each.time_s), each.files) for each in log.levels),
        unreadable=len(log.problems),
        untold=_UNTOLD,
        held="waits of writes logged",
    )


def read_timeline(lines: list[str]) -> Timeline | None:
    """Return a LOG as a time line; None where no line has a time."""
    told = read_log(lines)
    return None if told.opened_s is None else leveldb_timeline(told)
