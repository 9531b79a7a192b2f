"""The page as text: nothing is loaded, nothing is taken for markup, and it is written whatever the study holds."""

import base64
import hashlib
import io
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from html_builders import HOSTILE, Page, described, page_of, sampled, stepped, tuned
from rich.console import Console

from lsmtune import api
from lsmtune.api._report_view import ANALYSIS_FILE
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.report import tune_card
from lsmtune.report._analysis_json import ANALYSIS_FORMAT
from lsmtune.report._terminal import _COLOURS
from lsmtune.report.html import LITE_BYTES, asset
from lsmtune.report.html._blocks import Grid
from lsmtune.report.html._columns import RunColumns
from lsmtune.report.html._phase_parts import reference_by_phase_parts
from lsmtune.report.html._run_charts import tradeoff_chart
from lsmtune.result import StudyFacts, WorkloadFacts
from lsmtune.store import create_study, read_study
from lsmtune.study import Budget, runs_of
from lsmtune.testing import (
    FakeExecutor,
    FakePlan,
    Fault,
    Noise,
    Surface,
    fake_description,
    fake_rules,
    fake_space,
    fake_study,
)

_NOTHING = '{"format": 1, "runs": 0, "factors": [], "indicators": [1], "stopped": [], "missing": []}'
_LOADING = ("src", "href", "action", "data", "poster", "srcset", "xlink:href")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tuned(tmp_path_factory.mktemp("html") / "tuned")


@pytest.fixture(scope="module")
def page(study: Path) -> Page:
    return page_of(study, figures=study.parent / "figures")


@pytest.fixture(scope="module")
def lite(study: Path) -> Page:
    return page_of(study, lite=True)


def test_a_tuning_answers_in_order(page: Page) -> None:
    order = ["summary", "comparison", "changes", "costs", "phases", "what-if", "tails", "warnings", "trust", "origin"]
    order += ["search", "tradeoff", "runs", "troubles", "importance", "inside"]
    found = [its["id"] for tag, its in page.elements if tag == "section"]
    assert found == [key for key in order if key in found]
    assert {"summary", "comparison", "changes", "costs", "search", "tradeoff", "runs", "trust", "origin"} <= set(found)
    assert "Improved: 1." in page.words
    assert re.search(r"The search ended after \d+ trials, with its share of the budget\.", page.words)
    assert "lsmtune tune experiment.toml --study again/fake" in page.words
    assert "This study was not analyzed: run lsmtune analyze STUDY" in page.words


@pytest.mark.parametrize("kind", ["page", "lite"])
def test_no_element_names_anything_to_load(kind: str, request: pytest.FixtureRequest) -> None:
    page: Page = request.getfixturevalue(kind)
    found = [its[name] for _, its in page.elements for name in _LOADING if name in its]
    assert found
    assert all(address.startswith("#") for address in found)
    assert page.count("link") == page.count("iframe") == page.count("object") == 0
    (style,) = re.findall(r"<style>(.*?)</style>", page.source.split("<body>")[0], re.DOTALL)
    assert "url(" not in style
    assert "@import" not in style


def test_only_the_two_scripts_of_the_page_may_run(page: Page) -> None:
    data, *scripts = page.scripts
    assert len(scripts) == 2
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert page.policy["default-src"] == "'none'"
    assert page.policy["script-src"] == " ".join(f"'sha256-{digest}'" for digest in hashes)
    assert json.loads(data).keys() == {"figures", "table"}


def test_the_small_page_has_no_script_and_less_than_500_kb(lite: Page) -> None:
    assert lite.count("script") == 0
    assert lite.policy["script-src"] == "'none'"
    assert len(lite.source.encode()) <= LITE_BYTES
    assert lite.count("svg") >= 6


def test_bars_are_explained_where_there_are_any(study: Path) -> None:
    with read_study(study) as opened:
        view = api.report_view(opened, inside=False, predicts=False)
    for known in (True, False):
        noise = {name: floor for name, floor in view.result.noise.items() if known}
        shown = replace(view, result=replace(view.result, noise=noise))
        chart = tradeoff_chart(shown, RunColumns.of(shown))
        assert chart is not None
        assert any(series.x_span or series.y_span for series in chart.series) is known
        assert ("Bars on the front" in chart.alt) is known


def test_phases_stand_in_the_order_in_which_they_run(study: Path) -> None:
    with read_study(study) as opened:
        view = api.report_view(opened, inside=False, predicts=False)
    best, description = view.result.verdict, view.result.description
    assert best is not None
    names = ("throughput_ops_s@load", "throughput_ops_s@b", "throughput_ops_s")
    facts = replace(StudyFacts.of(description), workload=WorkloadFacts(benchmarks=("a", "b"), load=("load",)))
    result = replace(
        view.result,
        description=replace(description, facts=facts.to_json()),
        verified=(replace(best, levels=dict.fromkeys(names, (1.0, 2.0)), indicators={}),),
        repetition=None,
    )
    history = replace(view.history, measured={name: {1: 1.0} for name in names})
    (grid,) = reference_by_phase_parts(replace(view, result=result, history=history, measured_phase="a"))
    assert isinstance(grid, Grid)
    assert [row[0].text for row in grid.rows] == ["load", "a", "b"]


def test_what_a_card_shows_in_red_a_page_does_too() -> None:
    red = {str(state) for state, colour in _COLOURS.items() if colour == "red"}
    style = asset("page.css")
    assert len(red) > 1
    assert {state for state in red if f'.verdict[data-state="{state}"]' not in style} == set()


def test_sizes_and_headings(page: Page) -> None:
    assert len(page.source.encode()) < 8_000_000
    assert page.count("h1") == 1
    pictures = [its for tag, its in page.elements if "plot" in its.get("class", "").split()]
    assert all(its["aria-label"] for its in pictures)
    ids = [its["id"] for _, its in page.elements if "id" in its]
    assert len(ids) == len(set(ids))
    anchors = {its["href"].removeprefix("#") for tag, its in page.elements if tag == "a"}
    assert anchors <= set(ids)


def test_one_study_gives_one_text(study: Path, page: Page, lite: Page) -> None:
    assert page_of(study).source == page.source
    assert page_of(study, lite=True).source == lite.source


@pytest.mark.parametrize("lite", [False, True])
def test_names_with_markup_stay_text(tmp_path: Path, lite: bool) -> None:
    folder = stepped(tmp_path / "study", HOSTILE, f"$x_1$ & {HOSTILE}")
    shown = page_of(folder, lite=lite)
    assert shown.count("script") == (0 if lite else 3)
    assert shown.count("img") == 0
    assert f"Step 1: {HOSTILE}" in shown.words
    assert not any(name.startswith("on") for _, its in shown.elements for name in its)


def test_a_name_and_an_experiment_with_markup_stay_text(tmp_path: Path) -> None:
    experiment = (
        '# <b>&amp;</b> </pre><script>1</script>\nname = "x"\n[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n'
    )
    folder = described(tmp_path / "study", name=HOSTILE, experiment=experiment + '[space]\npreset = "write-heavy"\n')
    shown = page_of(folder)
    assert (shown.count("script"), shown.count("b"), shown.count("img")) == (3, 0, 0)
    assert "# <b>&amp;</b> </pre><script>1</script>" in shown.words


def test_an_empty_study_says_so(tmp_path: Path) -> None:
    shown = page_of(described(tmp_path / "study"))
    assert "There are no runs yet." in shown.words
    assert "Still going on, in the stage baseline: nothing is claimed yet." in shown.words


def test_a_single_run_is_a_page(tmp_path: Path) -> None:
    with create_study(tmp_path / "study", fake_description(fake_rules(), fake_space())) as study:
        run = study.plan(Run(0, Purpose.BASELINE, "stock", None, Configuration(), 1, 1))
        study.start(run)
        study.finish(run, Outcome(Status.OK, 1.7e9, 2.0, "", Measurement({"waf": 4.0})))
    shown = page_of(tmp_path / "study")
    assert "1 run," in shown.words
    assert page_of(tmp_path / "study", lite=True).count("script") == 0


def test_where_all_trials_failed_their_reasons_are_listed(tmp_path: Path) -> None:
    plan = FakePlan(Budget(None, 30), faults=lambda run: Fault.FAIL if run.arm.startswith("trial") else None)
    tuned(tmp_path / "study", plan)
    shown = page_of(tmp_path / "study")
    assert "runs failed, censored, disturbed, spoiled or lost" in shown.words
    assert "db_bench was told to fail" in shown.words
    assert "Nothing better found" in shown.words


def test_what_was_lost_and_how_steady_runs_are_stands_on_the_page_as_on_the_card(tmp_path: Path) -> None:
    fresh = {Purpose.VERIFY, Purpose.CONFIRM}

    def faults(run: Run) -> Fault | None:
        return Fault.FAIL if run.purpose in fresh and (run.arm, run.block) == ("stock", 0) else None

    with fake_study(tmp_path / "study", FakePlan(Budget(None, 120), Surface(0.8), faults=faults)) as study:
        card = Console(width=10_000, file=io.StringIO(), record=True)
        card.print(tune_card(study.tune()))
    said = [line.strip() for line in card.export_text().splitlines() if line.startswith(("Lost: ", "Steadiness: "))]
    assert len(said) == 2
    assert said[0].startswith("Lost: 1 fresh run of the reference failed; its pair is missing")
    shown = page_of(tmp_path / "study").words
    assert all(sentence in shown for sentence in said)


def test_an_indicator_that_half_of_the_runs_lack_is_a_page(tmp_path: Path) -> None:
    class Forgetful(FakeExecutor):
        def run(self, run, limits, watch):  # type: ignore[no-untyped-def] # as in the base class
            outcome: Outcome = super().run(run, limits, watch)
            if run.id % 2 or outcome.measurement is None or outcome.status is not Status.OK:
                return outcome
            known = {**outcome.measurement.indicators, "waf": None, "throughput_settled_ops_s": None}
            return Outcome(outcome.status, outcome.started_at, outcome.elapsed_s, "", Measurement(known))

    plan = FakePlan(Budget(None, 40))
    with fake_study(tmp_path / "study", plan, Forgetful(plan.surface)) as study:
        study.tune()
    shown = page_of(tmp_path / "study")
    data = json.loads(shown.scripts[0])
    (waf,) = (column for column in data["table"]["columns"] if column["name"] == "waf")
    assert None in waf["values"]
    assert any(value is not None for value in waf["values"])


def test_a_sample_claims_nothing_and_lists_what_gave_nothing(tmp_path: Path) -> None:
    shown = page_of(sampled(tmp_path / "study"))
    assert "44 runs of a design over the options" in shown.words
    assert "censored" in shown.words
    assert "others used 29 % of the cores that the run may use" in shown.words
    assert "comparison" not in {its.get("id") for _, its in shown.elements}


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        "{}",
        "[" * 100_000,
        '{"format": 1, "runs": 0, "factors": 3}',
        '{"format": 99}',
        '{"format": 1, "runs": "many"}',
        _NOTHING,
    ],
)
def test_an_analysis_that_cannot_be_read_is_a_sentence(tmp_path: Path, text: str) -> None:
    folder = described(tmp_path / "study")
    (folder / ANALYSIS_FILE).write_text(text)
    assert "repeat lsmtune analyze STUDY." in page_of(folder).words


def test_an_analysis_is_told_to_be_old_only_where_runs_came_that_it_would_have(tmp_path: Path) -> None:
    plan = FakePlan(Budget(1500.0, None), Surface(0.6), Noise(rate=0.01), seed=5, rungs=(Fraction(1, 4),))
    with fake_study(tmp_path / "study", plan) as study:
        study.tune()
        runs, every = len(runs_of(study.study)), len(study.history.runs)
    assert runs < every, "runs with less data are in no analysis"
    for made_of in (runs, runs - 1):
        found = {"format": ANALYSIS_FORMAT, "runs": made_of, "factors": [], "indicators": [], "stopped": []}
        (tmp_path / "study" / ANALYSIS_FILE).write_text(json.dumps(found | {"missing": ["Nothing."]}))
        shown = page_of(tmp_path / "study").words
        assert "Nothing." in shown
        assert (f"Made of {made_of} runs; the study has {runs} now." in shown) == (made_of < runs)
        assert ("; the study has " in shown) == (made_of < runs)


def test_every_figure_is_a_file_of_its_own(study: Path, page: Page) -> None:
    figures = list((study.parent / "figures").iterdir())
    written = sorted(path.stem for path in figures)
    shown = sorted(its["data-chart"] for _, its in page.elements if "data-chart" in its)
    assert written == shown
    texts = [path.read_text() for path in figures]
    assert all("<svg" in text and "var(--" not in text for text in texts)
