"""The verbs of nnictl on experiments of NNI, and the number of trials that a configuration asks for."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from nni_builders import experiment, own_trial

from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status, Value
from lsmtune.nni import Asked, Started, Trials, experiments_in, load_config, trials_as_csv, trials_as_json, trials_of
from lsmtune.nni._experiments import _status
from lsmtune.store import create_study, read_study
from lsmtune.study import Budget

pytestmark = pytest.mark.steady

SPACE = {"x": {"_type": "uniform", "_value": [0, 4]}}
TRIAL = """\
import json, os
folder = os.environ["NNI_SYS_DIR"]
x = json.load(open(folder + "/parameter.cfg"))["parameters"]["x"]
open(os.environ["LSMTUNE_METRICS"], "a").write(json.dumps({"type": "FINAL", "value": 10 + x}) + "\\n")
"""
"""A trial that reports without the shim, which takes longer to import than all of it."""


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an experiment has run to its end, three trials of its search."""
    return tmp_path_factory.mktemp("nni")


@pytest.fixture
def run(lsmtune: Lsmtune, studies: Path, monkeypatch: pytest.MonkeyPatch) -> Lsmtune:
    """Run lsmtune in that folder."""
    monkeypatch.chdir(studies)
    if not (studies / "studies").exists():
        config = own_trial(f"{sys.executable} -SE trial.py", more="maxTrialNumber: 3\n")
        experiment(studies, config, SPACE, trial=TRIAL)
        code, _, err = lsmtune("nni", "create", "--config", "config.yml")
        assert code == 0, err
        assert "lsmtune: 3 trials of the search at most" in err or "3 trials of the search at most" in err
    return lsmtune


def test_the_number_of_trials_is_that_of_the_search(run: Lsmtune, studies: Path) -> None:
    [found] = experiments_in(studies / "studies")
    assert (found.id, found.status, found.trials) == ("toy", "DONE", 3)
    with read_study(studies / "studies" / "toy") as study:
        assert len(list(study.runs())) > 3
    assert "ended after 3 trials, all that were asked for" in run("show", "studies/toy")[1]


def test_experiments_are_listed_with_their_status(run: Lsmtune, studies: Path) -> None:
    assert run("nni", "experiment", "list") == (0, f"toy  DONE  3 trials  {studies / 'config.yml'}\n", "")
    [row] = json.loads(run("nni", "experiment", "list", "--json")[1])
    assert row == {"id": "toy", "status": "DONE", "trials": 3, "config": str(studies / "config.yml")}


@pytest.mark.parametrize(("done", "status"), [(True, "DONE"), (False, "UNKNOWN")])
def test_an_experiment_on_a_host_that_is_not_seen_is_not_called_running(
    tmp_path: Path, done: bool, status: str
) -> None:
    (tmp_path / "lock").write_text('{"pid": 17, "host": "elsewhere", "boot": "another-kernel"}')
    assert _status(tmp_path, done=done) == status


def test_trials_are_exported_as_nni_writes_them(run: Lsmtune, studies: Path) -> None:
    rows = json.loads(run("nni", "experiment", "export", "toy")[1])
    assert [row["trialJobId"] for row in rows] == ["trial-1", "trial-2", "trial-3"]
    assert all(row["value"] == pytest.approx(10 + row["parameter"]["x"]) for row in rows)
    code, out, err = run("nni", "experiment", "export", "--type", "csv", "--filename", "trials.csv")
    assert (code, out, err) == (0, "", "lsmtune: wrote trials.csv\n")
    table = list(csv.DictReader(io.StringIO((studies / "trials.csv").read_text())))
    assert [float(row["reward"]) for row in table] == [pytest.approx(10 + float(row["x"])) for row in table]
    assert run("nni", "experiment", "export", "--type", "xml")[0] == 2


SHAPES = {
    "batch": {"_type": "quniform", "_value": [16, 64, 16]},
    "rate": {"_type": "choice", "_value": [0.1, "auto"]},
    "layers": {"_type": "choice", "_value": [3]},
    "pool": {
        "_type": "choice",
        "_value": [{"_name": "none"}, {"_name": "max", "size": {"_type": "randint", "_value": [1, 4]}}],
    },
}
GIVEN: list[dict[str, Value]] = [
    {"batch": 32, "rate": '"auto"'},
    {"batch": 48, "pool": "max", "pool.max.size": 2},
]
"""Two trials as a study keeps them: what differs from the middle."""


def test_exported_parameters_are_those_that_the_trials_got(tmp_path: Path) -> None:
    trials = Trials(load_config(experiment(tmp_path, own_trial(), SHAPES, trial="print()")))
    folder = tmp_path / "study"
    with create_study(folder, trials.description(folder)) as made:
        for number, values in enumerate(GIVEN, start=1):
            chosen = Configuration.of(values)
            run = made.plan(Run(0, Purpose.TRIAL, f"trial-{number}", number, chosen, number, 1))
            made.start(run)
            made.finish(run, Outcome(Status.OK, 1.7e9 + number, 2.0, "", Measurement({"trial_score": 4.0 + number})))
    with read_study(folder) as study:
        found = list(trials_of(study))
    assert [row["parameter"] for row in json.loads(trials_as_json(found))] == [
        {"batch": 32.0, "rate": "auto", "layers": 3, "pool": {"_name": "none"}},
        {"batch": 48.0, "rate": 0.1, "layers": 3, "pool": {"_name": "max", "size": 2}},
    ]
    table = list(csv.DictReader(io.StringIO(trials_as_csv(found))))
    assert [row["rate"] for row in table] == ["auto", "0.1"]
    assert [json.loads(row["pool"]) for row in table] == [{"_name": "none"}, {"_name": "max", "size": 2}]


def test_an_experiment_goes_on_by_its_name_alone(run: Lsmtune, studies: Path) -> None:
    code, out, err = run("nni", "resume", "toy", "--quiet", "--json")
    assert code == 0, err
    assert json.loads(out)["name"] == "toy"
    started = Started.read(studies / "studies" / "toy")
    assert (started.config, started.budget, started.asked.trial) == (studies / "config.yml", None, False)


def test_a_program_is_found_again_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Started(Path("config.yml"), Asked(db_bench=Path("bin/db_bench"))).keep(tmp_path)
    kept = Started.read(tmp_path)
    assert (kept.config, kept.asked.db_bench) == (tmp_path / "config.yml", tmp_path / "bin" / "db_bench")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("nni", "stop"), 'nobody works on study "studies/toy"'),
        (("nni", "stop", "gone"), "gone is no experiment of NNI"),
        (("nni", "resume", "."), "is no experiment of NNI"),
        (("nni", "create"), "Missing option '--config'"),
        (("nni", "gone.yml"), "gone.yml"),
        (("nni", "--scale", "7", "config.yml"), "scale"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Lsmtune, words: tuple[str, ...], part: str) -> None:
    code, out, err = run(*words)
    assert (code != 0, out) == (True, "")
    assert part in err
    assert len(err.splitlines()) == 1 or err.splitlines()[-1].startswith("lsmtune: ")


def test_a_folder_without_experiments_says_how_to_start_one(lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("nni", "experiment", "list")
    assert (code, out) == (0, "")
    assert "lsmtune nni create" in err
    assert "none; start one with lsmtune nni create" in lsmtune("nni", "resume")[2]


def test_a_reference_that_passes_the_longest_time_of_a_trial_names_the_key(
    lsmtune: Lsmtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = own_trial(f"{sys.executable} -SE trial.py", more="maxTrialDuration: 1\n")
    experiment(tmp_path, config, SPACE, trial="while True:\n    pass\n")
    code, _, err = lsmtune("nni", "create", "--config", "config.yml")
    assert code == 1
    assert "beyond its cap of 1 s; raise maxTrialDuration in its configuration, or let a trial do less" in err


@pytest.mark.parametrize("trials", [1, 5, 20, 256])
def test_runs_beside_the_trials_come_on_top(tmp_path: Path, trials: int) -> None:
    path = experiment(tmp_path, own_trial(more=f"maxTrialNumber: {trials}\nmaxExperimentDuration: 2h\n"), SPACE)
    budget = Trials(load_config(path)).budget
    assert (budget.time_s, budget.trials) == (7200.0, trials)
    assert budget.runs is not None
    assert budget.runs > trials * 5 / 4 + 5
    assert f"{trials} trials of the search at most" in budget.trial_words
    assert f"{budget.runs} runs in all at most" in budget.trial_words
    assert Budget(7200.0, None).trial_words == ""
