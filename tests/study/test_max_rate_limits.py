"""What a study allows runs that seek the largest rate."""

from pathlib import Path

import pytest

from lsmtune.experiment import parse_experiment
from lsmtune.study import Budget, Prepared, prepare

WORKLOAD = '[workload]\ntool = "ycsb"\nbenchmarks = ["a"]\nload = "load"\nnum = "2M"\n'
BENCHMARKS, TWO = 'benchmarks = ["a"]', 'benchmarks = ["a", "b"]\nmeasure = "b"'
SPACE = '[space]\noptions = ["write_buffer_size"]\n'


def prepared(folder: Path, more: str = "") -> Prepared:
    return prepare(parse_experiment(WORKLOAD + SPACE + more, folder / "e.toml"))


def test_no_run_is_stopped_before_the_longest_search_could_end_and_its_debts_be_paid(tmp_path: Path) -> None:
    study = prepared(tmp_path, '[workload.max_rate]\nlimit = "5ms"\nhold = "2m"\nmost = 20\n')
    policy = study.policy(Budget(None, 60))
    longest_s = 1.5 * 120 * 21
    assert policy.least_cap_s == 2 * longest_s
    assert policy.limits.wall_s == pytest.approx(2 * longest_s)
    assert policy.limits.load_wall_s == 3600.0


def test_phases_of_a_given_length_have_time_to_end(tmp_path: Path) -> None:
    text = f'{WORKLOAD.replace(BENCHMARKS, TWO)}duration = "2h"\n{SPACE}'
    study = prepare(parse_experiment(text, tmp_path / "e.toml"))
    assert study.policy(Budget(None, 60)).limits.wall_s == 2 * 2 * 7200


def test_other_runs_have_the_usual_caps(tmp_path: Path) -> None:
    policy = prepared(tmp_path).policy(Budget(None, 60))
    assert (policy.least_cap_s, policy.limits.wall_s) == (20.0, 3600.0)
    short = prepared(tmp_path, '[workload.max_rate]\nlimit = "5ms"\nhold = "1s"\nmost = 4\n')
    assert short.policy(Budget(None, 60)).least_cap_s == 20.0
