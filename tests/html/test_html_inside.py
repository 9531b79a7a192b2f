"""The section on what happened inside runs, on stored runs with real LOGs and with hostile ones."""

from pathlib import Path

import pytest
from html_builders import HOSTILE, page_of
from timeline_builders import FIXTURES, ROCKSDB, empty, finished, measured

from lsmtune.model import Configuration, Purpose, Run, TimedSeries, Timeline
from lsmtune.report._timeline import curves
from lsmtune.result import RunTimeline


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return finished(tmp_path / "study")


def test_a_damaged_log_is_one_sentence_and_the_other_run_is_shown(study: Path) -> None:
    path = study / "artefacts" / "3" / "measure.LOG.gz"
    path.write_bytes(path.read_bytes()[:1000])
    shown = page_of(study)
    assert "What happened inside run 3 cannot be shown:" in shown.words
    assert "Flushes and compactions: run 2: stock (verify)" in shown.words


@pytest.mark.parametrize("lite", [False, True])
def test_the_report_shows_both_runs(study: Path, lite: bool) -> None:
    shown = page_of(study, lite=lite)
    assert "inside" in [its.get("id") for tag, its in shown.elements if tag == "section"]
    assert "Inside a run" in shown.words
    for run in ("run 2: stock (verify)", "run 3: finalist-1 (verify)"):
        assert f"Flushes and compactions: {run}" in shown.words
        assert f"Files in each level: {run}" in shown.words
    assert "Latency over time is not shown" in shown.words
    assert len(shown.source.encode()) < (500_000 if lite else 8_000_000)


TAILS = {"latency_p50_s": 1e-5, "latency_p99_s": 5e-5, "latency_p999_s": 4e-3, "latency_max_s": 0.02}


@pytest.mark.parametrize("lite", [False, True])
def test_of_db_bench_rate_and_mean_latency_stand_beside_the_histogram_of_the_whole_run(
    tmp_path: Path, *, lite: bool
) -> None:
    folder = FIXTURES / "db_bench-7.8.3"
    left = {
        "measure.LOG": (folder / "two_phases.LOG.txt").read_text(),
        "measure.stderr": (folder / "two_phases.stderr.txt").read_text(),
    }
    with empty(tmp_path / "study") as made:
        measured(made, Purpose.BASELINE, "stock", left, more=TAILS)
    shown = page_of(tmp_path / "study", lite=lite)
    titles = ("Over time: throughput", "Over time: mean latency", "Over the whole run: latency")
    places = [shown.words.find(title) for title in titles]
    assert -1 not in places
    assert places == sorted(places)
    assert "Latency over time is not shown" not in shown.words
    assert "db_bench prints no percentiles over time: what is shown is the mean" in shown.words
    assert "as the tool printed it" in shown.words


def test_a_value_is_drawn_over_its_own_interval_and_not_over_the_next() -> None:
    printed = (
        TimedSeries("throughput", "ops/s", (3.0, 4.0, 5.0), (10.0, 20.0, 30.0)),
        TimedSeries("offered rate", "ops/s", (2.5, 4.5), (15.0, 15.0)),
    )
    run = Run(1, Purpose.BASELINE, "stock", None, Configuration(), 1, 1)
    drawn = curves((RunTimeline(run, "measure", Timeline("rocksdb", 6.0, series=printed)),))
    rate, offered = drawn[-2:]
    assert list(zip(rate.times_s, rate.values, strict=True)) == [(2.0, 10.0), (3.0, 20.0), (4.0, 30.0), (5.0, 30.0)]
    assert list(zip(offered.times_s, offered.values, strict=True)) == [(2.5, 15.0), (4.5, 15.0)]


@pytest.mark.parametrize("lite", [False, True])
def test_what_a_log_says_stays_text(tmp_path: Path, lite: bool) -> None:
    log = ROCKSDB.replace("Stopping writes because", f"Stopping writes because {HOSTILE} $x_1$")
    with empty(tmp_path / "study") as made:
        measured(made, Purpose.BASELINE, "stock", {"measure.LOG": log})
    shown = page_of(tmp_path / "study", lite=lite)
    assert "Inside a run" in shown.words
    assert shown.count("script") == (0 if lite else 3)
    assert shown.count("img") == 0
    assert HOSTILE not in shown.source
    assert not any(name.startswith("on") for _, its in shown.elements for name in its)


def test_a_study_without_logs_has_no_such_section(tmp_path: Path) -> None:
    with empty(tmp_path / "study") as made:
        measured(made, Purpose.BASELINE, "stock", {})
    assert "Inside a run" not in page_of(tmp_path / "study").words
