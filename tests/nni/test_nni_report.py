"""The report of a study of a user's own command."""

from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from nni_builders import experiment, own_trial

from lsmtune.analysis import AnalysisPlan, Learner
from lsmtune.api import analyze
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.nni import Trials, load_config
from lsmtune.store import create_study

SPACE = {"x": {"_type": "uniform", "_value": [0, 4]}, "<b>mode</b>": {"_type": "choice", "_value": ["<i>", "fast"]}}


def made_study(tmp_path: Path, count: int) -> Path:
    """A study with three runs of the middle and `count` trials."""
    trials = Trials(load_config(experiment(tmp_path, own_trial(), SPACE, trial="print()")))
    with create_study(tmp_path / "study", trials.description(tmp_path / "study")) as made:
        for number in range(1, 4 + count):
            arm, purpose = ("middle", Purpose.BASELINE) if number < 4 else (f"trial-{number}", Purpose.TRIAL)
            x = 3.0 + (number - 4) / count
            values = Configuration.of({} if number < 4 else {"x": x, "<b>mode</b>": "<i>"})
            run = made.plan(Run(0, purpose, arm, number, values, number, 1))
            made.start(run)
            made.finish(run, Outcome(Status.OK, 1.7e9 + number, 2.0, "", Measurement({"trial_score": 4.0 + number})))
    return tmp_path / "study"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return made_study(tmp_path, 2)


def test_a_study_of_a_command_is_analysed(tmp_path: Path) -> None:
    little = AnalysisPlan((Learner.KERNEL,), trees=10, points=32, draws=50, curves=0, explained=5, shadows=2)
    found = analyze(made_study(tmp_path, 30), plan=little)
    assert set(found.by_name) == {"trial_score"}
    assert "x" in found.by_name["trial_score"].matters


@pytest.mark.parametrize("lite", [False, True])
def test_a_study_of_a_command_has_a_report(study: Path, lsmtune: Lsmtune, lite: bool) -> None:
    code, _, err = lsmtune("report", str(study), "-o", "page.html", *(["--lite"] if lite else []))
    assert code == 0, err
    text = Path("page.html").read_text()
    assert "trial score" in text
    assert "a command of yours, run in" in text
    assert "lsmtune nni CONFIG --study again/toy" in text
    assert "lsmtune tune" not in text.partition("To repeat it")[2].partition("<details")[0]
    assert "<b>mode</b>" not in text
    assert "<i>" not in text
