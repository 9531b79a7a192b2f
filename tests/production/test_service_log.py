"""Reading the LOGs of services: figures are those that the LOG prints, and what cannot be read is told."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.production import ServiceLog, StallKind, changes_of, defaults_of, diagnosis_json, read_service

DATA = Path(__file__).parent / "data"
HEAD = """\
2026/11/23-14:44:25.435455 974 RocksDB version: 7.8.3
2026/11/23-14:44:25.435499 974 DB Session ID:  8VM0VF7RTDKFCY5P86AT
2026/11/23-14:44:25.435600 974                     Options.max_background_jobs: 4
2026/11/23-14:44:25.440898 974 [db/version_set.cc:5536] Recovering from manifest file: /db/MANIFEST-000001
2026/11/23-14:44:25.440999 974 [db/column_family.cc:619] --------------- Options for column family [default]:
2026/11/23-14:44:25.441000 974        Options.write_buffer_size: 4000000
2026/11/23-14:44:25.468036 974 DB pointer 0x55d2631f3380
"""
DUMP = """\
2026/11/23-14:44:{at:02d}.000000 980 [db/db_impl/db_impl.cc:1101] ------- DUMPING STATS -------
2026/11/23-14:44:{at:02d}.000100 980 [db/db_impl/db_impl.cc:1102]
** DB Stats **
Uptime(secs): {up}.0 total, 2.0 interval
Cumulative writes: 427K writes, 427K keys, 427K commit groups, 1.0 writes per commit group, ingest: 0.17 GB, 25.1 MB/s
Cumulative WAL: 427K writes, 0 syncs, 427000.00 writes per sync, written: 0.18 GB, 25.1 MB/s
Cumulative stall: 00:00:{stall:.3f} H:M:S, 45.1 percent

** Compaction Stats [default] **
Level    Files   Size     Score Read(GB)  Write(GB) W-Amp Comp(cnt) KeyIn KeyDrop
--------------------------------------------------------------------------------
  L0      3/1   5.79 MB   0.8      0.0       0.1   1.0        58       0      0
  L1      1/0  48.37 MB   0.2      0.5       0.5   4.1        14    614K   185K
 Sum      4/1  54.16 MB   0.0      0.5       0.6   4.8        72    614K   185K
 Int      0/0   0.00 KB   0.0      0.1       0.1   5.0        10    100K    20K

Uptime(secs): {up}.0 total, 2.0 interval
Flush(GB): cumulative 0.109, interval 0.020
Stalls(count): 17 level0_slowdown, 0 level0_numfiles, 3 memtable_compaction, interval 6 total count
"""


def read(folder: Path, text: str, name: str = "LOG") -> ServiceLog:
    (folder / name).write_text(text)
    return read_service([folder / name])


def test_the_head_tells_version_options_and_how_long_the_opening_took(tmp_path: Path) -> None:
    log = read(tmp_path, HEAD)
    (opening,) = log.openings
    assert (opening.product, opening.version, opening.took_s) == ("RocksDB", "7.8.3", 0.032581)
    assert opening.options == {"max_background_jobs": "4"}
    assert opening.families == {"default": {"write_buffer_size": "4000000"}}
    assert (log.lines, log.unread_count) == (7, 0)


def test_the_last_dump_says_what_it_prints(tmp_path: Path) -> None:
    opening = read(tmp_path, HEAD + DUMP.format(at=30, up=5, stall=1.0) + DUMP.format(at=32, up=7, stall=3.171)).last
    dump = opening.dump
    assert dump is not None
    assert (dump.uptime_s, dump.writes, dump.ingest_gb, dump.wal_gb) == (7.0, 427_000, 0.17, 0.18)
    assert (dump.stall_s, dump.stall_percent) == (3.171, 45.1)
    stats = dump.families["default"]
    assert [(row.name, row.files, row.figures["W-Amp"]) for row in stats.levels] == [
        ("L0", 3, 1.0),
        ("L1", 1, 4.1),
        ("Sum", 4, 4.8),
    ]
    assert stats.levels[1].figures["KeyIn"] == 614_000
    assert stats.levels[0].size_bytes == pytest.approx(5.79 * 2**20)
    assert stats.flushed_gb == 0.109
    assert stats.stalls == {"level0_slowdown": 17, "level0_numfiles": 0, "memtable_compaction": 3}
    assert [(each.uptime_s, each.stall_s) for each in opening.moments] == [(5.0, 1.0), (7.0, 3.171)]


def test_others_may_write_between_the_parts_of_a_dump(tmp_path: Path) -> None:
    first, *rest = DUMP.format(at=30, up=5, stall=1.0).splitlines(keepends=True)
    shutdown = "2026/11/23-14:44:30.000050 974 [/db_impl.cc:389] Shutdown: canceling all background work\n"
    statistics = "2026/11/23-14:44:30.000200 980 [db/db_impl.cc:761] STATISTICS:\nrocksdb.block.cache.miss COUNT : 61\n"
    dump = read(tmp_path, HEAD + first + shutdown + "".join(rest) + shutdown + statistics).last.dump
    assert dump is not None
    assert (dump.uptime_s, dump.tickers) == (5.0, {"rocksdb.block.cache.miss": 61})


def test_stalls_are_counted_by_what_the_engine_says(tmp_path: Path) -> None:
    said = (
        "2026/11/23-14:44:26.1 9 [WARN] [db/column_family.cc:944] [default] Stopping writes because we have 2 "
        "immutable memtables (waiting for flush), max_write_buffer_number is set to 2\n"
        + "2026/11/23-14:44:26.2 9 [WARN] [db/column_family.cc:1001] [users] Stalling writes because we have 4 level-0 "
        "files rate 8388608\n"
        * 2
        + "2026/11/23-14:44:26.3 9 [WARN] [x.cc:1] [users] Stalling writes because of estimated pending "
        "compaction bytes 9\n"
    )
    assert read(tmp_path, HEAD + said).last.stalls == {
        StallKind("default", is_stop=True, cause="memtables"): 1,
        StallKind("users", is_stop=False, cause="L0 files"): 2,
        StallKind("users", is_stop=False, cause="pending bytes"): 1,
    }


def test_flushes_by_full_write_ahead_logs_are_counted_in_the_engines_own_words(tmp_path: Path) -> None:
    """The words of RocksDB 6.11.4 and 11.8.1, db/db_impl/db_impl_write.cc."""
    said = (
        "2026/11/23-14:44:{}.1 9 [db/db_impl/db_impl_write.cc:1258] Flushing all column families with data in WAL "
        "number 9. Total log size is {} while max_total_wal_size is 1000\n"
    )
    wal = read(tmp_path, HEAD + said.format(26, 1010) + said.format(27, 1003)).last.wal
    assert (wal.flushes, wal.largest_bytes, wal.bound_bytes) == (2, 1010, 1000)


def test_what_was_set_while_the_database_was_open_is_of_the_database(tmp_path: Path) -> None:
    """SetDBOptions prints options as the head does; a LOG that is rolled repeats them behind its head."""
    again = "2026/11/23-14:45:01.0 9             Options.max_background_jobs: {}\n"
    said = "2026/11/23-14:45:00.0 9 [db/db_impl/db_impl.cc:1] SetDBOptions() succeeded\n" + again.format(8)
    (tmp_path / "LOG.old.1").write_text(HEAD + said)
    (tmp_path / "LOG").write_text(HEAD.replace("Recovering", "x") + again.format(8) + again.format(6))
    opening = read_service([tmp_path]).last
    assert opening.options == {"max_background_jobs": "4"}
    assert opening.families == {"default": {"write_buffer_size": "4000000"}}
    (change,) = changes_of(opening, None)
    assert (change.of, change.option, change.default, change.here) == ("database", "max_background_jobs", "4", "6")


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("SetOptions() on column family [default], inputs:", "[default] SetOptions() succeeded"),
        (
            "Set options on column family [default] (1/1), inputs:",
            "Set options on column family [default] (1/1) succeeded, updated CF options:",
        ),
    ],
)
def test_what_was_set_in_a_column_family_counts_if_the_engine_took_it(tmp_path: Path, begin: str, end: str) -> None:
    """In the words of RocksDB 6 to 10, and of newer ones; a LOG that is rolled repeats what was at the opening."""
    line = "2026/11/23-14:45:00.0 9 [db/db_impl/db_impl.cc:1238] {}\n"
    other = "2026/11/23-14:45:00.0 8 [db/flush_job.cc:858] [default] [JOB 3] Level-0 flush table #10: started\n"

    def said(value: int, ending: str) -> str:
        return line.format(begin) + other + line.format(f"write_buffer_size: {value}\n") + line.format(ending)

    (tmp_path / "LOG.old.1").write_text(HEAD + said(8_000_000, end))
    (tmp_path / "LOG").write_text(HEAD.replace("Recovering", "x") + said(9_000_000, "[default] SetOptions() failed"))
    opening = read_service([tmp_path]).last
    assert opening.families == {"default": {"write_buffer_size": "4000000"}}
    (change,) = changes_of(opening, None)
    assert (change.of, change.option, change.default, change.here) == (
        "[default]",
        "write_buffer_size",
        "4000000",
        "8000000",
    )


@pytest.mark.parametrize("between", ["", "seed: 2147411100 "])
def test_what_a_block_cache_holds_is_read_in_the_words_of_each_version(tmp_path: Path, between: str) -> None:
    """RocksDB 8.0.0 writes no seed, 8.3.2 to 11.8.1 do; nothing is said of the entries of an empty cache."""
    cache = f"Block cache LRUCache@0x1#9 capacity: 8.00 MB {between}usage: 2.00 KB table_size: 64 secs_since: 0\n"
    dump = read(tmp_path, HEAD + DUMP.format(at=30, up=5, stall=1.0) + cache).last.dump
    assert dump is not None
    assert dump.cache_bytes == 2048


def test_a_rotated_log_goes_on_and_another_session_is_another_opening(tmp_path: Path) -> None:
    later = HEAD.replace("14:44:25", "15:44:25").replace("8VM0VF7RTDKFCY5P86AT", "9VM0VF7RTDKFCY5P86AT")
    rolled = "".join(
        line for line in HEAD.splitlines(keepends=True) if "manifest" not in line and "pointer" not in line
    )
    (tmp_path / "LOG.old.1700000000000000").write_text(HEAD + DUMP.format(at=30, up=5, stall=1.0))
    packed = gzip.compress((rolled.replace("14:44:25", "14:50:25") + DUMP.format(at=59, up=400, stall=1.5)).encode())
    (tmp_path / "LOG.old.1700000000000001.gz").write_bytes(packed)
    (tmp_path / "LOG").write_text(later)
    log = read_service([tmp_path])
    assert [Path(name).name for name in log.files] == [
        "LOG.old.1700000000000000",
        "LOG.old.1700000000000001.gz",
        "LOG",
    ]
    assert [(len(each.moments), each.took_s) for each in log.openings] == [(2, 0.032581), (0, 0.032581)]


def test_the_one_older_log_of_leveldb_is_read_and_is_an_opening_of_its_own(tmp_path: Path) -> None:
    """LevelDB begins a LOG anew whenever a database is opened, and keeps the one before."""
    line = "2026/11/23-14:{:02d}:00.000000 7f14 {}\n"
    flushed = "Level-0 table #{}: 1000 bytes OK"
    before = [line.format(0, "Recovering log #3"), *(line.format(at, flushed.format(at)) for at in (1, 2))]
    (tmp_path / "LOG.old").write_text("".join(before))
    (tmp_path / "LOG").write_text(line.format(10, "Recovering log #9") + line.format(11, flushed.format(11)))
    log = read_service([tmp_path])
    assert [Path(name).name for name in log.files] == ["LOG.old", "LOG"]
    assert [each.product for each in log.openings] == ["LevelDB", "LevelDB"]
    assert [each.flushes for each in log.openings] == [{"default": 2}, {"default": 1}]
    assert [each.events.recovered_logs for each in log.openings] == [1, 1]


def test_a_session_of_another_program_may_stand_in_front_of_each_line(tmp_path: Path) -> None:
    ceph = "".join(
        f"2026-11-23T14:44:25.435+0000 7f4a9fdff700  4 rocksdb: {line.split(' ', 2)[2]}"
        for line in HEAD.splitlines(keepends=True)
    )
    opening = read(tmp_path, ceph, "ceph-osd.0.log").last
    assert (opening.version, opening.families["default"]["write_buffer_size"]) == ("7.8.3", "4000000")


def test_real_logs_are_read() -> None:
    found = read_service([DATA / "sample.LOG.gz"]).last
    assert (found.product, found.version) == ("SpeeDB", "6.22.1")
    assert set(found.families) == {"default", "_sample/CF_1", "_sample/CF-2", ""}
    assert found.families["default"]["block_cache_options.capacity"] == "209715200"
    assert found.stalls == {StallKind("", is_stop=False, cause="other"): 1}
    assert found.dump is not None
    assert (found.dump.stall_percent, found.dump.families["default"].levels[3].files) == (98.7, 421)
    counted = read_service([DATA / "sample-statistics.LOG.gz"]).last
    assert counted.version == ""
    assert counted.dump is not None
    assert counted.dump.tickers["rocksdb.block.cache.miss"] == 61
    assert read_service([DATA / "damaged.LOG.gz"]).last.version == "6.22.1"


@pytest.mark.parametrize("version", ["6.0.1", "8.8.1"])
def test_a_database_opened_with_defaults_differs_in_nothing(version: str) -> None:
    opening, defaults = read_service([DATA / f"fresh-{version}.LOG.gz"]).last, defaults_of(version)
    assert defaults.version == version
    different = {name for name, value in opening.options.items() if defaults.database[name] not in ("*", value)}
    family = opening.families["default"]
    assert different | {name for name, value in family.items() if defaults.family[name] not in ("*", value)} == set()


def test_defaults_follow_the_version_and_name_the_one_they_are_of() -> None:
    assert defaults_of("8.1.1").family["block_cache_options.capacity"] == "8388608"
    assert defaults_of("8.3.2").family["block_cache_options.capacity"] == "33554432"
    assert [defaults_of(each).version for each in ("5.18.3", "6.22.1", "11.8.1")] == ["6.0.1", "6.19.3", "8.8.1"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: folder / "gone", r"there is no .*gone; give a folder of a database"),
        (lambda folder: folder, r"has no LOG, so it is no folder of a database"),
        (lambda folder: _written(folder / "LOG", b""), r"LOG: no line begins like one of a LOG"),
        (lambda folder: _written(folder / "x.sst", bytes(range(256)) * 50), r"no line begins like one of a LOG"),
    ],
)
def test_what_is_no_log_is_told_in_a_sentence(tmp_path: Path, make: Callable[[Path], Path], sentence: str) -> None:
    path = make(tmp_path)
    with pytest.raises(UsageError, match=sentence) as told:
        read_service([path])
    assert "\n" not in str(told.value)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_what_stands_before_a_damage_is_told_and_the_damage_too(tmp_path: Path) -> None:
    whole = gzip.compress((HEAD + DUMP.format(at=30, up=5, stall=1.0) * 50).encode())
    (tmp_path / "LOG.gz").write_bytes(whole[: len(whole) // 2])
    log = read_service([tmp_path / "LOG.gz"])
    assert log.last.version == "7.8.3"
    assert "ends too early" in log.unread[-1].what
    broken = HEAD + DUMP.format(at=30, up=5, stall=1.0).replace("48.37 MB", "48.37 XB")
    log = read(tmp_path, broken)
    assert (log.unread_count, log.unread[0].what) == (1, "a row L1 of Compaction Stats [default]")
    assert log.unread[0].place.endswith("LOG:8")
    assert log.last.dump is not None
    assert [row.name for row in log.last.dump.families["default"].levels] == ["L0", "Sum"]


@pytest.mark.parametrize("last", ["** DB Stats **", "Uptime(secs): 7.0", "Cumulative WAL", "  L1 "])
def test_a_dump_that_is_cut_hides_nothing_of_the_one_before(tmp_path: Path, last: str) -> None:
    later = DUMP.format(at=32, up=7, stall=3.0)
    cut = later[: later.index(last) + len(last)]
    log = read(tmp_path, HEAD + DUMP.format(at=30, up=5, stall=1.0) + cut)
    assert log.last.dump is not None
    assert log.last.dump.uptime_s == 5.0
    assert log.last.dump.is_whole
    assert "a dump of statistics" in log.unread[-1].what


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("48.37 MB", "nan MB"),
        ("614K", "inf"),
        ("0.2", "9" * 400),
        ("17 level0", "9" * 5000 + " level0"),
        ("0.17", "9" * 400),
    ],
)
def test_a_number_that_is_none_is_left_out(tmp_path: Path, before: str, after: str) -> None:
    log = read(tmp_path, HEAD + DUMP.format(at=30, up=5, stall=1.0).replace(before, after))
    json.dumps(diagnosis_json(log), allow_nan=False)
    assert log.last.dump is not None
    assert log.last.dump.families["default"].levels[0].figures["W-Amp"] == 1.0


def test_a_count_beyond_all_bounds_is_left_out(tmp_path: Path) -> None:
    dump = DUMP.format(at=30, up=5, stall=1.0) + f"rocksdb.x COUNT : {'9' * 5000}\nrocksdb.y COUNT : 7\n"
    found = read(tmp_path, HEAD + dump).last.dump
    assert found is not None
    assert found.tickers == {"rocksdb.y": 7}


def test_lines_of_a_server_with_padded_hours_are_read(tmp_path: Path) -> None:
    lines = HEAD.splitlines(keepends=True)
    padded = "".join(f"2026-11-23  4:44:25 0 [Note] RocksDB: {line.split(' ', 2)[2]}" for line in lines)
    assert read(tmp_path, padded).last.version == "7.8.3"


def test_no_damage_raises_anything_but_a_sentence(tmp_path: Path) -> None:
    rng = random.Random(11)
    whole = (HEAD + DUMP.format(at=30, up=5, stall=1.0)).encode() + gzip.decompress(
        (DATA / "sample.LOG.gz").read_bytes()
    )
    path = tmp_path / "LOG"
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 40)):
            place = rng.randrange(len(damaged))
            if rng.random() < 0.5:
                damaged[place] = rng.randrange(256)
            else:
                del damaged[place : place + rng.randint(1, 200)]
        path.write_bytes(damaged)
        try:
            read_service([path])
        except UsageError as error:
            assert "\n" not in str(error)  # noqa: PT017 - most damages raise nothing


def test_a_dump_whose_beginning_is_lost_is_one_of_its_own(tmp_path: Path) -> None:
    later = DUMP.format(at=32, up=7, stall=3.0).replace("ingest: 0.17", "ingest: 0.25")
    log = read(tmp_path, HEAD + DUMP.format(at=30, up=5, stall=1.0) + later.replace("DUMPING STATS", "DXXPING STATS"))
    assert [(each.uptime_s, each.ingest_gb) for each in log.last.moments] == [(5.0, 0.17), (7.0, 0.25)]


def test_a_column_family_in_which_nothing_changes_is_there_in_dumps_that_leave_it_out(tmp_path: Path) -> None:
    """Since 7.8 RocksDB does so up to seven times in a row (HISTORY.md); what is gone for longer was dropped."""
    both, tables = DUMP.format(at=30, up=5, stall=1.0), "** Compaction Stats [default] **"
    both += both[both.index(tables) :].replace("default", "users")
    later = [DUMP.format(at=at, up=at - 25, stall=1.0) for at in range(32, 40)]
    later[0] = later[0][: later[0].index(tables)]
    after = "2026/11/23-14:44:59.0 9 [db/db_impl/db_impl_write.cc:1] x\n"
    (tmp_path / "LOG.old.1").write_text(HEAD + both + later[0])
    (tmp_path / "LOG").write_text(HEAD.replace("Recovering", "x") + "".join(later[1:7]) + after)
    log = read_service([tmp_path])
    (opening,) = log.openings
    assert log.unread_count == 0
    assert opening.dump is not None
    assert set(opening.dump.families) == {"default", "users"}
    assert len(opening.moments) == 8
    assert {each.size_bytes for each in opening.moments} == {2 * 54.16 * 2**20}
    (tmp_path / "LOG").write_text(HEAD.replace("Recovering", "x") + "".join(later[1:]) + after)
    dump = read_service([tmp_path]).last.dump
    assert dump is not None
    assert set(dump.families) == {"default"}


def test_a_log_may_end_with_a_dump_that_leaves_column_families_out(tmp_path: Path) -> None:
    """Its parts are there to their ends; without an end, as where a dump is cut, others may be lost."""
    both, tables = DUMP.format(at=30, up=5, stall=1.0), "** Compaction Stats [default] **"
    both += both[both.index(tables) :].replace("default", "users")
    last, read_times = DUMP.format(at=32, up=7, stall=3.0), "\n** File Read Latency Histogram By Level [default] **\n"
    all_idle = last[: last.index(tables)] + "Interval stall: 00:00:0.000 H:M:S, 0.0 percent\n"
    for text, uptime_s in ((last + read_times, 7.0), (all_idle, 7.0), (last, 5.0), (last[: last.index(tables)], 5.0)):
        log = read(tmp_path, HEAD + both + text)
        assert log.last.dump is not None
        assert (log.last.dump.uptime_s, set(log.last.dump.families)) == (uptime_s, {"default", "users"})
        assert log.last.moments[-1].size_bytes == (2 * 54.16 * 2**20 if uptime_s == 7.0 else None)
        assert log.unread_count == (uptime_s == 5.0)


def test_a_number_without_the_end_of_its_line_is_left_out(tmp_path: Path) -> None:
    log = read(tmp_path, HEAD + "2026/11/23-14:44:26.000000 974        Options.target_file_size_base: 671")
    assert "target_file_size_base" not in log.last.families["default"]
    assert (log.unread_count, log.unread[0].place) == (1, f"{tmp_path / 'LOG'}:7")


def test_files_count_for_the_dump_before_which_they_were_written(tmp_path: Path) -> None:
    written = '2026/11/23-14:44:31.0 9 EVENT_LOG_v1 {"job": 3, "event": "table_file_creation", "file_size": 100}\n'
    log = read(tmp_path, HEAD + DUMP.format(at=30, up=5, stall=1.0) + written + DUMP.format(at=32, up=7, stall=3.0))
    assert [each.files_bytes for each in log.last.moments] == [0, 100]


def test_logs_of_the_same_second_are_read_in_their_order(tmp_path: Path) -> None:
    """A service that is restarted at once; without a fraction of the second, the current LOG comes last."""
    for fraction, later in ((".100000", ".200000"), ("", "")):
        (tmp_path / "LOG.old.17000").write_text(f"2026/11/01-00:00:05{fraction} 9 RocksDB version: 7.0.1\n")
        (tmp_path / "LOG").write_text(f"2026/11/01-00:00:05{later} 9 RocksDB version: 7.8.3\n")
        assert [opening.version for opening in read_service([tmp_path]).openings] == ["7.0.1", "7.8.3"]
    (tmp_path / "LOG.old.17000").write_text("2026/11/01-00:00:05.900000 9 RocksDB version: 7.0.1\n")
    (tmp_path / "LOG").write_text("2026/11/01-00:00:05.200000 9 RocksDB version: 7.8.3\n")
    assert read_service([tmp_path]).last.version == "7.0.1"


def test_logs_are_read_in_the_order_of_their_names_where_an_hour_comes_twice(tmp_path: Path) -> None:
    """Daylight saving ends: the clock shows 02:50, and 20 minutes later 02:10."""
    (tmp_path / "LOG.old.1793497800000000").write_text("2026/11/01-02:50:00.000000 9 RocksDB version: 7.0.1\n")
    (tmp_path / "LOG").write_text("2026/11/01-02:10:00.000000 9 RocksDB version: 7.8.3\n")
    assert [opening.version for opening in read_service([tmp_path]).openings] == ["7.0.1", "7.8.3"]
