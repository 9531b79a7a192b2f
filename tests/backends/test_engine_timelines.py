"""LOGs of real engines, and small ones by hand, as time lines."""

import gzip
from pathlib import Path

import pytest

from lsmtune.backends.leveldb import leveldb_timeline, read_log
from lsmtune.backends.rocksdb import read_events, rocksdb_timeline
from lsmtune.errors import UsageError
from lsmtune.model import Job, JobKind, Timeline, TreeState, WriteStall

FIXTURES = Path(__file__).parents[1] / "fixtures"
HEAD = "2026/11/21-19:15:35.000000 7 RocksDB version: 7.8.3"
EPOCH_MICROS = 1795288535_000000  # what the stamp above is in UTC


def event(after_s: float, text: str) -> str:
    """A line of RocksDB's LOG, some time after its head."""
    return (
        f"2026/11/21-19:15:{35 + after_s:09.6f} 7 EVENT_LOG_v1 "
        f'{{"time_micros": {EPOCH_MICROS + round(after_s * 1e6)}, {text}}}'
    )


def packed(folder: str, name: str) -> list[str]:
    """The lines of a recorded LOG."""
    return gzip.decompress((FIXTURES / folder / name).read_bytes()).decode().splitlines()


SMALL = [
    HEAD,
    event(1.5, '"job": 2, "event": "flush_started", "num_entries": 100, "flush_reason": "Write Buffer Full"'),
    event(1.75, '"job": 2, "event": "table_file_creation", "file_size": 4096'),
    event(2.0, '"job": 2, "event": "flush_finished", "lsm_state": [1, 0, 0]'),
    "2026/11/21-19:15:37.250000 7 [WARN] [default] Stopping writes because we have 2 immutable memtables",
    "2026/11/21-19:15:37.500000 7 [WARN] [default] Stalling writes because we have 6 level-0 files rate 8",
    event(3.0, '"job": 3, "event": "compaction_started", "files_L0": [1], "input_data_size": 4096'),
    event(
        4.0,
        '"job": 3, "event": "compaction_finished", "output_level": 1, "total_output_size": 4000, "lsm_state": [0, 1]',
    ),
    event(4.5, '"job": 4, "event": "trivial_move", "destination_level": 2, "files": 1, "total_files_size": 4000'),
    event(5.0, '"job": 5, "event": "compaction_started", "files_L1": [2], "input_data_size": 4000'),
    "2026/11/21-19:15:41.000000 7 [db/db_impl/db_impl.cc:700] Shutdown complete",
]


def test_times_of_rocksdb_count_from_the_first_line_of_the_log() -> None:
    found = rocksdb_timeline(read_events(SMALL))
    flush = Job(JobKind.FLUSH, 0, 1.5, 2.0, 4096, entries=100, reason="Write Buffer Full")
    done = Job(JobKind.COMPACTION, 1, 3.0, 4.0, 4000, read_bytes=4096)
    cut_off = Job(JobKind.COMPACTION, None, 5.0, None, 0, read_bytes=4000)
    assert found.jobs == (flush, done, cut_off)
    assert found.end_s == 6.0
    assert found.stalls == (
        WriteStall(2.25, True, "we have 2 immutable memtables"),
        WriteStall(2.5, False, "we have 6 level-0 files rate 8"),
    )
    assert found.states == (TreeState(2.0, (1, 0, 0)), TreeState(4.0, (0, 1)))
    assert [(move.time_s, move.level, move.bytes, move.files) for move in found.moves] == [(4.5, 2, 4000, 1)]
    assert found.levels == 3
    assert found.lasted_s(cut_off) == 1.0


def test_a_clock_that_was_set_back_makes_no_job_end_before_it_begins() -> None:
    lines = [
        HEAD,
        event(3.0, '"job": 2, "event": "flush_started", "num_entries": 1, "flush_reason": "x"'),
        event(1.0, '"job": 2, "event": "flush_finished", "lsm_state": [1]'),
    ]
    (job,) = rocksdb_timeline(read_events(lines)).jobs
    assert (job.started_s, job.ended_s) == (3.0, 3.0)


def test_a_line_with_a_month_13_is_no_time() -> None:
    log = read_events(["2026/13/99-19:15:35.000000 7 RocksDB version: 7.8.3", *SMALL[1:]])
    assert log.opened_s == pytest.approx(EPOCH_MICROS / 1e6 + 1.5)
    assert log.rocksdb_version == "7.8.3"


@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_a_real_log_of_rocksdb_loses_nothing_on_the_way(version: str) -> None:
    log = read_events(packed(f"db_bench-{version}", "LOG.txt.gz"))
    found = rocksdb_timeline(log)
    flushes, compactions = found.of(JobKind.FLUSH), found.of(JobKind.COMPACTION)
    assert sum(job.written_bytes for job in flushes) == log.flush_bytes()
    assert sum(job.written_bytes for job in compactions) == log.compaction_bytes_written()
    assert len(found.stalls) == len(log.stalls) > 0
    assert list(found.jobs) == sorted(found.jobs, key=lambda job: job.started_s)
    assert all(0 < job.started_s <= (job.ended_s or found.end_s) <= found.end_s for job in found.jobs)
    assert all(0 <= stall.time_s <= found.end_s for stall in found.stalls)


def test_a_real_log_of_leveldb_loses_nothing_on_the_way() -> None:
    log = read_log(packed("leveldb_bench", "fill_and_reads.LOG.txt.gz"))
    found = leveldb_timeline(log)
    assert sum(job.written_bytes for job in found.of(JobKind.FLUSH)) == sum(log.flushed)
    assert sum(job.written_bytes for job in found.of(JobKind.COMPACTION)) == log.compacted_bytes
    # The first compaction of the file, read by eye.
    first = found.of(JobKind.COMPACTION)[0]
    assert (first.level, first.started_s, first.ended_s, first.written_bytes) == (1, 0.013004, 0.019625, 558651)
    assert found.states[0] == TreeState(0.019666, (4, 1, 1, 0, 0, 0, 0))
    assert len(found.stalls) == log.memtable_waits + log.level0_waits
    assert all(stall.stopped for stall in found.stalls)
    assert all(0 <= job.started_s <= (job.ended_s or 0) <= found.end_s for job in found.jobs)


def test_what_leveldb_found_in_its_write_ahead_log_is_marked() -> None:
    lines = (FIXTURES / "leveldb_bench" / "reads_of_a_load.LOG.txt").read_text().splitlines()
    found = leveldb_timeline(read_log(lines))
    assert len(found.of(JobKind.FLUSH)) > 40
    assert all(job.recovered for job in found.of(JobKind.FLUSH))
    assert found.moves


def test_an_empty_log_is_an_empty_time_line() -> None:
    assert rocksdb_timeline(read_events([])) == Timeline("rocksdb", 0.0)
    empty = leveldb_timeline(read_log([]))
    assert empty == Timeline("leveldb", 0.0, untold=empty.untold, held=empty.held)


def test_a_job_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(UsageError, match=r"lasts from 2.0 to 1.0 s"):
        Job(JobKind.FLUSH, 0, 2.0, 1.0, 0)
    with pytest.raises(UsageError, match=r"ends at -1.0 s"):
        Timeline("rocksdb", -1.0)
