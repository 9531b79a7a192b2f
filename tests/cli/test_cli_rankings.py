"""lsmtune show with rankings by single indicators, on stored studies."""

import json
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from phase_builders import phase_study, reference, trial

from lsmtune.experiment import NamedChange
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, fake_space, fake_study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "phases"
    ran = (
        reference(operations=7.0, read_latency_p99_s=0.004),
        reference(102.0, operations=7.0, read_latency_p99_s=0.004),
        trial(1, 150.0, 90.0, 100.0, more={"read_latency_p99_s": 0.002}),
        trial(2, 80.0, 120.0, 100.0, more={"read_latency_p99_s": 0.003}),
        trial(3, 120.0, 110.0, 130.0, more={"read_latency_p99_s": 0.008}),
    )
    with phase_study(folder, *ran):
        return folder


def one_sentence(answer: tuple[int, str, str], *parts: str) -> None:
    code, out, err = answer
    assert (code, out) == (2, ""), err
    assert err.startswith("lsmtune: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


def test_each_phase_has_a_table_in_the_order_of_the_workload(lsmtune: Lsmtune, study: Path) -> None:
    code, out, err = lsmtune("show", str(study), "--per-phase", "--trials", "2")
    assert (code, err) == (0, "")
    titles = [line for line in out.splitlines() if line.startswith("Best trials by")]
    assert [title.split(",")[0].removeprefix("Best trials by throughput of ") for title in titles] == ["load", "a", "b"]
    assert out.count("The best 2 of 3 trials.") == 3
    assert "trial-3, the leader by the objective, leads in throughput of b;" in out
    assert "Nothing here is a claim" in out
    assert "write_buffer_size=3 MiB" in out


def test_indicators_that_no_rule_speaks_of_can_rank_beside_phases(lsmtune: Lsmtune, study: Path) -> None:
    code, out, err = lsmtune(
        "show", str(study), "--by", "read_latency_p99_s", "--by", "space_bytes", "--per-phase", "--json"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["name"] == "phases"
    assert [each["indicator"] for each in found["rankings"]["by"]] == [
        "throughput_ops_s@load",
        "throughput_ops_s@a",
        "throughput_ops_s",
        "read_latency_p99_s",
        "space_bytes",
    ]
    assert [each["arm"] for each in found["rankings"]["by"][3]["trials"]] == ["trial-1", "trial-2", "trial-3"]


def test_without_them_nothing_is_ranked(lsmtune: Lsmtune, study: Path) -> None:
    code, out, _ = lsmtune("show", str(study), "--trials", "2", "--json")
    assert code == 0
    assert "rankings" not in json.loads(out)
    code, out, _ = lsmtune("show", str(study), "--trials", "2")
    assert "Best trials, seen during the search" in out


def test_the_json_lists_every_run_where_runs_are_asked_for(lsmtune: Lsmtune, study: Path) -> None:
    plain, listed = (json.loads(lsmtune("show", str(study), *words, "--json")[1]) for words in ((), ("--runs",)))
    runs = listed.pop("run_list")
    assert listed == plain
    assert [run["run"] for run in runs] == [1, 2, 3, 4, 5]
    assert [run["purpose"] for run in runs] == ["baseline"] * 2 + ["trial"] * 3
    last = runs[-1]
    assert (last["arm"], last["status"], last["counts"]) == ("trial-3", "ok", "all")
    assert last["values"] == {"write_buffer_size": 3 << 20}
    assert last["indicators"]["throughput_ops_s@a"] == 110.0


def test_what_cannot_rank_is_refused_in_one_sentence(lsmtune: Lsmtune, study: Path) -> None:
    show = ("show", str(study), "--by")
    one_sentence(lsmtune(*show, "throughput_ops_s@laod"), "throughput_ops_s@load")
    one_sentence(lsmtune(*show, "thruput_ops_s"), "did you mean throughput_ops_s")
    one_sentence(lsmtune(*show, "operations"), "neither more nor less")


def test_a_sample_has_no_trials_to_rank(lsmtune: Lsmtune, tmp_path: Path) -> None:
    settings = SampleSettings(fake_space(), "sobol", 4, 2, 1, 2, anchor_every=5, noise_runs=2, seed=7)
    with fake_study(tmp_path / "s", FakePlan(Budget(None, 100))) as made:
        made.sample(settings)
    one_sentence(lsmtune("show", "s", "--per-phase"), "is a sample", "lsmtune analyze")
    one_sentence(lsmtune("show", "s", "--trials", "3"), "is a sample", "lsmtune analyze")


def test_a_comparison_has_no_trials_to_list(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with fake_study(tmp_path / "s", FakePlan(Budget(None, 30))) as made:
        made.compare(NamedChange("larger", "", {"write_buffer_size": 256 << 20}))
    one_sentence(lsmtune("show", "s", "--trials", "3"), "has no trials of a search to rank", "lsmtune show s")
