"""What is wrong with a service, as its LOG shows it: each rule speaks where its pain is, and is silent beside it."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from lsmtune.production import (
    OverTime,
    ServiceFinding,
    Sure,
    diagnosis_json,
    findings_of,
    read_service,
    read_service_files,
    resembling_experiment,
)
from lsmtune.space import catalogue

MIB = 1 << 20
BEGIN_S = 1_793_491_200
"""The time that AT says."""
AT = "2026/11/01-00:00:{:02d}.000000 9 "
OPTIONS = {"write_buffer_size": 64 * MIB, "max_write_buffer_number": 2, "max_bytes_for_level_base": 256 * MIB}
TABLE = {"cache_index_and_filter_blocks": 0, "filter_policy": "nullptr"}


def written(job: int, level: int, reason: str, **sizes: int | str) -> str:
    """A job that wrote one table; level 0 stands for a flush."""
    facts = {"file_size": 64 * MIB, "raw_key_size": MIB, "raw_value_size": 99 * MIB, "num_entries": 100_000, **sizes}
    codec, inside = facts.pop("compression", "Snappy"), facts.pop("is_intra", 0)
    numbers = ", ".join(f'"{name}": {value}' for name, value in facts.items())
    kind = "compaction" if level or inside else "flush"
    head = f'{AT.format(job % 60)}EVENT_LOG_v1 {{"time_micros": {(BEGIN_S + job) * 1_000_000}, '
    return (
        f'{head}"job": {job}, "event": "{kind}_started", "cf_name": "default", "{kind}_reason": "{reason}", '
        f'"input_data_size": 1000}}\n'
        f'{head}"cf_name": "default", "job": {job}, "event": "table_file_creation", {numbers}, '
        f'"compression": "{codec}"}}\n'
        f'{head}"job": {job}, "event": "{kind}_finished", "output_level": {level}, "num_input_records": 200000, '
        f'"num_output_records": 90000, "lsm_state": [{3 + job % 2}, 1, 0]}}\n'
    )


def stall(number: int, words: str, second: int = 5) -> str:
    return f"{AT.format(second)}[WARN] [default] Stalling writes because {words}\n" * number


def dump(
    *, percent: float = 0.0, rows: str = "", counts: str = "", tickers: Mapping[str, int] | None = None, files: int = 12
) -> str:
    rows = rows or f"  L0      2/0   100.00 MB   0.5  0.1  1.0  5\n  L1     {files}/0   700.00 MB   0.9  0.2  2.0  9\n"
    told = "".join(f"rocksdb.{name} COUNT : {count}\n" for name, count in (tickers or {}).items())
    return (
        f"{AT.format(59)}------- DUMPING STATS -------\n"
        "** DB Stats **\n"
        "Uptime(secs): 1000.0 total, 600.0 interval\n"
        "Cumulative writes: 42K writes, 42K keys, 42K commit groups, 1.0 writes per group, ingest: 4.00 GB, 4 MB/s\n"
        f"Cumulative stall: 00:00:{percent * 10:.3f} H:M:S, {percent:.1f} percent\n"
        "** Compaction Stats [default] **\n"
        "Level    Files   Size     Score Write(GB) W-Amp Comp(cnt)\n"
        f"{rows}"
        f" Sum     {files}/0   800.00 MB   0.0  0.3  3.0  14\n"
        f"Stalls(count): 0 level0_slowdown{counts}, interval 0 total count\n"
        f"{AT.format(59)}STATISTICS:\n{told}"
    )


def found(
    tmp_path: Path,
    text: str = "",
    options: Mapping[str, object] | None = None,
    table: Mapping[str, object] | None = None,
) -> dict[str, ServiceFinding]:
    own = {**OPTIONS, **(options or {})}
    begin = AT.format(0)
    head = f"{begin}RocksDB version: 7.8.3\n{begin}DB Session ID:  A\n{begin}  Options.max_background_jobs: 2\n"
    head += f"{begin}--------------- Options for column family [default]:\n"
    head += "".join(f"{begin}     Options.{name}: {value}\n" for name, value in own.items())
    head += f"{begin}     table_factory options:   flush_block_policy_factory: X (0x1)\n"
    head += "".join(f"  {name}: {value}\n" for name, value in {**TABLE, **(table or {})}.items())
    head += "  block_cache_options:\n    capacity : 8388608\n"
    (tmp_path / "LOG").write_text(head + text)
    log = read_service([tmp_path / "LOG"])
    assert json.dumps(diagnosis_json(log))
    return {each.code: each for each in findings_of(log)}


L0 = "we have 21 level-0 files rate 16777216"
MEMTABLES = "we have 2 immutable memtables (waiting for flush), max_write_buffer_number is set to 2"
PENDING = "of estimated pending compaction bytes 70000000000 rate 16777216"
READS = {
    "block.cache.data.hit": 20_000,
    "block.cache.data.add": 80_000,
    "block.cache.data.bytes.insert": 80_000 * 4096,
    "number.keys.read": 100_000,
}
PAINS: dict[str, dict[str, Any]] = {
    "stalls-l0": {"text": stall(30, L0) + dump(percent=12.0, counts=", 9 level0_numfiles")},
    "stalls-memtables": {"text": stall(30, MEMTABLES) + dump(percent=12.0)},
    "stalls-pending-bytes": {"text": stall(30, PENDING) + dump(percent=12.0)},
    "compaction-behind": {"text": dump(rows="  L0     19/0   900.00 MB   4.8  0.1  1.0  5\n")},
    "tombstones": {"text": written(3, 0, "Write Buffer Full", num_deletions=60_000) + dump()},
    "cache-too-small": {"text": dump(tickers=READS)},
    "filters-thrashing": {
        "text": dump(tickers={"block.cache.index.hit": 9_000, "block.cache.index.miss": 3_000, "number.keys.read": 9})
    },
    "no-filter": {"text": dump(tickers={"number.keys.read": 100_000})},
    "many-small-files": {"text": dump(files=900)},
    "compression-saves-nothing": {"text": written(3, 0, "Write Buffer Full", file_size=100 * MIB) + dump()},
    "intra-l0-loop": {"text": "".join(written(job, 0, "LevelL0FilesNum", is_intra=1) for job in range(3, 20)) + dump()},
    "slow-reopen": {
        "text": f'{AT.format(1)}EVENT_LOG_v1 {{"time_micros": 1, "job": 1, "event": "recovery_started", '
        '"log_files": [3, 9, 12, 15, 20]}\n'
    },
    "space-peak": {
        "text": written(3, 0, "Write Buffer Full")
        + written(4, 2, "LevelMaxLevelSize", num_entries=90_000)
        + dump(rows="  L1      4/0   300.00 MB   0.9  0.1  1.0  5\n  L2      8/0   400.00 MB   0.9  0.1  1.0  5\n")
    },
    "memory-above-configured": {
        "text": written(3, 1, "LevelL0FilesNum", index_size=20 * MIB, filter_size=12 * MIB)
        + dump(rows="  L1     12/0   800.00 MB   0.9  0.2  2.0  9\n"),
        "options": {"write_buffer_size": 4 * MIB},
    },
}
HEALTHY: dict[str, dict[str, Any]] = {
    "nothing happened": {},
    "short stalls": {"text": stall(3, L0) + dump(percent=0.2)},
    "a level that is due": {"text": dump(rows="  L0      6/0   200.00 MB   1.3  0.1  1.0  5\n")},
    "deletions that are few": {"text": written(3, 0, "Write Buffer Full", num_deletions=5_000) + dump()},
    "a cold cache": {"text": dump(tickers={**READS, "block.cache.data.bytes.insert": MIB, "number.keys.read": 5})},
    "a cache that serves": {
        "text": dump(tickers={**READS, "block.cache.data.hit": 900_000, "number.keys.read": 900}),
    },
    "a cache that serves beside compactions, which look for blocks and put none in": {
        "text": dump(tickers={**READS, "block.cache.data.hit": 900_000, "block.cache.data.miss": 880_000}),
        "table": {"filter_policy": "bloomfilter"},
    },
    "indexes that are read once for each table": {
        "text": dump(tickers={"block.cache.index.hit": 9_000, "block.cache.index.miss": 6_000, "no.file.opens": 6_000})
    },
    "filters that are there": {
        "text": dump(tickers={"number.keys.read": 100_000}),
        "table": {"filter_policy": "bloomfilter"},
    },
    "compression that halves": {"text": written(3, 0, "Write Buffer Full", file_size=50 * MIB) + dump()},
    "no compression": {
        "text": written(3, 0, "Write Buffer Full", file_size=101 * MIB, compression="NoCompression") + dump()
    },
    "compactions that are switched off": {
        "text": dump(rows="  L0     19/0   900.00 MB   4.8  0.1  1.0  5\n"),
        "options": {"disable_auto_compactions": 1},
    },
    "parts of indexes and filters that lie in the cache": {
        **PAINS["memory-above-configured"],
        "table": {"partition_filters": 1},
    },
    "indexes and filters of the few files that may be open": {
        **PAINS["memory-above-configured"],
        "options": {"write_buffer_size": 4 * MIB, "max_open_files": 1},
    },
    "universal, many files at level 0": {
        "text": dump(rows="  L0     19/0   900.00 MB   4.8  0.1  1.0  5\n"),
        "options": {"compaction_style": "kCompactionStyleUniversal"},
    },
}


@pytest.mark.parametrize("pain", PAINS)
def test_a_pain_is_found_with_its_evidence_and_what_to_try(tmp_path: Path, pain: str) -> None:
    seen = found(tmp_path, **PAINS[pain])
    assert pain in seen
    finding = seen[pain]
    assert finding.evidence
    assert finding.source
    assert finding.tries or finding.advice
    known = catalogue("rocksdb")
    assert all(name in known.options for each in finding.tries for name in each.options)


@pytest.mark.parametrize(("style", "names"), [("Level", ["smaller first level"]), ("Universal", []), ("FIFO", [])])
def test_against_tombstones_a_first_level_is_proposed_only_where_there_is_one(
    tmp_path: Path, style: str, names: list[str]
) -> None:
    text = PAINS["tombstones"]["text"]
    finding = found(tmp_path, text, {"compaction_style": f"kCompactionStyle{style}"})["tombstones"]
    assert [each.name for each in finding.tries] == names
    assert "CompactOnDeletionCollector" in finding.advice


@pytest.mark.parametrize("case", HEALTHY)
def test_a_healthy_service_is_left_alone(tmp_path: Path, case: str) -> None:
    assert not found(tmp_path, **HEALTHY[case])


def test_stalls_are_told_with_file_and_line_and_their_share(tmp_path: Path) -> None:
    finding = found(tmp_path, stall(30, L0) + dump(percent=12.0))["stalls-l0"]
    first, last = finding.places
    lines = (tmp_path / "LOG").read_text().splitlines()
    stalled = [f"{tmp_path / 'LOG'}:{number}" for number, line in enumerate(lines, 1) if "Stalling" in line]
    assert (first, last) == (stalled[0], stalled[-1])
    assert finding.sure is Sure.HIGH
    assert any("12 % of the time" in each for each in finding.evidence)


def test_what_to_try_follows_from_what_runs(tmp_path: Path) -> None:
    finding = found(tmp_path, stall(30, L0) + dump(percent=12.0), {"write_buffer_size": 4 * MIB})["stalls-l0"]
    assert {"write_buffer_size": 8 * MIB} in [each.options for each in finding.tries]


def test_what_is_there_already_is_not_proposed(tmp_path: Path) -> None:
    begin = AT.format(0)
    set_there = f"{begin}  Options.max_subcompactions: 8\n{begin}  Options.max_background_compactions: 6\n"
    set_there += f"{begin}  Options.max_background_flushes: -1\n"
    for text, of_jobs in (("", {"max_background_jobs": 4}), (set_there, {"max_background_compactions": 12})):
        head = f"{begin}RocksDB version: 7.8.3\n{text}"
        (tmp_path / "LOG").write_text(head + stall(30, L0) + dump(percent=12.0))
        (finding,) = findings_of(read_service([tmp_path / "LOG"]))
        proposed = [each.options for each in finding.tries]
        assert of_jobs in proposed
        assert ({"subcompactions": 4} in proposed) == (not text)
    low = found(
        tmp_path, written(3, 0, "Write Buffer Full", num_deletions=60_000), {"max_bytes_for_level_base": 8 * MIB}
    )
    assert low["tombstones"].tries == ()
    large = found(tmp_path, dump(files=900), {"target_file_size_base": 64 * MIB})
    assert large["many-small-files"].tries == ()


def test_what_to_try_follows_from_what_was_set_since_the_opening(tmp_path: Path) -> None:
    found(tmp_path, written(3, 0, "Write Buffer Full") + stall(30, L0) + dump(percent=12.0))
    text = "[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n  max_background_jobs=8\n"
    text += f'[CFOptions "default"]\n  write_buffer_size={256 * MIB}\n'
    (tmp_path / "OPTIONS-000009").write_text(text)
    finding = next(each for each in findings_of(read_service_files([tmp_path])) if each.code == "stalls-l0")
    proposed = [each.options for each in finding.tries]
    assert {"write_buffer_size": 512 * MIB} in proposed
    assert {"max_background_jobs": 16} in proposed
    assert f"set = {{ write_buffer_size = {512 * MIB} }}" in resembling_experiment([tmp_path])


def test_a_log_beside_the_folder_of_the_database_is_resembled(tmp_path: Path) -> None:
    found(tmp_path, written(3, 0, "Write Buffer Full") + dump())
    folder = tmp_path / "db"
    folder.mkdir()
    text = f'[Version]\n  rocksdb_version=7.8.3\n[CFOptions "default"]\n  write_buffer_size={256 * MIB}\n'
    (folder / "OPTIONS-000009").write_text(text)
    assert f'options_file = "{folder / "OPTIONS-000009"}"' in resembling_experiment([folder, tmp_path / "LOG"])


def test_where_a_log_lost_its_head_the_options_file_tells_what_runs(tmp_path: Path) -> None:
    rows = "  L0     19/0   900.00 MB   0.9  0.1  1.0  5\n"
    (tmp_path / "LOG").write_text(dump(rows=rows, tickers={"number.keys.read": 100_000}))
    text = "[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n  max_background_jobs=8\n"
    text += '[CFOptions "default"]\n  level0_file_num_compaction_trigger={}\n'
    text += '[TableOptions/BlockBasedTable "default"]\n  filter_policy=nullptr\n'
    (tmp_path / "OPTIONS-000009").write_text(text.format(20))
    assert [each.code for each in findings_of(read_service_files([tmp_path]))] == ["no-filter"]
    (tmp_path / "OPTIONS-000009").write_text(text.format(4))
    seen = {each.code: each for each in findings_of(read_service_files([tmp_path]))}
    assert seen.keys() == {"no-filter", "compaction-behind"}
    assert {"max_background_jobs": 16} in [each.options for each in seen["compaction-behind"].tries]


def test_of_a_rocksdb_that_lost_the_head_of_its_log_nothing_is_proposed(tmp_path: Path) -> None:
    (tmp_path / "LOG").write_text(stall(30, L0) + dump(percent=12.0))
    (finding,) = findings_of(read_service([tmp_path / "LOG"]))
    assert (finding.code, finding.tries) == ("stalls-l0", ())


def test_of_options_that_a_log_does_not_tell_nothing_is_assumed(tmp_path: Path) -> None:
    """How many files level 0 may have is not known, and universal compaction writes into it by its nature."""
    rows = "  L0     19/0   900.00 MB   0.9  0.1  1.0  5\n"
    jobs = "".join(written(job, 0, "UniversalSizeRatio", is_intra=1) for job in range(3, 20))
    (tmp_path / "LOG").write_text(jobs + dump(rows=rows))
    assert findings_of(read_service([tmp_path / "LOG"])) == ()
    (tmp_path / "LOG").write_text(dump(files=900))
    (finding,) = findings_of(read_service([tmp_path / "LOG"]))
    assert (finding.code, finding.tries) == ("many-small-files", ())


@pytest.mark.parametrize(("logs", "is_found"), [("3", False), ("3, 9", True)])
def test_a_slow_opening_is_of_write_ahead_logs_only_where_there_were_some(
    tmp_path: Path, logs: str, is_found: bool
) -> None:
    began = f'{AT.format(1)}EVENT_LOG_v1 {{"job": 1, "event": "recovery_started", "wal_files": [{logs}]}}\n'
    text = f"{AT.format(1)}Recovering from manifest file: x\n{began}{AT.format(31)}DB pointer 0x1\n"
    (finding, *_) = (*found(tmp_path, text).values(), None)
    assert (finding is not None) == is_found
    if finding is not None:
        assert [each.options for each in finding.tries] == [{"write_buffer_size": 32 * MIB}], "one family has no bound"


def test_a_level_that_took_in_less_than_it_had_is_read(tmp_path: Path) -> None:
    found(
        tmp_path, dump(rows="  L1     12/0   700.00 MB   0.9  -0.0  2.0  9\n  L2  8/0   2.00 GB   0.9  -1.2  2.0  9\n")
    )
    log = read_service([tmp_path / "LOG"])
    assert log.last.dump is not None
    rows = log.last.dump.families["default"].levels
    assert [(each.name, each.figures["Write(GB)"]) for each in rows[:2]] == [("L1", -0.0), ("L2", -1.2)]
    assert log.unread_count == 0


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Snappy", "Snappy"),
        ("BuiltinV2;04;", "LZ4"),
        ("BuiltinV2;;", "NoCompression"),
        ("BuiltinV2;0207;", "Zlib/ZSTD"),
    ],
)
def test_compressors_of_newer_logs_have_the_names_of_older_ones(tmp_path: Path, said: str, name: str) -> None:
    found(tmp_path, written(3, 0, "Write Buffer Full", compression=said))
    codecs = read_service([tmp_path / "LOG"]).last.events.families["default"].written.codecs
    assert dict(codecs) == {name: 1}


def test_jobs_are_counted_by_level_and_reason(tmp_path: Path) -> None:
    text = written(3, 0, "Write Buffer Full") + written(4, 0, "Write Buffer Full") + written(5, 1, "LevelL0FilesNum")
    found(tmp_path, text)
    events = read_service([tmp_path / "LOG"]).last.events
    family = events.families["default"]
    assert dict(family.flushes) == {"Write Buffer Full": 2}
    assert dict(family.compactions) == {(1, "LevelL0FilesNum"): 1}
    assert {level: each.file_bytes for level, each in family.levels.items()} == {0: 128 * MIB, 1: 64 * MIB}
    assert (family.taken_bytes, family.records_in, family.records_out) == (1000, 200_000, 90_000)
    assert [each for each in events.l0_files.most if each is not None] == [4, 3, 4]


def test_an_atomic_flush_of_several_column_families_counts_for_each(tmp_path: Path) -> None:
    """RocksDB flushes them in one job, one after the other, and writes that they ended when all have."""
    parts = [
        written(3, 0, "Manual Flush", file_size=size).replace('"default"', f'"{name}"').splitlines(keepends=True)
        for name, size in (("users", 7), ("default", 5))
    ]
    lines = [line for part in parts for line in part[:2]] + [part[2] for part in parts]
    found(tmp_path, "".join(lines).replace('flush_started", "cf_name": "users",', 'flush_started",'))
    families = read_service([tmp_path / "LOG"]).last.events.families
    assert {name: (dict(each.flushes), each.flushed.file_bytes) for name, each in families.items()} == {
        "users": ({"Manual Flush": 1}, 7),
        "default": ({"Manual Flush": 1}, 5),
    }


def test_a_rotated_log_goes_on_counting(tmp_path: Path) -> None:
    found(tmp_path, written(3, 0, "Write Buffer Full"))
    text = (tmp_path / "LOG").read_text()
    (tmp_path / "LOG.old.1").write_text(text)
    (tmp_path / "LOG").write_text(text.replace("2026/11/01", "2026/11/02"))
    family = read_service([tmp_path]).last.events.families["default"]
    assert family.levels[0].tables == 2


def test_values_over_time_keep_their_largest_in_120_parts() -> None:
    line = OverTime()
    for second in range(10_000):
        line.put(1000.0 + second, second % 7 + (50 if second == 5_000 else 0))
    known = [value for value in line.most if value is not None]
    assert len(line.most) <= 120
    assert line.width_s * len(line.most) >= 10_000
    assert max(known) == 50 + 5_000 % 7
    assert asdict(line)["begin_s"] == 1000.0


def test_leveldb_is_read_as_far_as_its_log_tells(tmp_path: Path) -> None:
    text = (Path(__file__).parent.parent / "fixtures" / "leveldb_bench" / "reads_of_a_load.LOG.txt").read_text()
    (tmp_path / "LOG").write_text(text)
    log = read_service([tmp_path / "LOG"])
    events = log.last.events
    family = events.families["default"]
    flushed = [int(each) for each in re.findall(r"Level-0 table #\d+: ([1-9]\d*) bytes OK", text)]
    assert (log.last.product, log.last.version, log.unread_count) == ("LevelDB", "", 0)
    assert family.flushes.total() == family.levels[0].tables == len(flushed)
    assert family.levels[0].file_bytes == sum(flushed)
    assert max(value for value in events.l0_files.most if value is not None) == 48
    assert events.recovered_logs == text.count("Recovering log #")
    assert "LevelDB's LOG says neither version nor options" in " ".join(diagnosis_json(log)["not_told"])


def test_waits_of_leveldb_are_stops_with_their_place(tmp_path: Path) -> None:
    line = "2026/11/22-06:05:{:02d}.660448 139698727548736 Too many L0 files; waiting...\n"
    (tmp_path / "LOG").write_text("".join(line.format(second) for second in range(30)))
    log = read_service([tmp_path / "LOG"])
    (found,) = findings_of(log)
    assert (found.code, found.tries[0].options) == ("stalls-l0", {"write_buffer_size": 16 * MIB})
    assert found.places == (f"{tmp_path / 'LOG'}:1", f"{tmp_path / 'LOG'}:30")


@pytest.mark.parametrize(("families", "is_found"), [(1, True), (4, False)])
def test_logs_of_many_column_families_are_no_pile(tmp_path: Path, families: int, is_found: bool) -> None:
    """RocksDB 7 and later says wal_files; each column family keeps the logs of its memtable."""
    begin = AT.format(0)
    head = f"{begin}RocksDB version: 7.8.3\n"
    head += "".join(f"{begin}------- Options for column family [{name}]:\n" for name in range(families))
    started = f'{begin}EVENT_LOG_v1 {{"job": 1, "event": "recovery_started", "wal_files": [3, 9, 12, 15]}}\n'
    (tmp_path / "LOG").write_text(head + started)
    log = read_service([tmp_path / "LOG"])
    assert log.last.events.recovered_logs == 4
    assert ("slow-reopen" in {each.code for each in findings_of(log)}) == is_found


def test_a_cause_of_few_stalls_is_told_beside_the_others(tmp_path: Path) -> None:
    text = (
        stall(30, L0) + stall(1, MEMTABLES) + dump(percent=12.0, counts=", 90 level0_numfiles, 1 memtable_compaction")
    )
    assert list(found(tmp_path, text)) == ["stalls-l0"]


def test_compression_is_judged_by_tables_without_blobs(tmp_path: Path) -> None:
    blob = f'{AT.format(3)}EVENT_LOG_v1 {{"job": 3, "event": "blob_file_creation", "total_blob_bytes": {90 * MIB}}}\n'
    assert not found(
        tmp_path, written(3, 0, "Write Buffer Full", file_size=50 * MIB).replace("\n", f"\n{blob}", 1) + dump()
    )
