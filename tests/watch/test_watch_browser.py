"""The live page in a real browser: a real study is followed to its verdict, by eye, by keyboard and by axe-core."""

import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, chromium
from html_builders import tuned
from ports import free_port
from test_watch_gate import hostile
from test_watch_studies import STUDIES
from watch_builders import STOPPED, Page, served, tuning

from lsmtune import api
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import DATABASE, Study, create_study, open_study, read_study
from lsmtune.testing import fake_description, fake_rules, fake_space

AXE = files("axe_core_python").joinpath("axe.min.js").read_text()
READY = "return document.documentElement.dataset.ready === 'yes'"
DRAWN = "return Boolean(document.documentElement.dataset.drawn && document.documentElement.dataset.parts)"
TAB, ENTER, SPACE = "\ue004", "\ue007", " "
WHOLE_STUDY_S = 240.0


@dataclass
class Shown:
    """A browser on a live page of a folder with a good study, a hostile one and one more."""

    browser: Browser
    page: Page
    keys: dict[str, str]
    folder: Path

    def study(self, name: str = "good", path: str = "") -> Browser:
        """Show a study, or a page of it, and wait until it is whole."""
        self.browser.visit(f"{self.page.origin}/study/{self.keys[name]}{path}")
        self.browser.until(READY)
        if not path:
            self.browser.until(DRAWN)
        return self.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def shown(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    place = tmp_path_factory.mktemp("watched")
    tuned(place / "good")
    tuned(place / "other")
    hostile(place / "hostile")
    with served(place, state=place / "state") as page:
        browser.visit(page.address)
        yield Shown(browser, page, page.keys(), place)


def complaints(browser: Browser) -> list[str]:
    return [entry["message"] for entry in browser.logged("browser")]


def sized(browser: Browser, width: int, height: int = 900) -> None:
    browser.devtools(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
    )


def serious(browser: Browser) -> list[str]:
    """What axe-core finds that is serious or worse, one line each; the policy lets no script in but by the debugger."""
    browser.devtools("Runtime.evaluate", expression=AXE)
    found: Any = browser.run(
        "return axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations"
        ".filter((each) => ['serious', 'critical'].includes(each.impact))"
        ".map((each) => `${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(', ')}`))"
    )
    return list(found)


def test_a_real_study_is_followed_to_its_verdict(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, state=tmp_path / "state") as page, ExitStack() as stack:
        browser.visit(page.address)
        browser.until("return document.body.textContent.includes('No studies yet')")
        process = stack.enter_context(tuning(tmp_path, "50 runs", "sleep=0.2"))
        browser.until("return document.querySelector('#studies a')", within_s=60)
        browser.run("document.querySelector('#studies a').click()")
        browser.until("return Boolean(document.body.dataset.key)", within_s=60)
        stage = browser.until("return document.getElementById('stage').textContent", within_s=60)
        assert stage.split(":")[0] in ("baseline", "search")
        assert browser.run("return document.getElementById('state').textContent") == "Running"
        assert browser.run("return !document.getElementById('stop').hidden")
        first = browser.until("return Number(document.documentElement.dataset.drawn)", within_s=60)
        browser.until("return Number(document.documentElement.dataset.drawn) > arguments[0]", first, within_s=60)
        browser.until(
            "return /^(verify|prune|confirm|retest)/.test(document.getElementById('stage').textContent)", within_s=120
        )
        browser.until("return document.getElementById('state').textContent === 'Finished'", within_s=WHOLE_STUDY_S)
        assert process.wait(60) in (0, 3), process.stderr.read() if process.stderr else ""
        said = api.load(tmp_path / "study").verdict
        browser.until("return document.querySelector('.sentence').textContent === arguments[0]", said)
        with read_study(tmp_path / "study") as study:
            runs = study.summary().runs
        browser.until("return Number(document.documentElement.dataset.drawn) === arguments[0]", runs)
        browser.until("return document.getElementById('page').textContent.endsWith(arguments[0])", f", {runs} runs")
        assert browser.run("return document.getElementById('stop').hidden")
        assert complaints(browser) == []
        assert {re.sub(r"(//[^/]*).*", r"\1", each) for each in browser.requests() if not each.startswith("data:")} <= {
            page.origin
        }
        browser.run("document.querySelector('#run-list a').click()")
        browser.until(READY)
        text = browser.run("return document.body.textContent")
        assert "--benchmarks=fillrandom" in text
        assert browser.until("return [...document.images].every((each) => each.complete && each.naturalWidth > 0)")
        assert {"measure.LOG", "measure.command"} <= set(
            browser.run("return [...document.querySelectorAll('.files a')].map((each) => each.textContent)")
        )


def test_every_chart_is_drawn_and_nothing_is_asked_for_elsewhere(shown: Shown) -> None:
    browser = shown.study()
    browser.until(
        "const next = [...document.querySelectorAll('.plot')].find((plot) => !plot.querySelector('canvas, path.run'));"
        "next?.scrollIntoView(); return !next"
    )
    assert browser.run("return document.querySelectorAll('.plot canvas').length") >= 6
    assert complaints(browser) == []
    asked = [each for each in browser.requests() if not each.startswith(("data:", "blob:"))]
    assert asked
    assert all(each.startswith(f"{shown.page.origin}/") for each in asked)


def test_the_front_is_that_of_the_report(shown: Shown) -> None:
    browser = shown.study()
    told = browser.run("return [...document.querySelectorAll('#front-runs a')].map((each) => each.textContent)")
    table = shown.page.ask(f"/study/{shown.keys['good']}/parts").data["parts"]["table"]
    places = {column["name"]: place for place, column in enumerate(table["columns"])}
    pair = [places["throughput_settled_ops_s"], places["space_bytes"]]
    front = table["fronts"][f"{min(pair)},{max(pair)}"]
    assert sorted(told) == sorted(f"run {table['runs'][row][0]}" for row in front)


def made_of(folder: Path, *runs: tuple[Purpose, str]) -> None:
    """Make a study of some runs, each by its purpose and arm."""
    with create_study(folder, fake_description(fake_rules(), fake_space())) as study:
        for purpose, arm in runs:
            run_one(study, purpose, arm)


def run_one(study: Study, purpose: Purpose, arm: str) -> None:
    run = study.plan(Run(0, purpose, arm, None, Configuration(), 1, 1))
    study.start(run)
    measured = Measurement({"throughput_settled_ops_s": 1e5 + run.id, "space_bytes": 1e9})
    study.finish(run, Outcome(Status.OK, 1.7e9, 2.0, "", measured))


def test_a_single_run_is_not_counted_as_several(browser: Browser, tmp_path: Path) -> None:
    made_of(tmp_path / "study", (Purpose.TRIAL, "trial-1"))
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until("return Boolean(document.documentElement.dataset.drawn)")
        told = browser.until("return document.getElementById('counts').textContent")
        assert told == "1 run: 1 ok; 2.0 s of running"
        assert browser.until("return document.getElementById('page').textContent") == "page 1 of 1, 1 run"
        front = browser.run("return document.getElementById('front-told').textContent")
        assert front.startswith("1 of 1 run of the ")


def test_of_a_study_on_a_host_that_is_not_seen_it_is_told_when_it_was_heard(browser: Browser, tmp_path: Path) -> None:
    made_of(tmp_path / "study", (Purpose.TRIAL, "trial-1"))
    (tmp_path / "study" / "lock").write_text('{"pid": 17, "host": "elsewhere", "boot": "another-kernel"}')
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until("return document.getElementById('state').textContent === 'Perhaps running'")
        stage = browser.until("return document.getElementById('stage').textContent")
    assert re.fullmatch("last heard .+ ago from process 17 on host elsewhere, which is not seen from here", stage)


def test_of_a_study_that_cannot_be_read_no_run_is_said_to_be_under_way(browser: Browser, tmp_path: Path) -> None:
    made_of(tmp_path / "study", (Purpose.TRIAL, "trial-1"))
    with closing(sqlite3.connect(tmp_path / "study" / DATABASE)) as database:
        database.execute("PRAGMA user_version = 4711")
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until("return document.getElementById('state').textContent === 'Cannot be read'")
        assert "4711" in browser.run("return document.getElementById('trouble').textContent")
        assert browser.run("return document.getElementById('as-of').textContent") == ""


def test_another_starting_point_is_not_drawn_as_the_reference(browser: Browser, tmp_path: Path) -> None:
    made_of(tmp_path / "study", (Purpose.BASELINE, "stock"), (Purpose.BASELINE, "rocksdb"), (Purpose.TRIAL, "trial-1"))
    with served(tmp_path, state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until("return document.querySelector('#studies a')")
        browser.run("document.querySelector('#studies a').click()")
        browser.until("return Boolean(document.documentElement.dataset.drawn)")
        for chart in ("value", "front"):
            names = browser.run(
                f"return [...document.querySelectorAll('[data-live={chart}] .legend li')]"
                ".map((each) => each.textContent.slice(2))"
            )
            assert {"the reference", "another starting point"} <= set(names)


def test_the_time_of_values_begins_with_the_first_run_though_it_has_none(browser: Browser, tmp_path: Path) -> None:
    measured = Measurement({"throughput_settled_ops_s": 1e5, "space_bytes": 1e9})
    with create_study(tmp_path / "study", fake_description(fake_rules(), fake_space())) as study:
        for outcome in (
            Outcome(Status.FAILED, 1.7e9, 2.0, "db_bench ended with exit code 1"),
            Outcome(Status.OK, 1.7e9 + 598.0, 2.0, "", measured),
        ):
            run = study.plan(Run(0, Purpose.TRIAL, "trial", None, Configuration(), 1, 1))
            study.start(run)
            study.finish(run, outcome)
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until("return Boolean(document.documentElement.dataset.drawn)")
        minutes = browser.run(
            "let found; const draw = lsmtuneChart.draw;"
            "lsmtuneChart.draw = (place, chart) => { if (chart.name === 'value') found = chart.series[0].x; };"
            "document.getElementById('value-over').dispatchEvent(new Event('change'));"
            "lsmtuneChart.draw = draw; return found"
        )
    assert minutes == [10.0]


def test_a_comparison_is_not_said_to_await_a_search(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(STUDIES / "compare", tmp_path / "study")
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until("return Boolean(document.documentElement.dataset.drawn)")
        told = browser.run("return document.getElementById('front-told').textContent")
    assert told == "Nothing is searched here: what the user named is compared."


def test_brushes_select_as_in_the_report(shown: Shown) -> None:
    browser = shown.study()
    browser.run("document.querySelector('[data-explorer=parallel] .plot').scrollIntoView()")
    browser.until("return document.querySelectorAll('path.run').length > 10")
    browser.run("[...document.querySelectorAll('button')].find((each) => each.textContent === 'Best 10 %').click()")
    chosen = browser.run("return document.querySelectorAll('path.run.on').length")
    runs = browser.run("return document.querySelectorAll('path.run').length")
    assert browser.run("return document.getElementById('selected').textContent") == f"{chosen} of {runs} runs selected"
    assert chosen == max(1, round(runs / 10))


def test_a_slider_keeps_the_focus_when_runs_come(browser: Browser, tmp_path: Path) -> None:
    trials = [(Purpose.TRIAL, f"trial-{number}") for number in range(1, 6)]
    made_of(tmp_path / "study", *[(Purpose.BASELINE, "stock")] * 3, *trials)
    lines = "return document.querySelectorAll('path.run').length"
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until(DRAWN)
        browser.run("document.querySelector('[data-explorer=parallel] .plot').scrollIntoView()")
        browser.until(f"{lines} === 5")
        browser.run("document.querySelector('[data-brush]').focus()")
        with open_study(tmp_path / "study") as study:
            run_one(study, Purpose.TRIAL, "trial-6")
        browser.until("return document.documentElement.dataset.parts === '9'")
        time.sleep(1.0)  # a figure is drawn a moment after its section
        assert browser.run("return Boolean(document.activeElement.dataset.brush)")
        browser.run("document.activeElement.blur()")
        browser.until(f"{lines} === 6")


def test_what_is_new_while_sections_are_on_their_way_is_asked_for_then(browser: Browser, tmp_path: Path) -> None:
    made_of(tmp_path / "study", *[(Purpose.BASELINE, "stock")] * 3)
    parts = "return document.documentElement.dataset.parts"
    with served(tmp_path / "study", state=tmp_path / "state") as page:
        browser.visit(page.address)
        browser.until(f"{parts} === '3'")
        browser.run(
            "const ask = window.fetch;"
            "const held = (answer) => new Promise((go) => setTimeout(() => go(answer), 4000));"
            "window.fetch = (...what) => ask(...what).then(held);"
        )
        for number in (1, 2):
            with open_study(tmp_path / "study") as study:
                run_one(study, Purpose.TRIAL, f"trial-{number}")
            time.sleep(1.5)
        browser.until(f"{parts} === '5'")


def test_two_runs_stand_side_by_side(shown: Shown) -> None:
    browser = shown.study()
    browser.until("return document.querySelectorAll('[name=pair]').length > 2")
    browser.run("[...document.querySelectorAll('[name=pair]')].slice(0, 2).forEach((box) => box.click())")
    chosen = browser.run("return [...document.querySelectorAll('[name=pair]:checked')].map((box) => box.value)")
    browser.run("document.getElementById('compare').click()")
    browser.until(f"return location.pathname.endsWith('/pair') && {READY.removeprefix('return ')}")
    heading = browser.run("return document.querySelector('h1').textContent")
    assert heading == f"Runs {chosen[0]} and {chosen[1]}"


def test_two_studies_stand_side_by_side(shown: Shown) -> None:
    browser = shown.study()
    browser.run("document.querySelector('#beside form').submit()")
    browser.until("return location.pathname === '/together'")
    browser.until(READY)
    titles = browser.run("return [...document.querySelectorAll('.column > h2 a')].map((each) => each.textContent)")
    assert titles == ["good", "hostile"]
    said = browser.run("return [...document.querySelectorAll('.sentence')].map((each) => each.textContent)")
    assert said == [api.load(shown.folder / name).verdict for name in titles]
    next_empty = "[...document.querySelectorAll('.column .plot')].find((plot) => !plot.querySelector('canvas'))"
    scroll = f"const plot = {next_empty}; if (plot) plot.scrollIntoView();"  # a figure is drawn when it comes near
    browser.until(f"{scroll} return document.querySelectorAll('.column canvas').length > 1")
    shown_twice = "const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);"
    assert browser.run(f"{shown_twice} return ids.length === new Set(ids).size")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "/run/5", "/pair?a=5&b=9", "together", "/"])
def test_axe_finds_nothing_serious(shown: Shown, theme: str, path: str) -> None:
    browser = shown.browser
    if path == "together":
        browser.visit(f"{shown.page.origin}/together?a={shown.keys['good']}&b={shown.keys['other']}")
        browser.until(READY)
    elif path == "/":
        browser.visit(f"{shown.page.origin}/")
    else:
        browser = shown.study("good", path)
    browser.run("document.documentElement.dataset.theme = arguments[0]; dispatchEvent(new Event('theme'))", theme)
    assert serious(browser) == []


def test_axe_would_find_something(shown: Shown) -> None:
    browser = shown.study("good", "/run/5")
    browser.run("document.querySelector('main').append(document.createElement('button'))")
    assert [each.partition(":")[0] for each in serious(browser)] == ["button-name"]


@pytest.mark.parametrize("width", [360, 768, 1200, 2560])
@pytest.mark.parametrize("path", ["", "/run/5", "/pair?a=5&b=9"])
def test_no_width_scrolls_sideways(shown: Shown, width: int, path: str) -> None:
    sized(shown.browser, width)
    try:
        browser = shown.study("good", path)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        wide = browser.run(
            "return [...document.querySelectorAll('.uplot')].map((each) => each.getBoundingClientRect().right)"
        )
        assert all(right <= width for right in wide)
    finally:
        browser.devtools("Emulation.clearDeviceMetricsOverride")


def test_the_theme_stays_chosen(shown: Shown) -> None:
    browser = shown.study()
    before = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.run("document.getElementById('theme').click()")
    after = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert before != after
    browser = shown.study("other")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == after
    browser.run("localStorage.clear()")


def test_names_that_are_scripts_run_nowhere(shown: Shown) -> None:
    for path in ("", "/run/5", "/pair?a=4&b=5", "/report"):
        browser = shown.study("hostile", path)
        assert browser.run("return document.title") != "taken"
        assert browser.run("return document.querySelectorAll('main img[src=x]').length") == 0
        assert complaints(browser) == [], path
    shown.browser.visit(f"{shown.page.origin}/together?a={shown.keys['hostile']}&b={shown.keys['good']}")
    shown.browser.until(READY)
    assert shown.browser.run("return document.querySelectorAll('main img[src=x]').length") == 0
    assert shown.browser.run("return document.title") != "taken"


def test_a_study_is_stopped_from_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    with tuning(tmp_path, "500 runs", "sleep=0.2") as process, served(tmp_path / "study", state=tmp_path) as page:
        browser.visit(page.address)
        browser.until(READY)
        browser.until("return Number(document.documentElement.dataset.drawn) > 1", within_s=60)
        browser.run("document.getElementById('stop').focus()")
        browser.press(ENTER)
        assert browser.run("return document.getElementById('sure').open")
        browser.until("return document.activeElement.id === 'stop-yes'")
        browser.press(TAB)
        browser.press(ENTER)  # let it run
        browser.until("return !document.getElementById('sure').open")
        assert process.poll() is None
        browser.run("document.getElementById('stop').focus()")
        browser.press(ENTER)
        browser.until("return document.activeElement.id === 'stop-yes'")
        browser.press(ENTER)
        assert process.wait(60) in STOPPED
        browser.until("return document.getElementById('state').textContent === 'Not running'")
        assert "was told to stop" in browser.run("return document.getElementById('said').textContent")


def test_the_page_goes_on_when_the_server_is_started_anew(browser: Browser, tmp_path: Path) -> None:
    tuned(tmp_path / "s")
    port = free_port()
    with served(tmp_path / "s", "--port", str(port), state=tmp_path) as page:
        browser.visit(page.address)
        browser.until(DRAWN)
    browser.until("return document.getElementById('state').textContent.startsWith('Cut off')")
    with served(tmp_path / "s", "--port", str(port), state=tmp_path):
        browser.until("return document.getElementById('state').textContent === 'Finished'", within_s=30)
