"""The page in a real browser: figures are drawn, brushes select, nothing is asked for, the console stays empty."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, chromium
from html_builders import HOSTILE, Page, page_of, stepped, tuned
from sweep_builders import swept
from timeline_builders import finished

TAB, ENTER = "\ue004", "\ue007"
READY = "return document.documentElement.dataset.ready === 'yes'"
DRAWN = """
const plots = [...document.querySelectorAll('.plot[data-chart]')];
const next = plots.find((plot) => plot.querySelector('.main-svg .xaxislayer-above, path.run') === null);
next?.scrollIntoView();
return plots.length > (arguments[0] ?? 5) && next === undefined;
"""
CLOSED = "document.querySelectorAll('details.fold:not([open]) > summary')"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tuned(tmp_path_factory.mktemp("browser") / "study")


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    return page_of(folder)


@pytest.fixture
def shown(browser: Browser, folder: Path, page: Page) -> Browser:
    browser.open(folder.with_suffix(".html"))
    browser.until(READY)
    return browser


def table(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.scripts[0])["table"]
    return found


def values(page: Page, name: str) -> list[float | None]:
    (column,) = (column for column in table(page)["columns"] if column["name"] == name)
    found: list[float | None] = column["values"]
    return found


def status(browser: Browser) -> str:
    text: str = browser.run("return document.getElementById('selected').textContent")
    return text


def test_every_figure_is_drawn_and_nothing_is_asked_for_or_complained_of(shown: Browser, folder: Path) -> None:
    shown.until(DRAWN)
    assert shown.logged("browser") == []
    asked = [address for address in shown.requests() if not address.startswith(("data:", "blob:"))]
    assert asked == [folder.with_suffix(".html").resolve().as_uri()]


def test_a_slider_selects_the_runs_of_its_range(shown: Browser, page: Page) -> None:
    shown.run(
        "const slider = document.querySelector('[data-of=gain] input');"
        "slider.value = 500; slider.dispatchEvent(new Event('input'));"
    )
    gains = [value for value in values(page, "gain") if value is not None]
    middle = (min(gains) + max(gains)) / 2
    expected = sum(value >= middle for value in gains)
    assert status(shown) == f"{expected} of {len(table(page)['runs'])} runs selected"
    assert shown.run("return document.querySelectorAll('path.run.on').length") == expected
    rows = shown.run(
        "return [...document.querySelectorAll('#selected-runs tbody tr')].map((row) => row.cells[0].textContent)"
    )
    best = max(range(len(values(page, "gain"))), key=lambda row: values(page, "gain")[row] or 0.0)
    assert len(rows) == min(expected, 40)
    assert rows[0] == str(table(page)["runs"][best][0])


def test_dragging_along_an_axis_selects_and_a_click_takes_it_back(shown: Browser, page: Page) -> None:
    grip = "[data-axis=gain]"
    shown.drag(grip, 0.5, -0.1)
    gains = [value for value in values(page, "gain") if value is not None]
    low = min(gains) + 0.5 * (max(gains) - min(gains))
    slack = 0.01 * (max(gains) - min(gains))
    most, least = sum(value >= low - slack for value in gains), sum(value >= low + slack for value in gains)
    assert least <= shown.run("return document.querySelectorAll('path.run.on').length") <= most
    assert most < len(gains)
    shown.drag(grip, 0.7, 0.7)
    assert shown.run("return document.querySelectorAll('path.run.on').length") == 0


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        ("number", 0.93, "0.93"),
        ("share", 0.0213, "2.13 %"),
        ("level", 3, "level 3"),
        ("threads", 1, "1 thread"),
        ("threads", 8, "8 threads"),
    ],
)
def test_values_are_worded_as_in_tables(shown: Browser, unit: str, value: float, words: str) -> None:
    script = "return lsmtuneRuns.words({ names: [], group: '', unit: arguments[0] }, arguments[1])"
    assert shown.run(script, unit, value) == words


def test_a_title_without_room_keeps_its_unit(shown: Browser) -> None:
    title = "p99 read latency of readwhilewriting [ms]"
    told = [shown.run("return lsmtuneRuns.fitted(arguments[0], arguments[1])", title, most) for most in (41, 40, 12)]
    assert told == [title, "p99 read latency of readwhilewriti… [ms]", "p99 re… [ms]"]


def test_the_best_tenth_is_a_button(shown: Browser, page: Page) -> None:
    shown.run("[...document.querySelectorAll('button')].find((each) => each.textContent === 'Best 10 %').click()")
    known = [value for value in values(page, "gain") if value is not None]
    assert status(shown).startswith(f"{max(1, round(len(known) / 10))} of ")


def test_other_axes_give_another_front(shown: Browser, page: Page) -> None:
    shown.run("document.querySelector('[data-explorer=tradeoff]').scrollIntoView()")
    told = shown.run(
        "const selects = [...document.querySelectorAll('[data-explorer=tradeoff] select')];"
        "const used = selects.map((select) => select.value);"
        "selects[0].value = [...selects[0].options].find((option) => !used.includes(option.value)).value;"
        "selects[0].dispatchEvent(new Event('change'));"
        "return selects.map((select) => Number(select.value));"
    )
    front = table(page)["fronts"][f"{min(told)},{max(told)}"]
    text = shown.run("return document.querySelector('[data-explorer=tradeoff] [role=status]').textContent")
    assert text.startswith(f"{len(front)} of ")


def test_the_keyboard_reaches_the_report_first(shown: Browser) -> None:
    shown.press(TAB)
    assert shown.run("return document.activeElement.getAttribute('href')") == "#main"
    shown.press(TAB)
    assert shown.run("return document.activeElement.id") == "theme"


def test_the_theme_changes_page_and_figures(shown: Browser) -> None:
    shown.until(DRAWN)
    colour = (
        "return [getComputedStyle(document.body).backgroundColor,"
        "document.querySelector('.plot:not(.wide) .xtitle').style.fill]"
    )
    before = shown.run(colour)
    shown.run("document.getElementById('theme').click()")
    after = shown.run(colour)
    assert before[0] != after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
def test_a_figure_is_saved_without_asking_for_anything(shown: Browser, tmp_path: Path, kind: str) -> None:
    shown.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), eventsEnabled=True)
    shown.until(DRAWN)
    for figure in ("#figure-pairs", "#figure-parallel"):
        shown.run(
            "[...document.querySelector(arguments[0]).querySelectorAll('button')]"
            ".find((each) => each.textContent === `Save ${arguments[1]}`).click()",
            figure,
            kind,
        )
    starts = {"SVG": b"<svg", "PNG": b"\x89PNG"}
    expected = {f"{name}.{kind.lower()}" for name in ("pairs", "parallel")}
    deadline = time.monotonic() + 60
    while {path.name for path in tmp_path.iterdir()} != expected and time.monotonic() < deadline:
        time.sleep(0.1)
    saved = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert saved.keys() == expected
    assert all(content.startswith(starts[kind]) for content in saved.values())
    assert shown.logged("browser") == []


def test_the_page_prints_with_its_figures(shown: Browser) -> None:
    shown.run("document.documentElement.dataset.theme = 'dark'")
    printed = shown.printed()
    assert printed.startswith(b"%PDF")
    assert shown.run("return document.documentElement.dataset.theme") == "dark"


def test_a_narrow_window_does_not_scroll_sideways(shown: Browser) -> None:
    shown.devtools("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    try:
        shown.until("return innerWidth === 400")
        shown.until(DRAWN)
        shown.until("return document.documentElement.scrollWidth <= 400")
    finally:
        shown.devtools("Emulation.clearDeviceMetricsOverride")


def test_names_with_markup_run_nothing(browser: Browser, tmp_path: Path) -> None:
    folder = stepped(tmp_path / "study", HOSTILE, f"2 {HOSTILE}")
    page_of(folder)
    browser.open(folder.with_suffix(".html"))
    browser.until(READY)
    browser.run("document.querySelectorAll('.plot').forEach((plot) => plot.scrollIntoView())")
    assert browser.run("return document.title").startswith("fake: ")
    assert browser.run("return document.images.length") == 0
    assert browser.logged("browser") == []


@pytest.mark.parametrize(
    ("make", "sections"), [(swept, ("winners", "lines")), (finished, ("inside",))], ids=["a sweep", "inside a run"]
)
def test_folds_open_from_the_keyboard_and_all_figures_are_drawn(
    browser: Browser, tmp_path: Path, make: Callable[[Path], Path], sections: tuple[str, ...]
) -> None:
    page = make(tmp_path / "study").with_suffix(".html")
    page_of(tmp_path / "study")
    browser.open(page)
    browser.until(READY)
    closed = browser.run(f"return {CLOSED}.length")
    assert closed
    for _ in range(closed):
        browser.run(f"{CLOSED}[0].focus()")
        browser.press(ENTER)
    assert browser.run(f"return {CLOSED}.length") == 0
    browser.until(DRAWN, 1)
    for section in sections:
        assert browser.run("return document.querySelector(arguments[0]) !== null", f"#{section} .main-svg")
    assert browser.logged("browser") == []
    asked = [address for address in browser.requests() if not address.startswith(("data:", "blob:"))]
    assert asked == [page.resolve().as_uri()]


def test_a_cell_of_a_map_is_shaded_so_that_its_text_can_be_read(browser: Browser, tmp_path: Path) -> None:
    page_of(swept(tmp_path / "study"))
    browser.open(tmp_path / "study.html")
    browser.until(READY)
    browser.run("document.querySelector('#winners .plot').scrollIntoView()")
    browser.until("return document.querySelector('#winners .plot .bars .point path') !== null")
    look = "document.querySelector('#winners .plot .bars .point path').style"
    assert 0 < float(browser.run(f"return {look}.fillOpacity")) < 0.5
