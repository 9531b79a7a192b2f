"""A workload and a configuration become exactly these commands and files."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from ycsb_builders import LOAD_AND_A, LOADED_A, MIB, after, bench, commands, properties, run_of

from lsmtune.backends import Process
from lsmtune.backends.rocksdb import OptionsFile
from lsmtune.backends.ycsb import CORE_WORKLOADS
from lsmtune.errors import EngineError
from lsmtune.model import FULL_SIZE_OPTIONS, Configuration, MaxRate, Run, Settle, Value, Workload

DB = Path("/scratch/run-1/db")
EIGHTH = Fraction(1, 8)
USERS_FILE = """
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  max_background_jobs=6
  wal_dir=/var/lib/product/wal
  listeners={ErrorHandlerListener:ErrorHandlerListener}
[CFOptions "default"]
  write_buffer_size=134217728
[TableOptions/BlockBasedTable "default"]
  block_size=16384
"""


def options_of(run: Run, workload: Workload = LOAD_AND_A, scale: Fraction = Fraction(1)) -> OptionsFile:
    """The OPTIONS file that a run of RocksDB gets."""
    files = commands("rocksdb", workload, scale).measuring(run, DB).files
    return OptionsFile.parse(files[DB.parent / "lsmtune.options"], "OPTIONS")


def words_of(scale: Fraction = Fraction(1), options_file: str | None = None, **values: Value) -> list[str]:
    """The options that a run of RocksDB gets as arguments."""
    return after("-o", commands("rocksdb", LOAD_AND_A, scale).measuring(run_of(options_file, **values), DB).argv)


def processes(workload: Workload, folder: Path, engine: str = "leveldb", **values: Value) -> tuple[Process, ...]:
    """The processes of a run in a folder."""
    run = replace(run_of(), configuration=Configuration.of(values))
    return bench(engine, workload).processes(run, folder / "db")


def test_a_run_of_leveldb_is_this_command(tmp_path: Path) -> None:
    (process,) = processes(LOAD_AND_A, tmp_path, write_buffer_size=8 * MIB, reuse_logs=True, compression="no")
    assert process.argv == (
        "/opt/lsmtune-ycsb",
        *("--engine", "leveldb", "--db", f"{tmp_path}/db"),
        *("--phases", f"load,run:a@{tmp_path}/a.properties,settle"),
        *("-p", "recordcount=64000", "-p", "threadcount=1", "-p", "lsmtune.seed=11", "-p", "lsmtune.interval_s=1"),
        *("-p", "lsmtune.statistics=tickers", "-p", "lsmtune.settle_limit_s=86400", "-p", "operationcount=64000"),
        *("-o", "compression=no", "-o", "reuse_logs=true", "-o", "write_buffer_size=8388608"),
    )
    assert (process.name, process.operations, process.duration_s) == ("measure", 128_000, 0.0)
    lines = (tmp_path / "a.properties").read_text().splitlines()
    assert dict(line.split("=") for line in lines) == CORE_WORKLOADS["a"]


def test_rocksdb_keeps_as_much_less_under_fifo_compaction_as_there_is_less_data() -> None:
    key, fifo = "compaction_options_fifo.max_table_files_size", run_of(compaction_style="fifo")
    assert options_of(fifo, scale=EIGHTH).get("CF", key) == str(128 * MIB)
    assert options_of(fifo).get("CF", key) is None, "RocksDB's own 1 GiB"
    assert options_of(run_of(), scale=EIGHTH).get("CF", key) is None


def test_rocksdb_takes_its_options_from_a_file_that_states_nothing_else(tmp_path: Path) -> None:
    (process,) = processes(
        LOAD_AND_A, tmp_path, "rocksdb", write_buffer_size=8 * MIB, block_size=8192, universal_size_ratio=5
    )
    assert after("--options-file", process.argv) == [f"{tmp_path}/lsmtune.options"]
    assert "-o" not in process.argv
    assert (tmp_path / "lsmtune.options").read_text().split("\n") == [
        "[Version]",
        "  rocksdb_version=7.8.3",
        "  options_file_version=1.1",
        "",
        "[DBOptions]",
        "",
        '[CFOptions "default"]',
        "  write_buffer_size=8388608",
        "  compaction_options_universal={size_ratio=5;}",
        "",
        '[TableOptions/BlockBasedTable "default"]',
        "  block_size=8192",
        "",
    ]


def test_a_file_states_what_db_bench_calls_rocksdb_s_own_value() -> None:
    file = options_of(run_of(universal_max_merge_width=0, universal_min_merge_width=3))
    assert file.get("CF", "compaction_options_universal.max_merge_width") == "4294967295"
    assert file.get("CF", "compaction_options_universal.min_merge_width") == "3"


def test_a_users_file_is_changed_where_asked_and_cleared_of_listeners_and_folders() -> None:
    file = options_of(run_of(USERS_FILE, block_size=8192))
    assert file.get("Table", "block_size") == "8192"
    assert (file.get("DB", "max_background_jobs"), file.get("CF", "write_buffer_size")) == ("6", "134217728")
    assert [file.get("DB", key) for key in ("wal_dir", "listeners")] == [None, None]


def test_below_full_size_every_size_is_stated_in_proportion() -> None:
    file = options_of(run_of(target_file_size_base=128 * MIB), scale=EIGHTH)
    stated = {key: file.get("CF", key) for key in ("write_buffer_size", "target_file_size_base", "num_levels")}
    assert stated == {"write_buffer_size": str(8 * MIB), "target_file_size_base": str(16 * MIB), "num_levels": None}
    assert file.get("CF", "max_bytes_for_level_base") == str(32 * MIB)
    assert file.get("CF", "hard_pending_compaction_bytes_limit") == str(32 << 30)  # of the library, not of db_bench
    assert file.get("CF", "max_compaction_bytes") is None  # 0 means RocksDB's choice
    assert words_of(EIGHTH) == [f"block_cache={MIB}"]
    users = options_of(run_of(USERS_FILE), scale=EIGHTH)
    assert users.get("CF", "write_buffer_size") == str(16 * MIB)
    assert (users.get("DB", "max_background_jobs"), users.get("Table", "block_size")) == ("6", "16384")


def test_cache_and_rate_limit_travel_as_arguments() -> None:
    assert words_of() == []
    assert words_of(cache_size=64 * MIB, rate_limiter_bytes_per_sec=16 * MIB) == [
        "rate_limiter_bytes_per_sec=16777216",
        "block_cache=67108864",
    ]
    assert words_of(EIGHTH, cache_size=64 * MIB) == ["block_cache=8388608"]
    assert words_of(rate_limiter_bytes_per_sec=0) == []  # RocksDB aborts on a limiter of 0 B/s
    assert words_of(cache_size=0) == words_of(cache_size=-1) == ["no_block_cache=true"]
    assert words_of(options_file=USERS_FILE, cache_size=-1) == []


def test_a_file_without_a_block_cache_has_one_only_where_it_is_set() -> None:
    without = f"{USERS_FILE}  no_block_cache=true\n"
    key = "no_block_cache"  # beside which RocksDB drops the cache that it is told
    assert options_of(run_of(without, cache_size=MIB)).get("Table", key) == "false"
    assert options_of(run_of(without), scale=EIGHTH).get("Table", key) == "true"
    assert words_of(EIGHTH, without) == []
    newest = bench("rocksdb", LOAD_AND_A, version="11.8.1").commands.measuring(run_of(without), DB)
    assert after("-o", newest.argv) == ["no_block_cache=true"]


def test_the_algorithm_of_the_cache_cannot_be_chosen() -> None:
    assert words_of(cache_type="lru_cache") == []
    with pytest.raises(EngineError, match="cannot set cache_type=hyper_clock_cache"):
        words_of(cache_type="hyper_clock_cache")


def test_the_drivers_cache_is_lru_also_where_rocksdb_makes_another_by_itself() -> None:
    newest = bench("rocksdb", LOAD_AND_A, version="11.8.1").commands
    for run in (run_of(), run_of(USERS_FILE), run_of(cache_type="lru_cache")):
        assert after("-o", newest.measuring(run, DB).argv) == [f"block_cache={32 * MIB}"], "unsaid, it is a clock cache"
    assert after("-o", newest.measuring(run_of(USERS_FILE, cache_size=-1), DB).argv) == []
    with pytest.raises(EngineError, match="cannot set cache_type=hyper_clock_cache"):
        newest.measuring(run_of(cache_type="hyper_clock_cache"), DB)


def test_leveldb_has_no_options_file() -> None:
    with pytest.raises(EngineError, match="leveldb has no OPTIONS files"):
        commands("leveldb", LOAD_AND_A).measuring(run_of(USERS_FILE), DB)


def test_what_a_workload_asks_becomes_properties() -> None:
    workload = replace(
        LOAD_AND_A,
        threads=4,
        operations=800,
        duration_s=2.5,
        compression_ratio=0.5,
        disable_wal=True,
        statistics=False,
        flags=(("fieldcount", "1"), ("lsmtune.settle_limit_s", "9")),
    )
    command = commands("rocksdb", workload, EIGHTH).measuring(run_of(), DB)
    assert properties(command.argv) == {
        "recordcount": "8000",
        "threadcount": "4",
        "lsmtune.seed": "11",
        "lsmtune.interval_s": "1",
        "lsmtune.statistics": "none",
        "lsmtune.value_compressibility": "0.5",
        "lsmtune.disable_wal": "true",
        "operationcount": "100",
        "lsmtune.duration_s": "2.5",
    }
    assert after("-P", command.argv) == ["/scratch/run-1/lsmtune.workload"]
    assert command.files[DB.parent / "lsmtune.workload"] == "fieldcount=1\nlsmtune.settle_limit_s=9\n"


def test_a_phase_of_ones_own_gets_a_file_that_wins_over_the_common_one() -> None:
    workload = replace(
        LOAD_AND_A,
        benchmarks=("load", "mine"),
        measure="mine",
        flags=(("fieldlength", "50"),),
        phases=(("mine", (("fieldlength", "10"), ("readproportion", "1"))),),
    )
    command = commands("leveldb", workload).measuring(run_of(), DB)
    assert after("--phases", command.argv) == ["load,run:mine@/scratch/run-1/mine.properties,settle"]
    assert command.files[DB.parent / "mine.properties"] == "fieldlength=10\nreadproportion=1\n"
    assert "fieldlength" not in properties(command.argv)  # -p would win over the phase's file


@pytest.mark.parametrize(
    ("benchmarks", "settle", "phases"),
    [
        (("load", "c"), Settle.WAIT, "load c settle"),
        (("load", "settle"), Settle.WAIT, "load settle"),
        (("c",), Settle.WAIT, "c"),
        (("c", "a"), Settle.WAIT, "c a settle"),
        (("load", "settle", "a"), Settle.NONE, "load settle a"),
    ],
)
def test_a_process_that_writes_settles_at_its_end_unless_told_not_to(
    benchmarks: tuple[str, ...], settle: Settle, phases: str
) -> None:
    workload = replace(LOAD_AND_A, benchmarks=benchmarks, measure=benchmarks[-1], settle=settle)
    assert [phase.name for phase in commands("leveldb", workload).plan] == phases.split()


def test_shared_data_is_loaded_by_one_thread_with_its_own_seed_and_settled(tmp_path: Path) -> None:
    workload = replace(LOADED_A, threads=4, operations=100, duration_s=30.0, flags=(("fieldcount", "2"),))
    (load,) = bench("leveldb", workload).load_processes(run_of(block_size=8192, cache_size=MIB), tmp_path / "db")
    assert after("--phases", load.argv) == ["load,settle"]
    given = properties(load.argv)
    assert (given["recordcount"], given["threadcount"], given["lsmtune.seed"]) == ("64000", "1", "7")
    assert not {"operationcount", "lsmtune.duration_s"} & given.keys()
    assert after("-o", load.argv) == ["block_size=8192"]  # what shapes no file is left to the runs
    assert (load.name, load.operations) == ("load", 64_000)
    assert (tmp_path / "lsmtune.workload").read_text() == "fieldcount=2\n"


def test_runs_on_shared_data_begin_on_it_and_settle_first_where_it_has_to_change_shape(tmp_path: Path) -> None:
    (plain,) = processes(LOADED_A, tmp_path, block_size=8192)
    assert after("--phases", plain.argv) == [f"run:a@{tmp_path}/a.properties,settle"]
    settle, measure = processes(LOADED_A, tmp_path, max_file_size=MIB)
    assert (settle.name, after("--phases", settle.argv)) == ("settle", ["settle"])
    assert after("-o", settle.argv) == after("-o", measure.argv) == ["max_file_size=1048576"]
    assert (measure.name, measure.operations) == ("measure", 64_000)


def test_a_time_limit_is_what_a_step_takes_where_nothing_else_does(tmp_path: Path) -> None:
    timed = replace(LOADED_A, benchmarks=("a", "c"), duration_s=30.0)
    (process,) = processes(timed, tmp_path)
    assert (process.operations, process.duration_s) == (None, 60.0)
    (process,) = processes(replace(LOAD_AND_A, duration_s=30.0), tmp_path)
    assert (process.operations, process.duration_s) == (None, 0.0)  # the load takes its own time


@pytest.mark.parametrize(
    ("benchmarks", "duration_s", "alike"),
    [(("a",), None, True), (("load", "a"), None, False), (("c", "a"), None, False), (("c", "a"), 30.0, True)],
)
def test_operations_of_several_phases_do_not_tell_when_the_last_one_ends(
    tmp_path: Path, benchmarks: tuple[str, ...], duration_s: float | None, *, alike: bool
) -> None:
    base = LOAD_AND_A if "load" in benchmarks else LOADED_A
    workload = replace(base, benchmarks=benchmarks, measure="a", duration_s=duration_s)
    (process,) = processes(workload, tmp_path)
    assert process.alike == alike


def test_data_is_shared_by_runs_whose_files_are_the_same() -> None:
    def key(workload: Workload = LOADED_A, scale: Fraction = Fraction(1), seed: int = 7, **values: Value) -> str | None:
        run = replace(run_of(), configuration=Configuration.of(values), load_seed=seed, seed=len(values))
        return bench("rocksdb", workload, scale).data_key(run)

    same = key()
    assert same is not None
    assert key(write_buffer_size=MIB, cache_size=MIB) == same
    assert key(replace(LOADED_A, threads=8, operations=10, benchmarks=("c",), measure="c")) == same
    others = (
        key(block_size=8192),
        key(seed=8),
        key(scale=EIGHTH),
        key(replace(LOADED_A, num=8000), EIGHTH),
        key(replace(LOADED_A, flags=(("fieldcount", "1"),))),
        key(replace(LOADED_A, compression_ratio=0.5)),
    )
    assert len({same, *others}) == 7
    assert key(LOAD_AND_A) is None


def test_less_data_with_the_options_of_production_states_no_size_in_proportion() -> None:
    small, large = Fraction(1, 64), Fraction(16)
    run = replace(run_of(write_buffer_size=128 << 20), rung=large, scenario=((FULL_SIZE_OPTIONS, True),))
    whole = bench("rocksdb", LOAD_AND_A, small)._commands(run).measuring(run, DB)
    text = whole.files[DB.parent / "lsmtune.options"]
    assert text == commands("rocksdb", LOAD_AND_A).measuring(run, DB).files[DB.parent / "lsmtune.options"]
    assert int(properties(whole.argv)["recordcount"]) == LOAD_AND_A.num // 4


def test_a_scenario_changes_the_command_of_one_run() -> None:
    tool = bench("leveldb", LOADED_A)
    run = replace(run_of(), scenario=(("compression_ratio", 0.25), ("threads", 3)))
    assert tool.data_key(run) not in (None, tool.data_key(run_of()))
    given = properties(tool._commands(run).measuring(run, DB).argv)
    assert (given["threadcount"], given["lsmtune.value_compressibility"]) == ("3", "0.25")


def test_rows_of_another_size_have_longer_fields_and_are_other_data() -> None:
    few = replace(LOADED_A, value_size_bytes=140, flags=(("fieldcount", "2"), ("fieldlength", "56")))
    tool = bench("leveldb", few)
    run = replace(run_of(), scenario=(("value_size_bytes", 4028),))
    assert tool.data_key(run) not in (None, tool.data_key(run_of()))
    command = tool._commands(run).measuring(run, DB)
    assert command.files[DB.parent / "lsmtune.workload"] == "fieldcount=2\nfieldlength=2000\n"
    same = replace(run_of(), scenario=(("value_size_bytes", 140),))
    assert tool.data_key(same) == tool.data_key(run_of())


def test_an_offered_rate_is_that_of_the_measured_phase_alone_and_changes_no_data() -> None:
    paced = replace(LOADED_A, benchmarks=("c", "a"), flags=(("target", "500"),), target_ops_s=500.0)
    tool = bench("leveldb", paced)
    run = replace(run_of(), scenario=(("target_ops_s", 20_000.0),))
    files = tool._commands(run).measuring(run, DB).files
    assert "target=20000\n" in files[DB.parent / "a.properties"]
    assert "target" not in files[DB.parent / "c.properties"]
    assert tool.data_key(run) == tool.data_key(run_of())


def test_the_database_is_opened_anew_between_measured_phases_and_not_while_data_is_built() -> None:
    reopening = replace(LOADED_A, reopen=True)
    tool = bench("leveldb", reopening)
    run = run_of()
    assert properties(tool._commands(run).measuring(run, DB).argv)["lsmtune.reopen"] == "true"
    assert tool.data_key(run) == bench("leveldb", LOADED_A).data_key(run)
    assert "lsmtune.reopen" not in properties(commands("leveldb", LOADED_A).measuring(run, DB).argv)


def test_a_limit_that_varies_reaches_the_search_and_changes_no_data() -> None:
    tool = bench("leveldb", replace(LOADED_A, max_rate=MaxRate(0.005)))
    run = replace(run_of(), scenario=(("limit_s", 0.01), ("percentile", 99.9)))
    written = tool._commands(run).measuring(run, DB).files[DB.parent / "a.properties"]
    assert "lsmtune.max_rate.limit_s=0.01\nlsmtune.max_rate.percentile=99.9\n" in written
    assert tool.data_key(run) == tool.data_key(run_of())


def test_a_folder_with_a_comma_is_refused_as_it_would_end_a_phase() -> None:
    with pytest.raises(EngineError, match="has a comma"):
        commands("leveldb", LOAD_AND_A).measuring(run_of(), Path("/a,b/db"))


def test_options_of_another_name_are_known_by_their_key() -> None:
    configuration = Configuration.of({"max_open_files": 500})
    files = commands("rocksdb", LOAD_AND_A).measuring(replace(run_of(), configuration=configuration), DB).files
    assert "  max_open_files=500\n" in files[DB.parent / "lsmtune.options"]
