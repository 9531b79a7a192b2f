"""Commands of LevelDB's db_bench."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from db_bench_builders import flags, run_of
from leveldb_bench_builders import FILL, READ, RECORDED_FLAGS, bench, commands, options_of, recorded_build

from lsmtune.backends.registry import backend_for
from lsmtune.errors import EngineError
from lsmtune.model import Settle, Workload

DB = Path("/data/db")


def test_a_fill_says_all_of_the_workload_and_asks_for_the_tree() -> None:
    argv = commands(replace(FILL, threads=2, value_size_bytes=400, flags=(("key_prefix", "3"),))).measuring(
        run_of(), DB
    )
    assert argv[0] == "/opt/db_bench"
    assert flags(argv) == {
        "db": "/data/db",
        "benchmarks": "fillrandom,stats,sstables",
        "num": "40000",
        "threads": "2",
        "value_size": "400",
        "compression_ratio": "0.5",
        "histogram": "1",
        "key_prefix": "3",
    }


def test_the_tree_is_printed_where_the_writing_ends() -> None:
    workload = replace(FILL, benchmarks=("fillseq", "readseq", "overwrite", "readrandom", "readhot"))
    phases = flags(commands(workload).measuring(run_of(), DB))["benchmarks"]
    assert phases == "fillseq,readseq,overwrite,sstables,readrandom,readhot,stats,sstables"


def test_reads_of_loaded_data_keep_it_and_count_their_own_operations() -> None:
    built = commands(replace(READ, operations=500, threads=4))
    found = flags(built.measuring(run_of(), DB))
    assert (found["use_existing_db"], found["reads"], found["threads"]) == ("1", "500", "4")
    loading = flags(built.loading(run_of().configuration, DB))
    assert loading["threads"] == "1"  # each thread would write all keys
    assert loading.keys().isdisjoint({"reads", "use_existing_db"})
    phases = loading["benchmarks"].split(",")
    assert phases[0] == "fillseq"
    assert set(phases[1:]) == {"stats"}
    assert (len(phases) - 1) * 147 >= 24 << 10, "so much fills the pipe of a load that is held"


def test_options_are_spelled_as_leveldb_reads_them() -> None:
    found = flags(
        commands(FILL).measuring(run_of(filter_bits=10, max_open_files=500, reuse_logs=True, cache_size=1 << 30), DB)
    )
    assert (found["bloom_bits"], found["open_files"], found["reuse_logs"]) == ("10", "500", "1")
    assert found["cache_size"] == "1073741824"
    found = flags(commands(FILL).measuring(run_of(filter_bits=0, reuse_logs=False), DB))
    assert (found["bloom_bits"], found["reuse_logs"]) == ("-1", "0")  # 0 bits would still make filters


def test_the_compressor_travels_where_the_binary_has_a_flag_for_it() -> None:
    newer = recorded_build((*RECORDED_FLAGS, "compression"))
    for name, flag in (("no", "0"), ("snappy", "1")):
        assert flags(commands(FILL, newer).measuring(run_of(compression=name), DB))["compression"] == flag
    assert "compression" not in options_of(recorded_build()).options


def test_what_a_flag_cannot_carry_is_refused() -> None:
    with pytest.raises(
        EngineError, match=r"cache_size is 4294967296, and the flag --cache_size .* at most 2147483647 B"
    ):
        commands(FILL).measuring(run_of(cache_size=4 << 30), DB)


def test_an_option_of_another_binary_is_refused() -> None:
    found = recorded_build(name for name in RECORDED_FLAGS if name != "reuse_logs")
    known = replace(commands(FILL), build=found)
    with pytest.raises(EngineError, match="has no flag for reuse_logs; take it out"):
        known.measuring(run_of(reuse_logs=True), DB)
    with pytest.raises(EngineError, match="LevelDB has no OPTIONS files"):
        commands(FILL).measuring(run_of("[DBOptions]\n"), DB)


def test_runs_share_a_load_whatever_their_seeds_but_not_across_options_that_shape_data() -> None:
    shared = bench(READ)
    key = shared.data_key(run_of())
    assert key is not None
    assert shared.data_key(replace(run_of(), seed=5, load_seed=6)) == key
    assert shared.data_key(run_of(cache_size=1 << 20)) == key
    assert shared.data_key(run_of(block_size=8192)) != key
    assert shared.data_key(run_of(write_buffer_size=1 << 20)) != key  # nothing reshapes a tree afterwards
    assert bench(FILL).data_key(run_of()) is None


def test_progress_counts_the_operations_of_one_thread() -> None:
    assert [process.operations for process in bench(FILL).processes(run_of(), DB)] == [40_000]
    assert [process.operations for process in bench(replace(READ, operations=77)).processes(run_of(), DB)] == [77]
    assert [
        process.operations for process in bench(replace(FILL, benchmarks=("fillsync",))).processes(run_of(), DB)
    ] == [40]
    assert [process.operations for process in bench(READ).load_processes(run_of(), DB)] == [20_000]
    both = replace(FILL, benchmarks=("fillrandom", "readrandom"))
    assert [process.operations for process in bench(both).processes(run_of(), DB)] == [None]


WRONG = {
    "keys of another size": (replace(FILL, key_size_bytes=8), "the keys of LevelDB's db_bench have 16 bytes"),
    "values that it cannot make": (replace(FILL, value_size_bytes=1 << 20), "write less than 1MiB"),
    "more keys than 32 bits tell": (replace(FILL, num=1 << 31), "num of the workload is more than a flag"),
    "operations of a fill": (replace(FILL, operations=5), "is for phases that read"),
    "no log": (replace(FILL, disable_wal=True), "which always writes its log"),
    "a time": (replace(FILL, duration_s=3.0), "LevelDB's db_bench counts operations"),
    "waiting for compactions": (replace(FILL, settle=Settle.WAIT), 'write "none", or let the tool ycsb settle'),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_workload_that_cannot_be_done_is_refused(name: str) -> None:
    workload, sentence = WRONG[name]
    with pytest.raises(EngineError) as caught:
        bench(workload)
    assert sentence in str(caught.value)


def test_a_run_whose_workload_differs_is_checked_as_well() -> None:
    run = replace(run_of(), scenario=(("value_size_bytes", 2 << 20),))
    with pytest.raises(EngineError, match="value_size_bytes of the workload is beyond"):
        bench(FILL).processes(run, DB)


def test_a_smaller_scale_is_refused() -> None:
    found: Workload = FILL
    backend = backend_for("db_bench", "leveldb")
    with pytest.raises(EngineError, match="LevelDB runs at full size only, not at scale 1/4"):
        backend.bench(recorded_build(), options_of(recorded_build()), found, Fraction(1, 4))
