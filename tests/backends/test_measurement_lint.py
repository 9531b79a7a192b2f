"""Which rules of the linter each tool asks, on its real outputs."""

import json
from dataclasses import replace

import leveldb_bench_builders as leveldb
import pytest
import ycsb_builders as ycsb
from test_db_bench_results import FILL, READ, log_of, measured

from lsmtune.backends.leveldb_bench._parse_results import parse_results as results_of_leveldb
from lsmtune.backends.ycsb._parse_results import parse_results as results_of_ycsb
from lsmtune.lint import CacheBlocks, DataRead, read_finding
from lsmtune.model import Configuration, Measurement

MIB = 1 << 20


def codes(found: Measurement) -> set[str]:
    return {read_finding(line).rule.code for line in found.warnings}


@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_reads_of_db_bench_keep_what_they_can_find_in_memory(version: str) -> None:
    read = DataRead.of(measured(version, "readrandom", READ).facts)
    assert read is not None
    assert read.data_bytes == 600_000 * 116
    assert read.cache_bytes > 0
    assert not read.direct
    assert DataRead.of(measured(version, "fillrandom", FILL).facts) is None


def test_db_bench_says_that_the_log_is_off_only_of_runs_that_write() -> None:
    assert "wal-off" in codes(measured("7.8.3", "fillrandom_stalls", replace(FILL, disable_wal=True), log_of("7.8.3")))
    assert "wal-off" not in codes(measured("7.8.3", "fillrandom_stalls", FILL, log_of("7.8.3")))
    assert "wal-off" not in codes(measured("7.8.3", "readrandom", replace(READ, disable_wal=True)))


@pytest.mark.parametrize(
    ("phases", "doubted"),
    [
        (("fillrandom", "readrandom"), True),
        (("fillrandom", "levelstats", "readwhilewriting"), True),
        (("fillrandom", "compact", "overwrite", "readrandom"), True),
        (("fillrandom",), False),
        (("fillrandom", "overwrite"), False),
        (("fillrandom", "flush", "waitforcompaction", "readrandom"), False),
        (("fillrandom", "compact", "readrandom"), False),
    ],
)
def test_reads_before_the_debt_of_the_writes_is_paid_are_doubted(phases: tuple[str, ...], doubted: bool) -> None:
    found = measured("7.8.3", "fillrandom_stalls", replace(FILL, benchmarks=phases), log_of("7.8.3"))
    assert ("debt-left" in codes(found)) is doubted


def test_data_of_db_bench_fits_the_memtables_of_all_its_column_families() -> None:
    for families, fits in (("1", False), ("20", True)):
        spread = replace(FILL, flags=(("num_column_families", families),))
        found = measured("7.8.3", "fillrandom_stalls", spread, log_of("7.8.3"))
        assert ("memtable-sized-data" in codes(found)) is fits


def test_a_random_load_of_db_bench_has_no_low_found_rate() -> None:
    found = measured("7.8.3", "readrandom", READ)
    assert found.indicators["found_ratio"] == pytest.approx(0.633, abs=0.005)
    assert "low-found-rate" not in codes(found)


def test_the_driver_says_that_the_log_is_off_and_keeps_what_reads_can_find() -> None:
    workload = ycsb.AS_RECORDED
    for disabled in (True, False):
        commands = ycsb.commands("rocksdb", replace(workload, disable_wal=disabled))
        found = results_of_ycsb(commands, Configuration(), [ycsb.record(ycsb.printed("rocksdb.jsonl"))])
        assert ("wal-off" in codes(found)) is disabled
        read = DataRead.of(found.facts)
        assert read is not None
        assert read.data_bytes == workload.num * workload.pair_bytes


def test_blind_updates_of_the_driver_read_nothing_that_memory_could_hold() -> None:
    updates = (("A", (("readproportion", "0"), ("updateproportion", "1"))),)
    looking = replace(ycsb.AS_RECORDED, benchmarks=("load", "A"), phases=updates)
    lines = [json.loads(line) for line in ycsb.printed("rocksdb.jsonl").splitlines()]
    kept = [line for line in lines if line["type"] != "phase_end" or line["phase"]["label"] in ("load", "A")]
    for line in kept:
        line.get("outcomes", {}).pop("read", None)
    printed = ycsb.record("\n".join(map(json.dumps, kept)))
    for blind in ("false", "true"):
        asked = replace(looking, flags=(("lsmtune.blindupdates", blind),))
        found = results_of_ycsb(ycsb.commands("rocksdb", asked), Configuration(), [printed])
        assert (DataRead.of(found.facts) is None) is (blind == "true")


def test_leveldbs_db_bench_always_draws_the_same_keys() -> None:
    commands = leveldb.commands(replace(leveldb.READ, benchmarks=("readseq",), measure="readseq", threads=2))
    found = results_of_leveldb(commands, Configuration.of({"cache_size": 3 * MIB}), [leveldb.record("reads_of_a_load")])
    assert {"seed-reuse", "not-only-reads"} <= codes(found)
    blocks = CacheBlocks(3 * MIB, 3 * MIB, 4096)
    assert DataRead.of(found.facts) == DataRead(20_000 * 116, 3 * MIB, direct=False, blocks=blocks)
