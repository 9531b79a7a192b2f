"""The section of a report that says what holds at full size."""

from pathlib import Path

import pytest
from html_builders import described, page_of, sampled, tuned

from lsmtune.api import report_view
from lsmtune.forecast import Calibration, kept_at
from lsmtune.lsm_model.tree import Costs
from lsmtune.report.html import Mark, WhatIf
from lsmtune.report.html._blocks import charts_in
from lsmtune.report.html._what_if_parts import what_if_parts
from lsmtune.store import read_study
from lsmtune.testing import fake_description, fake_rules, fake_space


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tuning that found a better configuration."""
    return tuned(tmp_path_factory.mktemp("what-if") / "study")


@pytest.fixture(autouse=True)
def _no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_reference_stands_beside_the_result_with_intervals(folder: Path) -> None:
    page = page_of(folder)
    assert "What if: at full size" in page.words
    assert "Nothing of this was measured" in page.words
    at = page.words.index("At full size, predicted")
    table = page.words[at : at + 700]
    for name in ("write amplification", "space, when nothing is due", "space, at most", "memory of the process"):
        assert name in table
    assert "rate that it keeps up with" not in table, "nothing was measured of that host"


def predicted(folder: Path) -> WhatIf:
    """Return what the report says of a study."""
    with read_study(folder) as study:
        found = report_view(study).what_if
    assert found is not None
    return found


def test_each_change_has_a_curve_through_both_of_its_values(folder: Path) -> None:
    found = predicted(folder)
    assert found.result is not None
    assert found.curves
    for curve in found.curves:
        values = [value for value, _ in curve.points]
        assert curve.reference in values
        assert curve.reference != curve.result
        (same,) = (each for value, each in curve.points if value == curve.result)
        assert same["waf"].value == pytest.approx(found.result["waf"].value)


def test_a_chart_marks_reference_and_result_and_shows_what_moves(folder: Path) -> None:
    with read_study(folder) as study:
        view = report_view(study)
    charts = list(charts_in(what_if_parts(view)))
    assert charts
    for chart in charts:
        lines = [series for series in chart.series if series.mark not in (Mark.REFERENCE, Mark.STAR)]
        star = next(series for series in chart.series if series.mark is Mark.STAR)
        assert star.y == (1.0,)
        assert all(any(y is not None and abs(y - 1) > 0.02 for y in line.y) for line in lines)
        place = round(star.x[0] or 0)
        assert all(line.y[place] == pytest.approx(1.0) for line in lines)


def test_rates_are_told_where_a_calibration_is_kept(folder: Path) -> None:
    known = fake_description(fake_rules(), fake_space())
    costs = Costs(assumed=(), origin="measured there")
    made = Calibration(known.host.fingerprint, "there", 2, known.build.fingerprint, "7.8.3", "now", costs)
    kept_at(known.host, known.build).parent.mkdir(parents=True)
    kept_at(known.host, known.build).write_text(made.text())
    found = predicted(folder)
    assert found.reference["sustained_ops_s"].value > 0
    assert found.result is not None
    (same,) = (each for value, each in found.curves[0].points if value == found.curves[0].result)
    assert same["waf"].value == found.result["waf"].value, "curves have the same costs"
    assert "rate that it keeps up with" in page_of(folder).words


def test_a_large_store_has_fewer_curves_and_says_of_which_options(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsmtune.api._what_if._MOST_FLUSHES", 0)
    found = predicted(folder)
    assert found.curves == ()
    assert found.without_curve
    assert f"Without a curve, as it takes long at this size: {found.without_curve[0]}" in page_of(folder).words


def test_a_workload_that_the_model_does_not_describe_has_no_such_section(tmp_path: Path) -> None:
    flags = "flags = { num_column_families = 2 }"
    text = f'[workload]\nbenchmarks = "fillrandom"\n{flags}\nnum = "1M"\n[space]\npreset = "write-heavy"\n'
    assert "At full size, predicted" not in page_of(described(tmp_path / "families", experiment=text)).words


def test_a_sample_has_no_result_and_no_such_section(tmp_path: Path) -> None:
    assert "At full size, predicted" not in page_of(sampled(tmp_path / "sample")).words


def test_the_live_page_waits_for_no_prediction(folder: Path) -> None:
    with read_study(folder) as study:
        assert report_view(study, predicts=False).what_if is None


def test_where_nothing_changed_the_reference_stands_alone(tmp_path: Path) -> None:
    page = page_of(described(tmp_path / "empty"))
    at = page.words.index("At full size, predicted")
    assert "The reference: A lookup looks into" in page.words[at:]
    assert "The result:" not in page.words[at:]
