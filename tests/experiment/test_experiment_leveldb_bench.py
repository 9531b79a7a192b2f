"""Experiments of LevelDB's own db_bench: what they mean, and what does not fit together."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import parse_experiment, recorded_experiment
from lsmtune.model import Settle

E = '[engine]\nname = "leveldb"\n'
W = '[workload]\nbenchmarks = "fillrandom"\nnum = "20k"\n'
R = '[workload]\nload = "fillseq"\nbenchmarks = ["readhot"]\nnum = "20k"\n'
S = '[space]\npreset = "balanced"\n'


def test_leveldb_s_db_bench_starts_from_leveldb_s_defaults_and_does_not_settle() -> None:
    experiment = parse_experiment(E + W + S, Path("x.toml"))
    workload = experiment.workload()
    assert (workload.tool, workload.measure, workload.settle) == ("db_bench", "fillrandom", Settle.NONE)
    assert experiment.reference == "leveldb"
    assert experiment.objective().weights == {"throughput_ops_s": 1.0}
    assert parse_experiment(W + S.replace("balanced", "write-heavy"), Path("x.toml")).workload().settle is Settle.WAIT


def test_a_kept_experiment_gives_the_same_workload_without_the_files_that_it_names() -> None:
    text = E + 'db_bench = "gone/db_bench"\n' + R + S
    workload = recorded_experiment(text).workload()
    assert (workload.measure, workload.settle) == ("readhot", Settle.NONE)
    assert workload == parse_experiment(E + R + S, Path("x.toml")).workload()


WRONG = {
    "a benchmark of RocksDB": (
        E + W.replace("fillrandom", "filluniquerandom") + S,
        '4: workload.benchmarks: "filluniquerandom" is not a benchmark of db_bench; did you mean',
    ),
    "a benchmark of LevelDB for RocksDB": (
        R + S,
        '3: workload.benchmarks: "readhot" is not a benchmark of db_bench',
    ),
    "a benchmark that touches no database": (
        E + W.replace("fillrandom", "snappycomp") + S,
        '"snappycomp" never touches a database, so no option changes it; take it out',
    ),
    "only what measures nothing": (E + W.replace("fillrandom", "compact") + S, "has no phase that measures anything"),
    "reads without data": (E + W.replace("fillrandom", "readhot") + S, "workload.load is missing; readhot reads"),
    "waiting": (
        E + W + 'settle = "wait"\n' + S,
        '6: workload.settle cannot be "wait": LevelDB\'s db_bench ends without waiting for compactions; write "none"',
    ),
    "keys of another size": (
        E + W + "key_size = 8\n" + S,
        "6: workload.key_size is 8, and the keys of LevelDB's db_bench have 16 bytes; take it out",
    ),
    "values that are too large": (E + W + 'value_size = "2MiB"\n' + S, "6: workload.value_size is beyond"),
    "a time": (E + W + 'duration = "10s"\n' + S, "6: workload.duration is not possible: LevelDB's db_bench counts"),
    "operations of a fill": (E + W + 'operations = "5k"\n' + S, "6: workload.operations is for phases that read"),
    "no log": (E + W + "disable_wal = true\n" + S, "6: workload.disable_wal is not possible with LevelDB"),
    "counters": (E + W + "statistics = true\n" + S, "6: workload.statistics is for RocksDB"),
    "more keys than a flag holds": (E + W.replace("20k", "3G") + S, "5: workload.num is more than a flag"),
    "a smaller tree": ('scale = "1/2"\n' + E + W + S, "1: scale is 1/2, but the sizes of LevelDB's levels"),
    "a cache that a flag cannot carry": (
        E + W + S + '[space.fixed]\ncache_size = "4GiB"\n',
        "9: space.fixed.cache_size is 4294967296, and the flag --cache_size of LevelDB's db_bench holds 32 bits; write",
    ),
    "a range that a flag cannot carry": (
        E + W + S + '[space.ranges]\ncache_size = { low = "1MiB", high = "3GiB" }\n',
        "9: space.ranges.cache_size is 3221225472, and the flag --cache_size",
    ),
    "a baseline of RocksDB": (
        E + 'reference = "db_bench"\n' + W + S,
        '"db_bench" is no starting point here; write "leveldb"',
    ),
    "an axis that cannot vary": (
        E + W + S + "[sample.axes]\nkey_size = { low = 8, high = 32 }\n",
        "sample.axes.key_size cannot vary under LevelDB's db_bench; take it out",
    ),
    "an axis of a sweep that cannot vary": (
        E + W + S + "[sweep.axes]\ndisable_wal = [false, true]\n",
        "sweep.axes.disable_wal cannot vary under LevelDB's db_bench; take it out",
    ),
    "a driver": (E + 'driver = "x"\n' + W + S, "3: engine.driver is not used by db_bench"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_told_with_its_line(name: str) -> None:
    text, sentence = WRONG[name]
    with pytest.raises(ExperimentError) as caught:
        parse_experiment(text, Path("x.toml"))
    assert sentence in str(caught.value)
