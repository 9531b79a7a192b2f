"""lsmtune analyze on a small study of the fake engine."""

import json
from functools import partial
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.analysis import AnalysisPlan, Learner, Runs
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Surface, fake_space, fake_study

QUICK = partial(AnalysisPlan, learners=(Learner.EXTRA_TREES,), trees=20, points=64, draws=50, curves=2, explained=10)


def sampled(folder: Path, points: int, tests: int) -> Runs:
    settings = SampleSettings(fake_space(), "sobol", points, tests, tests // 2, 3, anchor_every=5, noise_runs=3, seed=7)
    with fake_study(folder, FakePlan(Budget(None, 1000), Surface(0.4))) as study:
        return study.sample(settings)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analyze") / "study"
    runs = sampled(folder, 60, 12)
    runs.write(folder / "runs.parquet")
    return folder


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few trees and draws."""
    monkeypatch.setattr("lsmtune.api._answers.AnalysisPlan", QUICK)


def one_sentence(answer: tuple[int, str, str], code: int, *parts: str) -> None:
    got, out, err = answer
    assert (got, out) == (code, ""), err
    assert err.startswith("lsmtune: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


def test_a_study_gives_a_card(lsmtune: Lsmtune, study: Path) -> None:
    code, out, err = lsmtune("analyze", str(study), "--indicator", "waf", "--one-way", "--interactions")
    assert (code, err) == (0, "")
    assert "write amplification (waf)" in out
    assert "on 12 test configurations, which no model learned from" in " ".join(out.split())
    assert "write_buffer_size" in out
    assert "Shadow features, which do nothing:" in out
    assert "one factor at a time, as Jin et al. (2022) did" in out


def test_the_answer_stays_in_the_study_folder_and_is_in_the_report(lsmtune: Lsmtune, study: Path) -> None:
    code, out, _ = lsmtune("analyze", str(study), "--indicator", "waf", "--json")
    assert code == 0
    assert json.loads((study / "analysis.json").read_text()) == json.loads(out)
    assert lsmtune("report", str(study), "-o", "page.html", "--figures", "figures")[0] == 0
    assert "What write amplification depends on" in Path("page.html").read_text()
    assert Path("figures/importance-waf.svg").read_text().count("shadow (number)") == 1


def test_json_is_one_document_and_figures_are_written(lsmtune: Lsmtune, study: Path, tmp_path: Path) -> None:
    table = str(study / "runs.parquet")
    code, out, err = lsmtune("analyze", table, "--indicator", "waf", "--indicator", "cpu", "--json", "--figures", "a/b")
    assert code == 0
    told = json.loads(out)
    assert [found["indicator"] for found in told["indicators"]] == ["waf"]
    assert told["missing"][0].startswith('no run of this study has the indicator "cpu"')
    assert "write_buffer_size" in told["indicators"][0]["matters"]
    written = sorted(path.name for path in (tmp_path / "a" / "b").iterdir())
    assert "importance-waf.svg" in written
    assert "predicted-waf.svg" in written
    assert sorted(err.splitlines()) == [f"lsmtune: wrote a/b/{name}" for name in written]


def test_what_cannot_be_read_is_named(lsmtune: Lsmtune, tmp_path: Path) -> None:
    one_sentence(lsmtune("analyze", "nowhere"), 1, "nowhere")
    one_sentence(lsmtune("analyze", "gone.parquet"), 2, "gone.parquet cannot be read")
    (tmp_path / "text.parquet").write_text("hello")
    one_sentence(lsmtune("analyze", "text.parquet"), 2, "text.parquet cannot be read")


def test_a_table_of_others_is_refused(lsmtune: Lsmtune, study: Path, tmp_path: Path) -> None:
    Runs.read(study / "runs.parquet").frame.to_parquet(tmp_path / "theirs.parquet")
    one_sentence(lsmtune("analyze", "theirs.parquet"), 2, "was not written by lsmtune", "lsmtune sample")


def test_a_study_with_too_few_runs_is_refused(lsmtune: Lsmtune, tmp_path: Path) -> None:
    sampled(tmp_path / "small", 6, 0)
    one_sentence(lsmtune("analyze", "small"), 1, "needs at least 20 finished runs, but there are 6", "sample more")


def test_an_indicator_that_no_run_has_is_wrong_use(lsmtune: Lsmtune, study: Path) -> None:
    one_sentence(lsmtune("analyze", str(study), "--indicator", "saf"), 2, '"saf"', "take one of")


def test_figures_that_cannot_be_written_are_named_before_the_work_is_done(
    lsmtune: Lsmtune, study: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    one_sentence(lsmtune("analyze", str(study), "--figures", "file"), 2, "file cannot be made a folder")


def test_a_sample_is_shown_as_one(lsmtune: Lsmtune, study: Path) -> None:
    code, out, _ = lsmtune("show", str(study), "--runs")
    assert code == 0
    assert "The reference over the sample" in out
    assert "Next: lsmtune analyze" in out
    code, out, _ = lsmtune("show", str(study), "--json")
    assert code == 0
    assert json.loads(out)["counts"]["sample"] == {"ok": 60}
