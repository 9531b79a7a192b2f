"""Reading the LOG: flushes, compactions, moves, stalls, times."""

import re
import time

import pytest
from rocksdb_builders import VERSIONS, fixture, fixture_log, run_db_bench

from lsmtune.backends.rocksdb import Compaction, EventLog, Flush, Stall, TrivialMove, read_events

# The run whose LOG the fixtures hold.
STDOUT_OF_LOG = {"7.8.3": "fillrandom_stalls.stdout.txt", "11.8.1": "fillrandom.stdout.txt"}

FLUSH_STARTED = (
    '2026/11/21-19:15:35.467863 8189 EVENT_LOG_v1 {"time_micros": 1795288535467838, "job": 2, '
    '"event": "flush_started", "num_memtables": 1, "num_entries": 3508, "flush_reason": "Write Buffer Full"}'
)
TABLE = (
    '2026/11/21-19:15:35.500155 8189 EVENT_LOG_v1 {"time_micros": 1795288535500114, "cf_name": "default", "job": 2, '
    '"event": "table_file_creation", "file_number": 9, "file_size": 237253, "table_properties": {"data_size": 1}}'
)
FLUSH_FINISHED = (
    '2026/11/21-19:15:35.507912 8189 (Original Log Time 2026/11/21-19:15:35.507785) EVENT_LOG_v1 {"time_micros": '
    '1795288535507770, "job": 2, "event": "flush_finished", "lsm_state": [1, 0], "immutable_memtables": 0}'
)
COMPACTION_FINISHED = (
    'EVENT_LOG_v1 {"time_micros": 1795288535655777, "job": 6, "event": "compaction_finished", '
    '"compaction_time_micros": 42640, "output_level": 1, "total_output_size": 866520, "lsm_state": [0, 2]}'
)
STALL = (
    "2026/11/21-19:15:35.600000 8221 [WARN] [db/column_family.cc:944] [default] Stopping writes because we have 2 "
    "immutable memtables (waiting for flush), max_write_buffer_number is set to 2"
)


def ticker(stdout: str, name: str) -> int:
    match = re.search(rf"^{re.escape(name)} COUNT : (\d+)", stdout, re.MULTILINE)
    assert match is not None
    return int(match[1])


def assert_bytes_agree_with_tickers(log: EventLog, stdout: str) -> None:
    written = ticker(stdout, "rocksdb.flush.write.bytes") + ticker(stdout, "rocksdb.compact.write.bytes")
    assert log.flush_bytes() + log.compaction_bytes_written() == pytest.approx(written, rel=1e-3)


@pytest.mark.parametrize("version", VERSIONS)
def test_bytes_written_agree_with_the_tickers_of_the_run(version: str) -> None:
    log = read_events(fixture_log(version))
    stdout = fixture(version, STDOUT_OF_LOG[version])
    assert_bytes_agree_with_tickers(log, stdout)
    assert log.compaction_bytes_read() == pytest.approx(ticker(stdout, "rocksdb.compact.read.bytes"), rel=2e-3)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_event_of_a_log_is_read(version: str) -> None:
    lines = fixture_log(version)
    log = read_events(lines)
    assert log.rocksdb_version == version
    assert log.problems == ()
    assert len(log.flushes) == sum('"flush_finished"' in line for line in lines)
    assert len(log.compactions) == sum('"compaction_finished"' in line for line in lines)
    assert len(log.moves) == sum('"trivial_move"' in line for line in lines)
    assert len(log.stalls) == sum("writes because" in line for line in lines)
    assert all(flush.finished_s and flush.bytes and flush.entries for flush in log.flushes)
    assert all(each.finished_s and each.input_bytes and each.output_level for each in log.compactions)


def test_records_hold_what_the_lines_say() -> None:
    log = read_events(fixture_log("7.8.3"))
    assert log.flushes[0] == Flush(
        job=2,
        started_s=1795288535.467838,
        finished_s=1795288535.50777,
        bytes=237253,
        blob_bytes=0,
        entries=3508,
        reason="Write Buffer Full",
        lsm_state=(1, 0, 0, 0, 0, 0, 0),
    )
    assert log.compactions[1] == Compaction(
        job=11,
        started_s=1795288535.944249,
        finished_s=1795288536.136965,
        reason="LevelL0FilesNum",
        input_levels=(0, 1),
        output_level=1,
        input_bytes=1813829,
        output_bytes=1652772,
        output_blob_bytes=0,
        input_records=27292,
        output_records=25566,
        output_files=4,
        merge_time_s=0.19192,
        lsm_state=(2, 4, 0, 0, 0, 0, 0),
    )
    assert log.moves[0] == TrivialMove(time_s=1795288536.517327, level=2, bytes=2116477, files=4)


def test_the_end_of_the_load_splits_a_log_without_loss() -> None:
    log = read_events(fixture_log("7.8.3"))
    (end_s,) = log.manual_flushes_s
    load, rest = log.before(end_s), log.after(end_s)
    assert load.flushes + rest.flushes == log.flushes
    assert load.stalls + rest.stalls == log.stalls
    assert load.flush_bytes() + rest.flush_bytes() == log.flush_bytes()
    assert [flush.reason for flush in rest.flushes] == ["Manual Flush"]
    assert all(each.started_s < end_s for each in load.compactions)
    assert rest.manual_flushes_s == (end_s,)


def test_a_line_with_a_prefix_is_read() -> None:
    (flush,) = read_events([FLUSH_STARTED, TABLE, FLUSH_FINISHED]).flushes
    assert flush.finished_s == 1795288535.50777
    assert flush.lsm_state == (1, 0)


@pytest.mark.parametrize("stamp", ["2026/11/21-11:15", "2026/11/21-19:15", "2026/11/22-00:45"])
def test_text_lines_get_the_offset_of_the_first_event_line(stamp: str) -> None:
    local = [line.replace("2026/11/21-19:15", stamp) for line in (STALL, FLUSH_STARTED)]
    (record,) = read_events(local).stalls
    assert record.time_s == pytest.approx(1795288535.6, abs=1e-5)


def test_a_log_without_events_takes_this_machines_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC-2")
        time.tzset()
        (record,) = read_events([STALL]).stalls
    time.tzset()
    assert record.time_s == pytest.approx(1795288535.6 - 2 * 3600, abs=1e-5)


def test_stalls_and_stops_are_told_apart() -> None:
    stalling = STALL.replace("Stopping", "Stalling").replace("we have 2", "we have 20 level-0 files rate 8388608 and 2")
    records = read_events([FLUSH_STARTED, STALL, stalling]).stalls
    assert [record.kind for record in records] == ["stop", "stall"]
    assert isinstance(records[0], Stall)
    assert records[0].reason.startswith("we have 2 immutable memtables")


def test_a_broken_line_is_noted_and_the_rest_is_read() -> None:
    lines = [
        FLUSH_STARTED,
        TABLE[:170],
        TABLE,
        FLUSH_FINISHED[:150],
        'EVENT_LOG_v1 {"time_micros": 1, "event": "flush_started"}',
        "writes because of a torn line",
        FLUSH_FINISHED,
    ]
    log = read_events(lines)
    assert [problem.line for problem in log.problems] == [2, 4, 5, 6]
    assert [flush.bytes for flush in log.flushes] == [237253]


def test_a_flush_that_the_log_leaves_open_counts_what_it_wrote() -> None:
    (flush,) = read_events([FLUSH_STARTED, TABLE]).flushes
    assert flush.finished_s is None
    assert flush.lsm_state is None
    assert flush.bytes == 237253


def test_a_log_that_begins_in_the_middle_is_read() -> None:
    log = read_events([COMPACTION_FINISHED])
    (compaction,) = log.compactions
    assert compaction.started_s == pytest.approx(1795288535.655777 - 0.04264)
    assert compaction.input_bytes is None
    assert log.compaction_bytes_written() == 866520
    assert log.compaction_bytes_read() == 0


def test_a_file_without_its_job_is_a_problem() -> None:
    log = read_events([TABLE])
    assert log.flush_bytes() == 0
    assert [problem.line for problem in log.problems] == [1]


def test_jobs_of_a_second_open_are_jobs_of_their_own() -> None:
    log = read_events([FLUSH_STARTED, TABLE, FLUSH_STARTED, TABLE, FLUSH_FINISHED])
    assert [flush.finished_s is None for flush in log.flushes] == [True, False]
    assert log.flush_bytes() == 2 * 237253


def test_a_job_that_flushes_two_column_families_ends_twice() -> None:
    """With atomic_flush both ends follow both tables."""
    flushes = [FLUSH_STARTED, TABLE, FLUSH_STARTED, TABLE, FLUSH_FINISHED, FLUSH_FINISHED]
    log = read_events([*flushes, *flushes[:2], FLUSH_FINISHED])
    assert [(flush.finished_s, flush.bytes) for flush in log.flushes] == [(1795288535.50777, 237253)] * 3
    assert log.problems == ()


def test_a_manual_flush_of_several_column_families_is_one() -> None:
    starts = "[default] Manual", "[column_family_name_000001] Manual", "[default] Manual", "Manual atomic"
    lines = [f"2026/01/01-00:00:0{second}.000000 1 {start} flush start." for second, start in enumerate(starts)]
    first_s, *later_s = read_events(lines).manual_flushes_s
    assert [each_s - first_s for each_s in later_s] == [2, 3]


def test_a_recovery_that_writes_a_table_is_a_flush() -> None:
    start = 'EVENT_LOG_v1 {"time_micros": 1795288535467838, "job": 2, "event": "recovery_started", "wal_files": [4]}'
    finish = 'EVENT_LOG_v1 {"time_micros": 1795288535507770, "job": 2, "event": "recovery_finished", "status": "OK"}'
    (flush,) = read_events([start, TABLE, finish]).flushes
    assert (flush.reason, flush.bytes, flush.entries) == ("Recovery", 237253, None)
    assert read_events([start, finish]).flushes == ()


def test_an_empty_log_is_empty() -> None:
    assert read_events([]) == EventLog()


def test_first_and_last_event_bound_the_log() -> None:
    log = read_events([FLUSH_STARTED, TABLE, FLUSH_FINISHED])
    assert (log.first_event_s, log.last_event_s) == (1795288535.467838, 1795288535.50777)


def test_a_real_run_with_blobs_agrees_with_its_tickers() -> None:
    stdout, log_text = run_db_bench(
        "--benchmarks=fillrandom,flush",
        "--num=40000",
        "--write_buffer_size=262144",
        "--target_file_size_base=262144",
        "--max_bytes_for_level_base=524288",
        "--enable_blob_files=1",
        "--min_blob_size=50",
        "--blob_file_size=1000000",
        "--statistics=1",
    )
    log = read_events(log_text.splitlines())
    assert log.problems == ()
    # The ticker counts the 62 bytes around each file's blobs as well.
    assert log.blob_bytes() == pytest.approx(ticker(stdout, "rocksdb.blobdb.blob.file.bytes.written"), rel=1e-3)
    assert len(log.manual_flushes_s) == 1
    finished = [each for each in log.compactions if each.finished_s is not None]
    assert len(finished) > 0
    assert log.flush_bytes() == pytest.approx(ticker(stdout, "rocksdb.flush.write.bytes"), rel=1e-3)


def test_a_real_reopening_shows_its_recovery(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("db")
    run_db_bench("--benchmarks=fillrandom", "--num=2000", folder=folder)
    _, log_text = run_db_bench("--benchmarks=levelstats", "--use_existing_db=1", folder=folder)
    log = read_events(log_text.splitlines())
    assert [flush.reason for flush in log.flushes] == ["Recovery"]
    assert log.flush_bytes() > 50_000
