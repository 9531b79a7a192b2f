"""The report of a sweep: the rule of thumb, maps, cells, lines; and of studies that cannot say anything."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from html_builders import Page, page_of
from sweep_builders import SURFACE, style_of, swept

from lsmtune import api
from lsmtune.model import Purpose, Value
from lsmtune.report._phases import ArmNames, phase_sentence
from lsmtune.report.html import _sweep_charts, figures_left_out
from lsmtune.report.html._blocks import Paragraph, charts_in
from lsmtune.report.html._phase_parts import winner_by_phase_parts
from lsmtune.report.html._plotly import plotly_figure
from lsmtune.report.html._sweep_charts import file_stem, level_lines, line_axes, map_axes, tail_lines, undrawn
from lsmtune.report.html._sweep_parts import line_parts, winner_parts
from lsmtune.result import PhaseLevels, phase_table
from lsmtune.store import read_study
from lsmtune.study import runs_of
from lsmtune.testing import Fault

RATE = "throughput_settled_ops_s"
MARKUP = "<img src=x onerror=\"document.title='taken'\"> $x_1$ & b"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return swept(tmp_path_factory.mktemp("html") / "grid")


@pytest.fixture(scope="module")
def page(study: Path) -> Page:
    return page_of(study, figures=study.parent / "figures")


def winner() -> str:
    rates = {name: SURFACE.indicators(values)[RATE] for name, values in style_of("plain", "raw").sets.items()}
    return max(rates, key=lambda name: rates[name])


def test_a_sweep_answers_who_wins_where_first(page: Page) -> None:
    sections = [its["id"] for tag, its in page.elements if tag == "section"]
    assert sections[:4] == ["summary", "winners", "cells", "lines"]
    assert "comparison" not in sections
    assert f"{winner()} has the higher settled throughput in 4 of 4 cells, by" in page.words
    assert "a sweep" in page.words
    assert "lsmtune sweep experiment.toml --study again/" in page.words
    assert "lsmtune sample" not in page.words


def test_each_cell_of_a_map_names_its_winner_and_the_gain(page: Page) -> None:
    figures = json.loads(page.scripts[0])["figures"]
    cells = figures[f"winner-{RATE}"]["data"]
    texts = [text for trace in cells for text in trace["text"]]
    assert len(texts) == 4
    assert all(text.startswith(f"{winner()}<br>") and text.endswith("x") for text in texts)
    assert sum(len(trace["x"]) for trace in cells) == 4
    boxes = [box for trace in cells for box in zip(trace["x"], trace["base"], trace["y"], strict=True)]
    assert sorted((x, round(base + height / 2, 6)) for x, base, height in boxes) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert all(height < 1 for _, _, height in boxes), "cells do not cover one another"


def test_lines_are_the_means_with_their_intervals(page: Page) -> None:
    figure = json.loads(page.scripts[0])["figures"][f"levels-{RATE}"]
    assert {trace["name"] for trace in figure["data"]} == {"plain", "raw"}
    scale = 1e3 if "kops/s" in figure["layout"]["yaxis"]["title"]["text"] else 1e6
    for trace in figure["data"]:
        truth = SURFACE.indicators(style_of("plain", "raw").sets[trace["name"]])[RATE]
        assert [level * scale for level in trace["y"]] == pytest.approx([truth] * 2, rel=0.15)
        assert all(length > 0 for length in trace["error_y"]["array"])


def test_a_mean_of_one_block_has_no_interval(study: Path) -> None:
    with read_study(study) as opened:
        cells = runs_of(opened).of(Purpose.SAMPLE)
    blocks = cells.frame["block"].to_numpy()
    of_one = cells.where(blocks == blocks[0])
    whole, single = (list(level_lines(runs, RATE, "variant.style")) for runs in (cells, of_one))
    told = [["[" in row[2] for row in chart.table()[1:]] for chart in (*whole, *single)]
    assert [all(each) for each in told] == [True, True, False, False]
    assert not any(told[2] + told[3])
    bars = plotly_figure(single[0])["data"][0]["error_y"]
    assert bars["array"] == bars["arrayminus"] == [None, None]


def test_the_cells_have_every_indicator_that_was_measured(page: Page) -> None:
    for words in ("settled throughput", "write amplification", "space on disk"):
        assert words in page.words
    assert page.words.count("16 KiB") >= 4


def test_the_small_page_shows_the_maps_and_says_the_same(study: Path) -> None:
    shown = page_of(study, lite=True)
    assert shown.count("script") == 0
    assert f"{winner()} has the higher settled throughput in 4 of 4 cells" in shown.words
    assert "Who wins in settled throughput, and by how much" in shown.words
    assert shown.count("svg") >= 4


def test_every_figure_of_a_sweep_is_a_file(study: Path, page: Page) -> None:
    figures = study.parent / "figures"
    names = {path.stem for path in figures.iterdir()}
    assert {f"winner-{RATE}", f"levels-{RATE}", "winner-waf"} <= names
    assert names == {its["data-chart"] for _, its in page.elements if "data-chart" in its}
    assert winner() in (figures / f"winner-{RATE}.svg").read_text()


def test_the_tails_of_a_phase_called_read_are_not_those_of_the_reads_of_a_mix(study: Path) -> None:
    with read_study(study) as opened:
        runs = runs_of(opened)
    latencies = {
        f"indicator.{kind}latency_{tail}_s{phase}": seconds
        for kind, phase, seconds in (("", "@read", 1e-3), ("read_", "", 2e-3))
        for tail in ("p50", "p99", "max")
    }
    charts = list(tail_lines(replace(runs, frame=runs.frame.assign(**latencies)), "variant.style"))
    assert len({file_stem(chart.name) for chart in charts}) == len(charts) == 8


def test_combinations_that_have_no_chart_are_counted(study: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Without a chart" not in page.words
    monkeypatch.setattr(_sweep_charts, "MOST_SLICES", 1)
    assert 'Without a chart: 1 further combination of the factors; "The cells" has them all.' in page_of(study).words
    with read_study(study) as opened:
        runs = runs_of(opened)
    style = "variant.style"
    axes = (map_axes(runs, style), line_axes(runs, style), ())
    assert [undrawn(runs, style, each) for each in axes] == [0, 1, 3]
    assert figures_left_out(runs, (RATE,), style) == (
        "combinations of the factors beyond the first 1 have no figure: 1 in lines; the tables and --json have them "
        "all, of any indicator with --indicator"
    )
    tails = {f"indicator.latency_{tail}_s": 1e-3 for tail in ("p50", "p99", "max")}
    tailed = replace(runs, frame=runs.frame.assign(**tails))
    assert "first 1 have no figure: 1 in lines and 3 in tails;" in figures_left_out(tailed, (RATE,), style)
    monkeypatch.undo()
    assert figures_left_out(tailed, (RATE,), style) == ""


def test_indicators_of_phases_that_have_no_chart_are_counted(study: Path) -> None:
    with read_study(study) as opened:
        view = api.report_view(opened, inside=False, predicts=False)
    assert view.sweep is not None
    runs = view.sweep.runs
    phases = {f"indicator.throughput_ops_s@{phase}": runs.frame[f"indicator.{RATE}"] for phase in "abcdefgh"}
    swept_phases = replace(view.sweep, runs=replace(runs, frame=runs.frame.assign(**phases)))
    for parts_of in (line_parts, winner_parts):
        told = [part.text for part in parts_of(replace(view, sweep=swept_phases)) if isinstance(part, Paragraph)]
        assert told[-1] == 'Without charts: 2 further indicators of other phases; "The cells" has them all.'
        kept = [part.text for part in parts_of(view) if isinstance(part, Paragraph)]
        assert not any("Without charts" in text for text in kept)


def test_places_of_phases_that_have_no_chart_are_counted(study: Path) -> None:
    arms: dict[Value, dict[int, float]] = {
        "plain": {0: 100.0, 1: 103.0, 2: 98.0},
        "raw": {0: 120.0, 1: 125.0, 2: 116.0},
    }
    places = [PhaseLevels({"block_size": size}, [arms, arms]) for size in range(8)]
    table = phase_table("throughput_ops_s", ("plain", "raw"), ("a", "b"), places, alpha=0.05, one_spread=True)
    with read_study(study) as opened:
        view = api.report_view(opened, inside=False, predicts=False)
    for shown, words in ((table, True), (replace(table, rows=table.rows[: 6 * 3]), False)):
        parts = list(winner_by_phase_parts(replace(view, sweep=None, result=replace(view.result, phases=(shown,)))))
        assert len(list(charts_in(parts))) == 6
        told = {part.text for part in parts if isinstance(part, Paragraph)}
        assert ("Without a chart: 2 further combinations of the factors; the table has them all." in told) is words


def test_a_lead_in_a_latency_that_nobody_is_shown_to_win_is_worded_as_a_gain() -> None:
    arms: dict[Value, dict[int, float]] = {"plain": {0: 1e-3, 1: 3e-3}, "raw": {0: 2e-3, 1: 3e-3}}
    places = [PhaseLevels({}, [arms, arms])]
    table = phase_table("latency_p99_s", tuple(arms), ("a", "b"), places, alpha=0.05, one_spread=False)
    words = phase_sentence(table, ArmNames())
    assert "nobody is shown to win (plain has a gain of 1.41x [" in words
    assert words.endswith("] over raw).")


@pytest.mark.parametrize("lite", [False, True])
def test_names_of_variants_with_markup_stay_text(tmp_path: Path, lite: bool) -> None:
    folder = swept(tmp_path / "study", (MARKUP, "</svg><script>1</script>"))
    shown = page_of(folder, lite=lite, figures=tmp_path / "figures" if lite else None)
    assert shown.count("script") == (0 if lite else 3)
    assert shown.count("img") == 0
    assert not any(name.startswith("on") for _, its in shown.elements for name in its)
    assert MARKUP in shown.words
    if lite:
        texts = [path.read_text() for path in (tmp_path / "figures").iterdir()]
        assert not any("<img" in text or "<script" in text for text in texts)


def test_a_sweep_whose_cells_all_failed_is_a_page(tmp_path: Path) -> None:
    shown = page_of(swept(tmp_path / "s", faults=lambda run: Fault.FAIL if run.arm.startswith("sample") else None))
    assert "No cell has a result yet." in shown.words
    assert "db_bench was told to fail" in shown.words


def test_a_sweep_of_one_competing_value_says_that_it_stands_alone(tmp_path: Path) -> None:
    def fails(run):  # type: ignore[no-untyped-def] # as Faults
        return Fault.FAIL if run.configuration.values.get("compression_type") == "none" else None

    shown = page_of(swept(tmp_path / "s", faults=fails))
    assert "in 4 cells only one of them gave it" in shown.words


@pytest.mark.parametrize("runs", [2, 4])
def test_a_sweep_that_has_hardly_begun_is_a_page(tmp_path: Path, runs: int) -> None:
    shown = page_of(swept(tmp_path / "s", runs=runs))
    assert "No cell" in shown.words or "Nobody is shown" in shown.words


def test_long_names_that_begin_alike_are_told_apart_in_a_map(tmp_path: Path) -> None:
    names = ("leveled compaction with large buffers", "leveled compaction without compression")
    page = page_of(swept(tmp_path / "study", names))
    cells = json.loads(page.scripts[0])["figures"][f"winner-{RATE}"]["data"]
    lines = [text.split("<br>") for trace in cells for text in trace["text"]]
    assert {line[1].rstrip("?").split()[-1] for line in lines} <= {"buffers", "compression"}
    assert all(len(line) <= 25 for each in lines for line in each)
