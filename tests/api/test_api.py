"""The door for Python: the functions of `lsmtune`, on the real engine where they run something."""

import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from executor_builders import upgrade_while_waiting

import lsmtune
from lsmtune.analysis import AnalysisPlan, Learner
from lsmtune.api import read_experiment
from lsmtune.api._studies import prepared_of
from lsmtune.api._working import budget_or_all
from lsmtune.errors import ExperimentError, RunSpoiledError, StatisticsError, StudyError, UsageError
from lsmtune.model import Purpose, StudyKind
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Noise, Surface, fake_db_bench, fake_study

SMALL = {
    "workload": {"benchmarks": "fillrandom", "num": "20k", "settle": "none"},
    "search": {"noise_runs": 3},
    "host": {"min_free": "1MiB", "disturbed": "use"},
}
SWEPT = {
    **SMALL,
    "name": "grid",
    "sweep": {"rival": "compaction_style", "repeats": 2, "options": {"compaction_style": ["level", "universal"]}},
}


@pytest.fixture
def tuned(tmp_path: Path) -> lsmtune.Study:
    """A finished tuning of the fake engine."""
    with fake_study(tmp_path / "fill", FakePlan(Budget(None, 120), Surface(0.8), Noise(rate=0.02))) as study:
        study.tune()
    return lsmtune.load(tmp_path / "fill")


def test_all_names_of_the_door_are_there() -> None:
    assert {name for name in lsmtune.__all__ if not hasattr(lsmtune, name)} == set()
    assert set(lsmtune.__all__) <= set(dir(lsmtune))
    with pytest.raises(AttributeError, match="has no attribute 'tuen'"):
        lsmtune.tuen  # noqa: B018 - the look-up is what is tested


def test_the_modules_that_its_words_name_are_behind_it() -> None:
    probe = "import lsmtune; print(lsmtune.errors.UsageError.__name__, lsmtune.analysis.AnalysisPlan.__name__)"
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=300, check=True)
    assert answer.stdout == "UsageError AnalysisPlan\n"


def test_the_door_opens_only_when_it_is_used() -> None:
    probe = "import sys, lsmtune; print({'numpy', 'pandas', 'rich', 'pydantic'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=300, check=True)
    assert answer.stdout == "set()\n"


def test_a_study_says_what_its_card_says(tuned: lsmtune.Study) -> None:
    assert tuned.name == "fake"
    assert tuned.kind is StudyKind.TUNE
    assert tuned.verdict.startswith("Improved: ")
    assert {change.option for change in tuned.result.changes}
    assert tuned.to_json()["sentence"] == tuned.verdict


def test_the_runs_are_a_table_with_a_row_each(tuned: lsmtune.Study) -> None:
    runs = tuned.runs()
    assert len(runs) == tuned.result.summary.runs
    assert {"purpose", "arm", "option.write_buffer_size", "indicator.throughput_settled_ops_s"} <= set(runs.columns)


def test_a_notebook_shows_the_card_as_a_picture_that_loads_nothing(tuned: lsmtune.Study) -> None:
    shown = tuned._repr_html_()
    assert shown.startswith("<svg")
    assert "Improved" in shown
    assert "http" not in shown.replace("http://www.w3.org/", "")


def test_a_report_is_written_where_it_is_wanted_and_over_nothing_else(tuned: lsmtune.Study, tmp_path: Path) -> None:
    assert tuned.report(lite=True) == tuned.folder / "report-lite.html"
    assert (tmp_path / "page.html") == tuned.report(tmp_path / "page.html", lite=True)
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(UsageError, match="is not a report of lsmtune"):
        tuned.report(tmp_path / "mine.html")


def test_what_is_no_study_is_an_error_with_the_sentence_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="there is no study folder"):
        lsmtune.load(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("experiment", "sentence"),
    [
        ({**SMALL, "budgett": {}}, r"budgett.* is not a key"),
        ({**SMALL, "workload": {"benchmarks": None}}, "cannot be written as TOML"),
        ("missing.toml", r"missing\.toml does not exist; write an experiment file with lsmtune init"),
    ],
)
def test_a_wrong_experiment_is_an_error_with_the_sentence_of_the_command(experiment: object, sentence: str) -> None:
    with pytest.raises(ExperimentError, match=sentence):
        lsmtune.tune(experiment)  # type: ignore[arg-type] # what a user may pass


def test_a_dict_is_swept_on_the_real_engine_and_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = lsmtune.sweep(SWEPT, quiet=True)
    assert study.folder == Path("studies/grid-sweep")
    assert study.kind is StudyKind.SWEEP
    assert (study.folder / "runs.parquet").exists()
    assert set(study.runs()["option.compaction_style"]) >= {"level", "universal"}
    assert lsmtune.sweep(SWEPT, quiet=True).result.summary.runs == study.result.summary.runs, "nothing is run twice"
    assert study.verdict.startswith(
        f"A sweep of {study.result.summary.runs} runs, which judges no single configuration"
    )
    with pytest.raises(UsageError, match="was made from another text of the experiment"):
        lsmtune.tune({**SWEPT, "space": {"options": ["block_size"]}}, study=study.folder, quiet=True)
    with pytest.raises(StatisticsError, match="needs at least 20 finished runs"):
        lsmtune.analyze(study, indicators=["space_bytes"])


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    """A sample in which one option matters."""
    plan = FakePlan(Budget(math.inf, None), Surface(0.6, frozenset({"write_buffer_size"})), Noise(rate=0.02))
    settings = SampleSettings(plan.space, "sobol", 48, 16, 0, 1, anchor_every=5, noise_runs=5, seed=1)
    with fake_study(tmp_path / "drawn", plan) as study:
        study.sample(settings)
    return tmp_path / "drawn"


def test_an_analysis_of_a_sample_is_a_value_and_is_left_in_the_folder(drawn: Path) -> None:
    found = lsmtune.analyze(drawn, indicators=["throughput_settled_ops_s"])
    assert found.by_name["throughput_settled_ops_s"].matters[0] == "write_buffer_size"
    assert (drawn / "analysis.json").exists()


def test_a_part_of_the_table_of_a_study_is_analysed(drawn: Path) -> None:
    part = lsmtune.load(drawn).table().of(Purpose.SAMPLE, Purpose.BASELINE)
    little = AnalysisPlan((Learner.KERNEL,), trees=10, points=32, draws=50, curves=0, explained=5, shadows=2)
    found = lsmtune.analyze(part, indicators=["throughput_settled_ops_s"], plan=little)
    assert found.by_name["throughput_settled_ops_s"].matters[0] == "write_buffer_size"
    assert not (drawn / "analysis.json").exists()


def test_an_experiment_that_nothing_has_checked_is_refused() -> None:
    by_hand = lsmtune.Experiment.model_validate({"workload": {"benchmarks": "fillrandom", "num": "20k"}})
    with pytest.raises(ExperimentError, match="was made by hand, so nothing has checked it; give its tables as a dict"):
        lsmtune.tune(by_hand, quiet=True)


def test_what_was_read_without_options_to_search_is_not_searched(tmp_path: Path) -> None:
    read = read_experiment({**SMALL, "name": "fill"}, searches=False)
    said, bench = r'of the experiment "fill" is missing; write \[space\] with preset', fake_db_bench.install(tmp_path)
    with pytest.raises(ExperimentError, match=said):
        lsmtune.tune(read, db_bench=bench, quiet=True)
    with pytest.raises(ExperimentError, match=said):
        lsmtune.sample(read, db_bench=bench, quiet=True)
    assert read_experiment(read, searches=False) is read


def test_the_memory_of_an_experiment_in_a_dict_is_told() -> None:
    need = lsmtune.memory({**SMALL, "space": {"fixed": {"write_buffer_size": "32MiB"}}})
    assert {part.name: part.bytes for part in need.parts}["memtables"] == 64 << 20


@pytest.mark.parametrize("ask", [lsmtune.diagnose, lsmtune.resemble, partial(lsmtune.check, against="studies/none")])
def test_nothing_is_told_of_a_service_without_a_path(ask: Callable[[], object]) -> None:
    with pytest.raises(UsageError, match="no path was given; give the folder of the service's database"):
        ask()


def test_the_doctor_answers_with_values() -> None:
    facts = lsmtune.doctor(runs=0, quiet=True)
    assert facts.build.engine == "rocksdb"
    for runs in (1, -3):
        with pytest.raises(UsageError, match=f"--runs {runs} shows no spread"):
            lsmtune.doctor(runs=runs)


@pytest.mark.parametrize(
    ("table", "said", "runs"), [({"runs": 6}, None, 6), ({"runs": 6}, "9 runs", 9), (None, None, 15)]
)
def test_the_budget_of_the_file_holds_for_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: dict[str, int] | None, said: str | None, runs: int
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = {
        "name": "drawn",
        "workload": {"benchmarks": "fillrandom", "num": "1M"},
        "space": {"options": ["write_buffer_size", "max_background_jobs"]},
        "sample": {"runs": 8, "test": 0, "replicates": 0},
        "search": {"noise_runs": 3, "cap": 50},
        "host": {"disturbed": "use", "min_free": "16MiB"},
        **({} if table is None else {"budget": table}),
    }
    study = lsmtune.sample(asked, budget=said, db_bench=fake_db_bench.install(tmp_path), quiet=True)
    assert len(study.runs()) == runs


def test_an_engine_that_is_upgraded_while_the_first_run_waits_is_not_taken_for_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_db_bench.install(tmp_path)
    swept = partial(lsmtune.sweep, SWEPT, study=tmp_path / "grid", db_bench=program, quiet=True)
    upgrade_while_waiting(program, monkeypatch)
    with pytest.raises(RunSpoiledError, match=f"{program} was written anew since lsmtune identified it"):
        swept()
    with pytest.raises(UsageError, match="was measured with another db_bench"):
        swept()


def test_an_upgrade_is_noticed_where_a_study_goes_on_with_its_engine_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "moved"):
        (tmp_path / name).mkdir()
        program = fake_db_bench.install(tmp_path / name)
        upgrade_while_waiting(program, monkeypatch)
        with pytest.raises(RunSpoiledError, match=f"{program} was written anew since lsmtune identified it"):
            lsmtune.sweep(SWEPT, study=tmp_path / "grid", db_bench=program, quiet=True)


@pytest.mark.parametrize(
    ("table", "budget"),
    [({"time": "1h", "trials": 1}, Budget(3600.0, None)), ({"runs": 90, "trials": 1}, Budget(None, 90))],
)
def test_trials_of_a_search_cut_no_design_short(tmp_path: Path, table: dict[str, Any], budget: Budget) -> None:
    asked = read_experiment({**SWEPT, "budget": table})
    assert budget_or_all(prepared_of(asked, fake_db_bench.install(tmp_path)), None) == budget
