"""When the time after which a run was stopped says something of the objective."""

from pathlib import Path

import pytest

from lsmtune.experiment import parse_experiment
from lsmtune.study import prepare
from lsmtune.testing import fake_db_bench

TEXT = """
[workload]
num = "1M"
{workload}
[space]
options = ["write_buffer_size"]
[objective]
{objective} = 1
"""


@pytest.mark.parametrize(
    ("workload", "timed"),
    [
        ('benchmarks = "fillrandom"', True),
        ('benchmarks = ["fillrandom", "overwrite"]', True),
        ('benchmarks = ["fillrandom", "readrandom"]', False),  # the time of reads is no part of total_time_s
        ('benchmarks = "fillrandom"\nduration = "10s"', False),
    ],
)
@pytest.mark.parametrize("objective", ["throughput_settled_ops_s", "total_time_s"])
def test_stopped_runs_count_at_their_bound_where_all_phases_of_db_bench_write(
    tmp_path: Path, objective: str, workload: str, *, timed: bool
) -> None:
    text = TEXT.format(workload=workload, objective=objective)
    rules = prepare(parse_experiment(text, tmp_path / "x.toml"), fake_db_bench.install(tmp_path)).rules
    assert rules.timed is timed


def test_what_does_not_follow_from_the_time_of_all_work_is_never_told_by_it(tmp_path: Path) -> None:
    text = TEXT.format(workload='benchmarks = "fillrandom"', objective="throughput_ops_s")
    assert not prepare(parse_experiment(text, tmp_path / "x.toml"), fake_db_bench.install(tmp_path)).rules.timed


def test_all_phases_of_ycsb_count(tmp_path: Path) -> None:
    text = TEXT.format(workload='tool = "ycsb"\nbenchmarks = ["load", "a", "c"]', objective="total_time_s")
    assert parse_experiment(text, tmp_path / "x.toml").times_all_work
