"""A db_bench without a flush that works, as those before 7.3: how it is found, asked, and read; outputs of 6.11.4."""

import gzip
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from rocksdb_builders import FIXTURES, script

from lsmtune.backends import Halt, HaltKind, Process, ProcessRecord, Waited
from lsmtune.backends.db_bench import CommandBuilder, DbBench
from lsmtune.backends.db_bench._calibrate import Calibrator
from lsmtune.backends.registry import options_of
from lsmtune.backends.rocksdb import discover
from lsmtune.backends.rocksdb._build import parse_help
from lsmtune.errors import EngineError
from lsmtune.model import Configuration, EngineBuild, Measurement, Purpose, Run, Settle, Workload
from lsmtune.space import catalogue, default_of

OLD = FIXTURES / "db_bench-6.11.4"
FILL = Workload(("fillrandom",), "fillrandom", num=20000, value_size_bytes=200)
SMALL = {"write_buffer_size": 1 << 19, "max_bytes_for_level_base": 1 << 20, "target_file_size_base": 1 << 19}
BEGAN, HELD, WAITED, OPENED = 1795573745.642, 1795573746.024, 0.309, 1795573746.386


def build(version: str = "6.11.4") -> EngineBuild:
    flags = tuple((flag.name, flag.default) for flag in parse_help((OLD / "help.txt").read_text()).values())
    return EngineBuild("rocksdb", version, Path("/bin/db_bench"), "0" * 16, False, ("none", "snappy"), flags)


def bench(workload: Workload = FILL, version: str = "6.11.4") -> DbBench:
    known = options_of(build(version))
    return DbBench(build(version), known, workload, Fraction(1))


def run_of(**values: int) -> Run:
    return Run(1, Purpose.TRIAL, "trial-1", None, Configuration.of(values), 1, 1)


def record(name: str, started_at: float, waited: Waited | None, **more: object) -> ProcessRecord:
    with gzip.open(OLD / f"{name}.LOG.txt.gz", "rt") as log:
        told = log.read()
    plain = ProcessRecord(
        process=Process(name, ("db_bench",)),
        started_at=started_at,
        ended_at=started_at + 0.75,
        returncode=0,
        stopped=None,
        stdout=(OLD / f"{name}.stdout.txt").read_text(),
        stderr="RocksDB:    version 6.11\n",
        log=told,
        options=(OLD / "OPTIONS-000009.ini").read_text(),
        cpu_s=0.04,
        memory_peak_bytes=14 << 20,
        io_read_bytes=0,
        io_written_bytes=4 << 20,
        space_bytes={"measure": 1761507, "debt": 1610157}[name],
        space_peak_bytes=1761507,
        waited=waited,
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # fields by name


def measured() -> tuple[ProcessRecord, ProcessRecord]:
    return record("measure", BEGAN, Waited(HELD, WAITED)), record("debt", OPENED, Waited(OPENED + 0.08, 0.262))


def read(*records: ProcessRecord) -> Measurement:
    return bench().parse_results(run_of(**SMALL), records)


def test_a_fill_is_held_behind_its_result_and_then_settled_by_another_process() -> None:
    one, other = bench().processes(run_of(), Path("/data/run-1/db"))
    assert (one.name, other.name) == ("measure", "debt")
    phases = next(word for word in one.argv if word.startswith("--benchmarks=")).split(",")
    assert phases[0] == "--benchmarks=fillrandom"
    assert set(phases[1:]) == {"stats", "levelstats"}
    assert "--use_existing_db=1" not in one.argv
    assert "--use_existing_db=1" in other.argv
    assert not any("flush" in word.split(",") or "waitforcompaction" in word for word in (*one.argv, *other.argv))
    assert one.hold is not None
    assert other.hold is not None
    assert (one.hold.after, one.hold.times, other.hold.times) == ("** DB Stats **\n", 1, 1)
    assert (OLD / "measure.stdout.txt").read_text().count(one.hold.after) >= 2


def test_dumps_of_the_user_s_own_are_counted_before_it_is_held() -> None:
    mixed = replace(FILL, benchmarks=("fillrandom", "stats", "overwrite"))
    [one, _] = bench(mixed).processes(run_of(), Path("/data/run-1/db"))
    assert one.hold is not None
    assert one.hold.times == 2


def test_loaded_data_is_opened_again_before_it_is_shared() -> None:
    reads = replace(FILL, benchmarks=("readrandom",), measure="readrandom", load=("filluniquerandom",))
    loading, settling = bench(reads).load_processes(run_of(), Path("/data/run-1/db"))
    assert (loading.name, settling.name) == ("load", "debt")
    assert "--use_existing_db=1" in settling.argv
    assert [each.name for each in bench(reads).processes(run_of(), Path("/data/run-1/db"))] == ["measure"]


@pytest.mark.parametrize("version", ["7.3.0", "7.8.3"])
def test_a_build_with_flush_takes_one_process(version: str) -> None:
    [one] = bench(version=version).processes(run_of(), Path("/data/run-1/db"))
    assert one.hold is not None
    assert one.hold.after == "flush memtable\n"


@pytest.mark.parametrize("version", ["6.11.4", "6.19.0", "6.20.3", "7.2.2"])
def test_one_whose_flush_is_missing_or_does_nothing_takes_two(version: str) -> None:
    assert [each.name for each in bench(version=version).processes(run_of(), Path("/data/run-1/db"))] == [
        "measure",
        "debt",
    ]


def test_what_is_not_settled_takes_one_process() -> None:
    [one] = bench(replace(FILL, settle=Settle.NONE)).processes(run_of(), Path("/data/run-1/db"))
    assert one.hold is None


def test_operations_and_times_come_from_the_histogram_and_the_rate() -> None:
    found = read(*measured()).indicators
    assert found["operations"] == 20000
    assert found["load_time_s"] == pytest.approx(20000 / 77915)
    settle_s = found["settle_time_s"]
    assert settle_s is not None
    assert found["throughput_settled_ops_s"] == pytest.approx(20000 / (20000 / 77915 + settle_s))


def test_a_batch_counts_once_in_a_histogram_so_its_time_is_not_known() -> None:
    batches = replace(FILL, flags=(("batch_size", "10"),))
    found = bench(batches).parse_results(run_of(**SMALL), measured()).indicators
    assert found["operations"] is None
    assert found["total_time_s"] is None
    assert found["throughput_ops_s"] == 77915


def test_hundreds_of_reads_count_once_in_a_histogram_too() -> None:
    stdout = record("measure", BEGAN, None).stdout.replace("fillrandom   :", "readrandomfast :")
    fast = replace(FILL, benchmarks=("readrandomfast",), measure="readrandomfast", load=("fillseq",))
    found = bench(fast).parse_results(run_of(**SMALL), [record("measure", BEGAN, None, stdout=stdout)]).indicators
    assert found["operations"] is None
    assert found["throughput_ops_s"] == 77915


def test_the_work_of_both_processes_counts() -> None:
    whole, first = read(*measured()).indicators, read(measured()[0]).indicators
    for name in ("flush_bytes", "flush_count", "waf"):
        assert (whole[name] or 0) > (first[name] or 0)
    assert (whole["flush_count"] or 0) - (first["flush_count"] or 0) == 1  # the memtable that the log brought back
    # 20,000 pairs of 216 B, of whose values half is left, and all of them are in tables now
    assert 20000 * 116 * 0.95 < (whole["flush_bytes"] or 0) < 20000 * 125
    assert whole["space_bytes"] == 1610157
    assert whole["waf_table"] == first["waf_table"]


def test_what_it_waited_for_counts_and_the_looking_does_not() -> None:
    found = read(*measured())
    assert found.facts["waited"] == "measure 0.31 s, debt 0.26 s"
    assert 0 < (found.indicators["settle_time_s"] or 0.0) < WAITED


def test_the_options_that_it_used_are_read_back() -> None:
    found = read(*measured())
    assert {name: found.effective[name] for name in SMALL} == SMALL
    assert found.effective["compaction_pri"] == "min_overlapping_ratio"
    assert found.overridden == ()


def test_a_process_that_was_stopped_before_the_debt_is_read_by_itself() -> None:
    found = read(measured()[0])
    assert found.indicators["operations"] == 20000
    hung = Halt("it hung: nothing happened for 8 s after its last result", HaltKind.HUNG)
    assert any("it hung" in warning for warning in read(measured()[0], replace(measured()[1], stopped=hung)).warnings)


def test_a_command_to_take_home_settles_nothing() -> None:
    commands = CommandBuilder(build(), options_of(build()), FILL)
    assert commands.settled_by == ()
    assert "--benchmarks=fillrandom,levelstats,stats" in commands.measuring(run_of(), Path("/data/db"))


def test_options_choices_and_defaults_are_those_of_the_version() -> None:
    known = options_of(build())
    assert "enable_blob_files" not in known.options
    assert "cache_type" not in known.options
    assert "round_robin" not in known.option("compaction_pri").choices
    assert "round_robin" in catalogue().for_version((7, 5)).option("compaction_pri").choices
    versions = {(6, 2, 4): 2, (6, 11, 4): 4, (6, 20, 3): 5, (7, 8, 3): 5, (11, 8, 1): 7}
    found = {version: default_of(catalogue().option("format_version"), "library", version) for version in versions}
    assert found == versions


def test_costs_are_not_measured_without_a_flush(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"RocksDB 6\.11\.4: its db_bench has no benchmark 'flush'"):
        Calibrator(build(), tmp_path).costs()


# Has no flush that works, prints two numbers of its version, and writes tables when it compacts.
WITHOUT_FLUSH = r"""
if [ "$1" = --help ]; then
  echo '    -benchmarks (What to run.) type: string default: "fillseq"'
  exit 0
fi
echo "RocksDB:    version 6.11" >&2
for argument in "$@"; do
  case "$argument" in
    --db=*) folder="${argument#--db=}" ;;
    --benchmarks=*flush*) FLUSHED ;;
    --compression_type=none) name=NoCompression ;;
    --compression_type=zstd) name=ZSTD ;;
  esac
done
echo "RocksDB version: 6.11.4" > "$folder/LOG"
echo "EVENT_LOG_v1 {\"event\": \"table_file_creation\", \"compression\": \"$name\"}" >> "$folder/LOG"
"""


@pytest.mark.parametrize("flushed", ["echo \"unknown benchmark 'flush'\" >&2; exit 1", "echo 'flush memtable'; exit 0"])
def test_one_without_flush_is_found_with_its_whole_version_and_compressors(flushed: str, tmp_path: Path) -> None:
    found = discover(script(tmp_path, WITHOUT_FLUSH.replace("FLUSHED", flushed)))
    assert (found.version, found.compressors) == ("6.11.4", ("none", "zstd"))
