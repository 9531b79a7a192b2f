"""lsmtune analyze on a small study of the fake engine."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from lsmtune import analysis
from lsmtune.analysis import AnalysisPlan, Learner, Runs
from lsmtune.cli import main
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Surface, fake_space, fake_study

Run = Callable[..., tuple[int, str, str]]

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


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run lsmtune in an empty folder, with few trees and draws; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(analysis, "AnalysisPlan", QUICK)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lsmtune", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return call


def one_sentence(answer: tuple[int, str, str], code: int, *parts: str) -> None:
    got, out, err = answer
    assert (got, out) == (code, ""), err
    assert err.startswith("lsmtune: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


def test_a_study_gives_a_card(run: Run, study: Path) -> None:
    code, out, err = run("analyze", str(study), "--indicator", "waf", "--one-way", "--interactions")
    assert (code, err) == (0, "")
    assert "write amplification (waf)" in out
    assert "on 12 untouched test configurations" in " ".join(out.split())
    assert "write_buffer_size" in out
    assert "Dummies, which do nothing:" in out
    assert "one factor at a time, as Jin et al. (2022) did" in out


def test_json_is_one_document_and_figures_are_written(run: Run, study: Path, tmp_path: Path) -> None:
    table = str(study / "runs.parquet")
    code, out, err = run("analyze", table, "--indicator", "waf", "--indicator", "cpu", "--json", "--figures", "a/b")
    assert code == 0
    told = json.loads(out)
    assert [found["indicator"] for found in told["indicators"]] == ["waf"]
    assert told["missing"][0].startswith('no run of this study has the indicator "cpu"')
    assert "write_buffer_size" in told["indicators"][0]["matters"]
    written = sorted(path.name for path in (tmp_path / "a" / "b").iterdir())
    assert "importance-waf.svg" in written
    assert "predicted-waf.svg" in written
    assert sorted(err.splitlines()) == [f"lsmtune: wrote a/b/{name}" for name in written]


def test_what_cannot_be_read_is_named(run: Run, tmp_path: Path) -> None:
    one_sentence(run("analyze", "nowhere"), 1, "nowhere")
    one_sentence(run("analyze", "gone.parquet"), 2, "gone.parquet cannot be read")
    (tmp_path / "text.parquet").write_text("hello")
    one_sentence(run("analyze", "text.parquet"), 2, "text.parquet cannot be read")


def test_a_table_of_others_is_refused(run: Run, study: Path, tmp_path: Path) -> None:
    Runs.read(study / "runs.parquet").frame.to_parquet(tmp_path / "theirs.parquet")
    one_sentence(run("analyze", "theirs.parquet"), 2, "was not written by lsmtune", "lsmtune sample")


def test_a_study_with_too_few_runs_is_refused(run: Run, tmp_path: Path) -> None:
    sampled(tmp_path / "small", 6, 0)
    one_sentence(run("analyze", "small"), 1, "needs at least 20 finished runs, but there are 6", "sample more")


def test_an_indicator_that_no_run_has_is_wrong_use(run: Run, study: Path) -> None:
    one_sentence(run("analyze", str(study), "--indicator", "saf"), 2, '"saf"', "take one of")


def test_figures_that_cannot_be_written_are_named_before_the_work_is_done(
    run: Run, study: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    one_sentence(run("analyze", str(study), "--figures", "file"), 2, "file cannot be made a folder")
