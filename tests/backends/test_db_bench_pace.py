"""The rate that db_bench's writers are offered."""

from dataclasses import replace
from pathlib import Path

import pytest
from db_bench_builders import FILL, bench, commands, flags, run_of

from lsmtune.errors import ExperimentError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Workload

W = '[workload]\nbenchmarks = "{}"\nnum = "1M"\n{}'
LIMIT = "[workload.flags]\nbenchmark_write_rate_limit = {}\n"
S = '[space]\npreset = "write-heavy"\n'
DB = Path("/scratch/run-1/db")
FLAG = "benchmark_write_rate_limit"


def asked(benchmarks: str, limit: str = LIMIT.format(1_160_000), load: str = "") -> Workload:
    return parse_experiment(W.format(benchmarks, load) + limit + S, Path("x.toml")).workload()


def test_a_limit_of_bytes_is_a_rate_of_pairs_where_one_benchmark_writes_alone() -> None:
    assert asked("fillrandom").target_ops_s == 10_000.0  # pairs of 116 B
    assert asked("fillrandom", "").target_ops_s is None
    assert asked("readwhilewriting", load='load = "fillrandom"\n').target_ops_s is None
    assert asked("fillrandom,overwrite").target_ops_s is None


def test_a_rate_of_a_run_takes_the_place_of_the_flag_in_measured_processes_alone() -> None:
    given = replace(FILL, flags=((FLAG, "1160000"), ("cache_type", "lru_cache")), target_ops_s=20_000.0)
    (process,) = bench(given).processes(run_of(), DB)
    told = flags(process.argv)
    assert (told[FLAG], told["cache_type"]) == (str(20_000 * given.pair_bytes), "lru_cache")
    assert sum(FLAG in word for word in process.argv) == 1
    same = replace(given, target_ops_s=1_160_000 / given.pair_bytes)
    assert flags(bench(same).processes(run_of(), DB)[0].argv)[FLAG] == "1160000"
    read = replace(given, benchmarks=("overwrite",), measure="overwrite", load=("fillrandom",))
    assert not any(FLAG in word for word in commands(read)._data_flags(threads=1))


def test_an_axis_of_rates_needs_the_one_of_the_reference() -> None:
    text = W.format("fillrandom", "") + S + '[sweep.axes]\ntarget = ["10k", "20k"]\n'
    with pytest.raises(ExperimentError, match=r"write benchmark_write_rate_limit = 2000000 .*under \[workload.flags\]"):
        parse_experiment(text, Path("x.toml"))
    swept = parse_experiment(text.replace(S, LIMIT.format(1_160_000) + S), Path("x.toml")).sweep
    assert swept is not None
    assert swept.axes["target"] == ("10k", "20k")
