"""`lsmtune reproduce`: a small repetition by a program that stands in for db_bench, and recorded tables of runs."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune import api
from lsmtune.analysis import AnalysisPlan, Learner, Runs
from lsmtune.indicators import Objective
from lsmtune.jin2022 import JIN2022_FIGURES, Jin2022Settings, _result, reproduce_jin2022
from lsmtune.samplers import Jin2022Indicators
from lsmtune.study import Budget, SampleSettings, runs_of
from lsmtune.testing import FakePlan, Noise, Surface, fake_db_bench, fake_rules, fake_space, fake_study

pytestmark = pytest.mark.usefixtures("rests_at_once")

READINGS = Jin2022Indicators(time="total_time_s", rate="throughput_settled_ops_s")
WEIGHTS = dict.fromkeys(("waf", "space_bytes", "total_time_s", "throughput_settled_ops_s"), 1.0)

SMALL = """\
[workload]
benchmarks = "fillrandom"
num = "1M"
[space]
options = ["write_buffer_size", "max_background_jobs", "compression_type"]
[objective]
waf = 1.0
space_bytes = 1.0
total_time_s = 1.0
throughput_settled_ops_s = 1.0
[reproduce]
of = "jin2022"
leaders = 2
generations = 1
pairs = 3
[sample]
runs = 30
test = 0
replicates = 0
[search]
noise_runs = 3
cap = 50
[host]
disturbed = "use"
min_free = "16MiB"
"""


@pytest.fixture(autouse=True, scope="module")
def few_splits() -> Iterator[None]:
    """Each forest is fitted on 2 splits instead of 10: no number that depends on them is asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_result, "_SEEDS", (0, 1))
        yield


@pytest.fixture(scope="module")
def table(few_splits: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of a small repetition on the fake engine."""
    folder = tmp_path_factory.mktemp("reproduce")
    rules = replace(fake_rules(), objective=Objective(WEIGHTS))
    plan = FakePlan(Budget(None, 1000), Surface(0.6), Noise(rate=0.02), rules=rules)
    sampled = SampleSettings(fake_space(), "random", 40, 0, 0, 2, anchor_every=10, noise_runs=3, seed=5)
    wanted = Jin2022Settings(sampled, READINGS, (), 2, (), generations=2, pairs=3)
    with fake_study(folder / "study", plan) as study:
        reproduce_jin2022(study.runner, wanted)
        runs = runs_of(study.study)
    facts = replace(runs.facts, experiment=f'{runs.facts.experiment}[reproduce]\nof = "jin2022"\n')
    path = folder / "runs.parquet"
    replace(runs, facts=facts).write(path)
    return path


def test_an_experiment_is_repeated_and_its_table_says_the_same(lsmtune: Lsmtune, tmp_path: Path) -> None:
    program = fake_db_bench.install(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)
    code, out, err = lsmtune("reproduce", "small.toml", "--db-bench", str(program), "--quiet", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert {each["purpose"] for each in found["runs"]} >= {"sample", "trial", "verify"}
    assert set(found["left"]["found"]) == {"WAF", "SA", "RATE", "TIME"}
    code, again, _ = lsmtune("reproduce", "studies/small/runs.parquet", "--json")
    assert code == 0
    assert json.loads(again) == found
    code, of_folder, err = lsmtune("reproduce", "studies/small", "--json")
    assert code == 0, err
    assert json.loads(of_folder) == found
    code, _, err = lsmtune("reproduce", "studies")
    assert code == 1
    assert '"studies" is not a study, it has no study.sqlite; give the folder of a study' in err
    assert (tmp_path / "studies" / "small" / "runs.csv").is_file()
    assert lsmtune("show", "studies/small")[0] == 0
    code, _, err = lsmtune("report", "studies/small")
    assert code == 0, err
    page = (tmp_path / "studies" / "small" / "report.html").read_text()
    assert "The figures of the repeated work" in page
    for title, shows in JIN2022_FIGURES.values():
        assert title in page
        assert shows.replace("'", "&#39;") in page
    assert "published p 8.53e-68" in page
    assert "<?xml" not in page


def test_without_a_sample_genes_are_named_and_their_search_is_all_that_is_shown(
    lsmtune: Lsmtune, tmp_path: Path
) -> None:
    program = fake_db_bench.install(tmp_path)
    unnamed = SMALL.replace("leaders = 2\n", "sample = false\n")
    (tmp_path / "unnamed.toml").write_text(unnamed)
    code, out, err = lsmtune("reproduce", "unnamed.toml", "--db-bench", str(program))
    assert (code, out) == (2, "")
    assert "reproduce.sample is false, so that no ranking gives the genes" in err
    named = unnamed.replace("sample = false\n", 'sample = false\ngenes = ["write_buffer_size"]\n')
    (tmp_path / "named.toml").write_text(named)
    words = ("--db-bench", str(program), "--quiet", "--json", "--figures", "drawn")
    code, out, err = lsmtune("reproduce", "named.toml", *words)
    assert code == 0, err
    assert {each["purpose"] for each in json.loads(out)["runs"]} == {"baseline", "trial", "anchor", "verify"}
    assert {path.name for path in (tmp_path / "drawn").iterdir()} == set(list(JIN2022_FIGURES)[3:])
    code, _, err = lsmtune("report", "studies/named")
    assert code == 0, err


def test_a_recorded_table_is_shown_beside_the_paper(lsmtune: Lsmtune, table: Path) -> None:
    code, out, _ = lsmtune("reproduce", str(table))
    assert code == 0
    for words in (
        "R² published",
        "0.663",
        "place in the paper",
        "paper: 7",
        "about 1600",
        "The best: ",
        "fresh [95 %, n = 3]",
    ):
        assert words in out, words


def test_recorded_runs_take_no_option_of_a_run(lsmtune: Lsmtune, table: Path) -> None:
    for source in (table, table.parent / "study"):
        code, out, err = lsmtune(
            "reproduce", str(source), "--budget", "9 runs", "--db-bench", "there", "--figures", "no"
        )
        assert (code, out) == (2, "")
        assert not Path("no").exists()
        assert f"{source} is recorded already and nothing is run for it; leave out --budget, --db-bench" in err


def test_json_holds_the_repetition_and_the_paper(lsmtune: Lsmtune, table: Path) -> None:
    code, out, _ = lsmtune("reproduce", str(table), "--json")
    assert code == 0
    found = json.loads(out)
    assert found["indicators"]["TIME"] == "total_time_s"
    assert [each["trials"] for each in found["generations"]] == [8, 12, 16]
    assert set(found["left"]["found"]) == {"WAF", "SA", "RATE", "TIME"}
    assert found["paper_ratios"]["SA"] == pytest.approx(197 / 432.94)
    assert sum(each["share"] for each in found["ranking"]) == pytest.approx(1.0, abs=0.1)  # medians of shares


def test_a_table_of_something_else_is_refused(lsmtune: Lsmtune, table: Path, tmp_path: Path) -> None:
    runs = Runs.read(table)
    other = '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n'
    facts = replace(runs.facts, name="other", experiment=other)
    replace(runs, facts=facts).write(tmp_path / "other.parquet")
    code, out, err = lsmtune("reproduce", str(tmp_path / "other.parquet"))
    assert (code, out) == (2, "")
    assert 'the experiment "other" of these runs has no [reproduce]' in err


def test_an_experiment_that_repeats_nothing_is_refused(lsmtune: Lsmtune, tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    path.write_text('[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n[space]\npreset = "write-heavy"\n')
    code, out, err = lsmtune("reproduce", str(path))
    assert (code, out) == (2, "")
    assert 'the experiment "plain" has no table [reproduce]; add it with of = "jin2022"' in err


def test_the_paper_s_figures_are_written_with_lsmtune_s_model_beside_its_forest(
    lsmtune: Lsmtune, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    little = AnalysisPlan((Learner.KERNEL,), trees=10, points=32, draws=50, curves=0, explained=5, shadows=2)
    monkeypatch.setattr(api, "analyze", partial(api.analyze, plan=little))
    code, _, err = lsmtune("reproduce", str(table), "--figures", "drawn")
    assert code == 0, err
    assert {path.name for path in (tmp_path / "drawn").iterdir()} == set(JIN2022_FIGURES)
    predictions = (tmp_path / "drawn" / "figure-5-predictions.svg").read_text()
    assert "WAF, the paper's forest" in predictions
    assert "lsmtune's model" not in predictions  # the table has no test runs, which that is shown on
    assert "lost when shuffled" in (tmp_path / "drawn" / "figure-6-importance.svg").read_text()
    assert "lsmtune: p " in (tmp_path / "drawn" / "figure-7-groups.svg").read_text()
